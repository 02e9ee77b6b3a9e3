// SPDX-License-Identifier: Apache-2.0
#include "bough/train/functions.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cassert>

#include "bough/model/sparse.hpp"

namespace bough {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

template <class T>
T* data(const at::Tensor& tensor) {
  assert(tensor.is_contiguous() && "kernels index rows by themselves");
  return tensor.data_ptr<T>();
}

std::size_t size(const at::Tensor& tensor, int dimension) { return static_cast<std::size_t>(tensor.size(dimension)); }

EdgesByTarget view(const PackedEdges& edges) { return {edges.start.data(), edges.source.data(), edges.term.data()}; }

// What is no tensor travels through the context as a number.
template <class T>
void keep(AutogradContext* context, const char* name, const T* pointer) {
  context->saved_data[name] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(pointer));
}
template <class T>
const T& kept(AutogradContext* context, const char* name) {
  return *reinterpret_cast<const T*>(static_cast<std::intptr_t>(context->saved_data[name].toInt()));
}

/// The kernels are compiled for both types; a tensor says at run time which one it has.
template <class F>
auto by_type(const at::Tensor& tensor, F&& f) {
  return tensor.scalar_type() == at::kDouble ? f(double{}) : f(float{});
}

template <class T>
struct SumAttend : Function<SumAttend<T>> {
  static SumAttention<T> arguments(const PackedEdges& edges, const variable_list& x) {
    return {view(edges), size(x[3], 0), size(x[3], 1), data<T>(x[0]), data<T>(x[1]), data<T>(x[2]), data<T>(x[3])};
  }
  static at::Tensor forward(AutogradContext* context, const PackedEdges* edges, const at::Tensor& p, const at::Tensor& q, const at::Tensor& r, const at::Tensor& a) {
    const auto x = arguments(*edges, {p, q, r, a});
    const auto heads = a.size(0);
    const at::Tensor edge = at::empty({static_cast<std::int64_t>(edges->source.size()), heads}, p.options());
    const at::Tensor self = at::empty({p.size(0), heads}, p.options());
    at::Tensor out = at::empty({p.size(0), a.size(1)}, p.options());
    attend<T>(x, 0, size(p, 0), {data<T>(edge), data<T>(self)}, data<T>(out));
    keep(context, "edges", edges);
    context->save_for_backward({p, q, r, a, edge, self});
    return out;
  }
  static variable_list backward(AutogradContext* context, const variable_list& out) {
    const auto saved = context->get_saved_variables();
    const at::Tensor gradient = out[0].contiguous();
    variable_list to{at::zeros_like(saved[0]), at::zeros_like(saved[1]), at::zeros_like(saved[2]), at::zeros_like(saved[3])};
    attend_backward<T>(arguments(kept<PackedEdges>(context, "edges"), saved), 0, size(saved[0], 0), {data<T>(saved[4]), data<T>(saved[5])}, data<T>(gradient),
                       {data<T>(to[0]), data<T>(to[1]), data<T>(to[2]), data<T>(to[3])});
    return {at::Tensor(), to[0], to[1], to[2], to[3]};
  }
};

/// out (n, H) = a' LeakyReLU(x), x (n, H d), a (H, d).
template <class T>
at::Tensor logits_of(const at::Tensor& x, const at::Tensor& a) {
  at::Tensor out = at::empty({x.size(0), a.size(0)}, x.options());
  leaky_dot<T>(data<T>(a), size(a, 0), size(a, 1), size(x, 0), data<T>(x), data<T>(out));
  return out;
}
/// Adds to the gradients of x and a.
template <class T>
void logits_backward(const at::Tensor& x, const at::Tensor& a, const at::Tensor& out, const at::Tensor& to_x, const at::Tensor& to_a) {
  leaky_dot_backward<T>(data<T>(a), size(a, 0), size(a, 1), size(x, 0), data<T>(x), data<T>(out), data<T>(to_a), data<T>(to_x));
}

template <class T>
struct ConcatAttend : Function<ConcatAttend<T>> {
  static ConcatAttention<T> arguments(const PackedEdges& edges, const variable_list& x, const at::Tensor& a) {
    return {view(edges), size(a, 0), size(a, 1), data<T>(x[0]), data<T>(x[1]), data<T>(x[2]), data<T>(x[3]), data<T>(x[4])};
  }
  static at::Tensor forward(AutogradContext* context, const PackedEdges* edges, const at::Tensor& p, const at::Tensor& q, const at::Tensor& r, const at::Tensor& a_q, const at::Tensor& a_r) {
    const at::Tensor s = logits_of<T>(p, a_q), t = logits_of<T>(q, a_q), u = logits_of<T>(r, a_r);
    const at::Tensor edge = at::empty({static_cast<std::int64_t>(edges->source.size()), a_q.size(0)}, p.options());
    const at::Tensor self = at::empty_like(s);
    at::Tensor out = at::empty({p.size(0), a_q.size(1)}, p.options());
    attend<T>(arguments(*edges, {p, q, s, t, u}, a_q), 0, size(p, 0), {data<T>(edge), data<T>(self)}, data<T>(out));
    keep(context, "edges", edges);
    context->save_for_backward({p, q, s, t, u, r, a_q, a_r, edge, self});
    return out;
  }
  static variable_list backward(AutogradContext* context, const variable_list& out) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &p = saved[0], &q = saved[1], &r = saved[5], &a_q = saved[6], &a_r = saved[7];
    const at::Tensor gradient = out[0].contiguous();
    variable_list to;
    for (const int i : {0, 1, 2, 3, 4, 5, 6, 7}) to.push_back(at::zeros_like(saved[static_cast<std::size_t>(i)]));
    attend_backward<T>(arguments(kept<PackedEdges>(context, "edges"), saved, a_q), 0, size(p, 0), {data<T>(saved[8]), data<T>(saved[9])}, data<T>(gradient),
                       {data<T>(to[0]), data<T>(to[1]), data<T>(to[2]), data<T>(to[3]), data<T>(to[4])});
    logits_backward<T>(p, a_q, to[2], to[0], to[6]);
    logits_backward<T>(q, a_q, to[3], to[1], to[6]);
    logits_backward<T>(r, a_r, to[4], to[5], to[7]);
    return {at::Tensor(), to[0], to[1], to[5], to[6], to[7]};
  }
};

template <class T>
struct Convolve : Function<Convolve<T>> {
  static Convolution<T> arguments(const PackedEdges& edges, const variable_list& x) {
    return {view(edges), size(x[0], 1), data<T>(x[0]), data<T>(x[1]), data<T>(x[2])};
  }
  static at::Tensor forward(AutogradContext* context, const PackedEdges* edges, const at::Tensor& p, const at::Tensor& q, const at::Tensor& r) {
    at::Tensor out = at::empty_like(p);
    convolve<T>(arguments(*edges, {p, q, r}), 0, size(p, 0), data<T>(out));
    keep(context, "edges", edges);
    context->save_for_backward({p, q, r});
    return out;
  }
  static variable_list backward(AutogradContext* context, const variable_list& out) {
    const auto saved = context->get_saved_variables();
    const at::Tensor gradient = out[0].contiguous();
    const at::Tensor p = at::zeros_like(saved[0]), q = at::zeros_like(saved[1]), r = at::zeros_like(saved[2]);
    convolve_backward<T>(arguments(kept<PackedEdges>(context, "edges"), saved), 0, size(p, 0), data<T>(gradient), data<T>(p), data<T>(q), data<T>(r));
    return {at::Tensor(), p, q, r};
  }
};

template <class T>
struct Gates : Function<Gates<T>> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& hidden, const at::Tensor& h) {
    const auto d = h.size(1);
    const at::Tensor rz = at::add(input.narrow(1, 0, 2 * d), hidden.narrow(1, 0, 2 * d)).sigmoid_();
    const at::Tensor n = at::addcmul(input.narrow(1, 2 * d, d), rz.narrow(1, 0, d), hidden.narrow(1, 2 * d, d)).tanh_();
    context->save_for_backward({rz, n, hidden, h});
    return at::addcmul(n, rz.narrow(1, d, d), h - n);
  }
  static variable_list backward(AutogradContext* context, const variable_list& out) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &rz = saved[0], &n = saved[1], &hidden = saved[2], &h = saved[3];
    const at::Tensor gradient = out[0].contiguous();
    const at::Tensor to_input = at::empty_like(hidden), to_hidden = at::empty_like(hidden), to_h = at::empty_like(h);
    const std::size_t n_rows = size(h, 0), d = size(h, 1);
    const T *r_i = data<T>(rz), *n_i = data<T>(n), *h_i = data<T>(h), *g_i = data<T>(gradient), *hidden_n = data<T>(hidden) + 2 * d;
    T *in = data<T>(to_input), *hid = data<T>(to_hidden), *back = data<T>(to_h);
    for (std::size_t i = 0; i < n_rows; ++i, r_i += 2 * d, n_i += d, h_i += d, g_i += d, hidden_n += 3 * d, in += 3 * d, hid += 3 * d, back += d) {
      const T* z_i = r_i + d;
      for (std::size_t k = 0; k < d; ++k) {
        const T inside_n = g_i[k] * (1 - z_i[k]) * (1 - n_i[k] * n_i[k]);
        const T inside_r = inside_n * hidden_n[k] * r_i[k] * (1 - r_i[k]);
        const T inside_z = g_i[k] * (h_i[k] - n_i[k]) * z_i[k] * (1 - z_i[k]);
        in[k] = hid[k] = inside_r;
        in[d + k] = hid[d + k] = inside_z;
        in[2 * d + k] = inside_n;
        hid[2 * d + k] = inside_n * r_i[k];
        back[k] = g_i[k] * z_i[k];
      }
    }
    return {to_input, to_hidden, to_h};
  }
};

template <class T>
struct Gather : Function<Gather<T>> {
  static at::Tensor forward(AutogradContext* context, const std::int64_t* rows, std::int64_t n, const at::Tensor& x) {
    const std::size_t d = size(x, 1);
    at::Tensor out = at::empty({n, x.size(1)}, x.options());
    const T* from = data<T>(x);
    T* to = data<T>(out);
    for (std::int64_t i = 0; i < n; ++i, to += d) std::copy_n(from + static_cast<std::size_t>(rows[i]) * d, d, to);
    keep(context, "rows", rows);
    context->saved_data["n"] = x.size(0);
    return out;
  }
  static variable_list backward(AutogradContext* context, const variable_list& out) {
    const at::Tensor gradient = out[0].contiguous();
    const std::size_t d = size(gradient, 1);
    const at::Tensor to = at::zeros({context->saved_data["n"].toInt(), gradient.size(1)}, gradient.options());
    const std::int64_t* rows = &kept<std::int64_t>(context, "rows");
    const T* from = data<T>(gradient);
    T* sums = data<T>(to);
    for (std::size_t i = 0, n = size(gradient, 0); i < n; ++i, from += d) {
      T* row = sums + static_cast<std::size_t>(rows[i]) * d;
      for (std::size_t k = 0; k < d; ++k) row[k] += from[k];
    }
    return {at::Tensor(), at::Tensor(), to};
  }
};

}  // namespace

at::Tensor sum_attention(const PackedEdges& edges, const at::Tensor& p, const at::Tensor& q, const at::Tensor& r, const at::Tensor& a) {
  return by_type(p, [&]<class T>(T) { return SumAttend<T>::apply(&edges, p, q, r, a); });
}
at::Tensor concat_attention(const PackedEdges& edges, const at::Tensor& p, const at::Tensor& q, const at::Tensor& r, const at::Tensor& a_q, const at::Tensor& a_r) {
  return by_type(p, [&]<class T>(T) { return ConcatAttend<T>::apply(&edges, p, q, r, a_q, a_r); });
}
at::Tensor convolution(const PackedEdges& edges, const at::Tensor& p, const at::Tensor& q, const at::Tensor& r) {
  return by_type(p, [&]<class T>(T) { return Convolve<T>::apply(&edges, p, q, r); });
}
at::Tensor gru_gates(const at::Tensor& input, const at::Tensor& hidden, const at::Tensor& h) {
  return by_type(h, [&]<class T>(T) { return Gates<T>::apply(input, hidden, h); });
}
at::Tensor gather_rows(const at::Tensor& x, std::span<const std::int64_t> rows) {
  return by_type(x, [&]<class T>(T) { return Gather<T>::apply(rows.data(), static_cast<std::int64_t>(rows.size()), x); });
}

}  // namespace bough
