// SPDX-License-Identifier: Apache-2.0
#include "bough/model/sparse.hpp"

#include <cmath>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bough/model/sparse.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "bough/model/dense-inl.hpp"
#include "bough/model/sparse-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace bough::HWY_NAMESPACE {

template <class T>
void attend_sum(const SumAttention<T>& x, std::size_t begin, std::size_t end, const AttentionWeights<T>& weights, T* out) {
  for (std::size_t i = begin; i < end; ++i) {
    attend_one(x, i, x.target + i * x.heads * x.d, weights.edge + static_cast<std::size_t>(x.edges.start[i]) * x.heads, weights.self + i * x.heads, out + i * x.d);
  }
}

template <class T>
void attend_concat(const ConcatAttention<T>& x, std::size_t begin, std::size_t end, const AttentionWeights<T>& weights, T* out) {
  for (std::size_t i = begin; i < end; ++i) {
    T* self = weights.self + i * x.heads;
    std::copy_n(x.target_logit + i * x.heads, x.heads, self);
    attend_one(x, i, x.target + i * x.heads * x.d, weights.edge + static_cast<std::size_t>(x.edges.start[i]) * x.heads, self, out + i * x.d);
  }
}

/// y += factor x over n elements, n a multiple of 16.
template <class T>
HWY_INLINE void add_multiple(T factor, const T* HWY_RESTRICT x, std::size_t n, T* HWY_RESTRICT y) {
  const Tag<T> tag;
  const auto f = hn::Set(tag, factor);
  for (std::size_t k = 0; k < n; k += hn::Lanes(tag)) hn::StoreU(hn::MulAdd(f, hn::LoadU(tag, x + k), hn::LoadU(tag, y + k)), tag, y + k);
}

/// dz for z in LeakyReLU(z), where the logit a' LeakyReLU(z) has the gradient `logit`.
template <class T>
HWY_INLINE Vector<T> leaky_relu_backward(Vector<T> z, Vector<T> a, Vector<T> logit) {
  const Tag<T> tag;
  const auto slope = hn::IfThenElse(hn::Gt(z, hn::Zero(tag)), hn::Set(tag, T(1)), hn::Set(tag, T(0.2)));
  return hn::Mul(hn::Mul(logit, a), slope);
}

/// Working memory of backward for one range of targets.
template <class T>
struct Scratch {
  std::vector<T> mean;  // (d)                         out's gradient divided by H
  std::vector<T> edge;  // (H, most edges of a target)  the logits' gradients
  std::vector<T> self;  // (H)

  template <class Attention>
  Scratch(const Attention& x, std::size_t begin, std::size_t end) : mean(x.d), self(x.heads) {
    std::size_t most = 0;
    for (std::size_t i = begin; i < end; ++i) most = std::max(most, static_cast<std::size_t>(x.edges.start[i + 1] - x.edges.start[i]));
    edge.resize(most * x.heads);
  }
};

/// The part of backward that both forms share, for target i: through the weighted sum and the softmax.  Adds to the gradients of p and q;
/// leaves the logits' in scratch.
template <class T, class Attention, class Gradient>
HWY_INLINE void weights_backward(const Attention& x, std::size_t i, const AttentionWeights<const T>& weights, const Gradient& gradient, Scratch<T>& scratch) {
  const auto begin = static_cast<std::size_t>(x.edges.start[i]);
  const std::size_t n_edges = static_cast<std::size_t>(x.edges.start[i + 1]) - begin;
  const std::size_t width = x.heads * x.d;
  const T* mean = scratch.mean.data();
  for (std::size_t h = 0; h < x.heads; ++h) {
    const T* w_edge = weights.edge + begin * x.heads + h * n_edges;
    const T w_self = weights.self[i * x.heads + h];
    const std::size_t at_target = i * width + h * x.d;
    T* edge = scratch.edge.data() + h * n_edges;
    T& self = scratch.self[h];
    self = dot(mean, x.target + at_target, x.d);
    T expected = w_self * self;
    for (std::size_t e = 0; e < n_edges; ++e) {
      const std::size_t at_source = static_cast<std::size_t>(x.edges.source[begin + e]) * width + h * x.d;
      edge[e] = dot(mean, x.source + at_source, x.d);
      expected += w_edge[e] * edge[e];
    }
    for (std::size_t e = 0; e < n_edges; ++e) {
      const std::size_t at_source = static_cast<std::size_t>(x.edges.source[begin + e]) * width + h * x.d;
      add_multiple(w_edge[e], mean, x.d, gradient.source + at_source);
      edge[e] = w_edge[e] * (edge[e] - expected);
    }
    add_multiple(w_self, mean, x.d, gradient.target + at_target);
    self = w_self * (self - expected);
  }
}

/// Backward of either form; logits_backward(i, first edge, n_edges, scratch) goes on from the logits of target i.
template <class T, class Attention, class Gradient, class LogitsBackward>
HWY_INLINE void attention_backward(const Attention& x, std::size_t begin, std::size_t end, const AttentionWeights<const T>& weights, const T* out, const Gradient& gradient,
                                   const LogitsBackward& logits_backward) {
  Scratch<T> scratch(x, begin, end);
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t k = 0; k < x.d; ++k) scratch.mean[k] = out[i * x.d + k] / static_cast<T>(x.heads);
    weights_backward(x, i, weights, gradient, scratch);
    const auto first = static_cast<std::size_t>(x.edges.start[i]);
    logits_backward(i, first, static_cast<std::size_t>(x.edges.start[i + 1]) - first, scratch);
  }
}

template <class T>
void sum_backward(const SumAttention<T>& x, std::size_t begin, std::size_t end, const AttentionWeights<const T>& weights, const T* out,
                  const SumAttentionGradient<T>& gradient) {
  const Tag<T> tag;
  const std::size_t width = x.heads * x.d;
  attention_backward(x, begin, end, weights, out, gradient, [&](std::size_t i, std::size_t first, std::size_t n_edges, const Scratch<T>& scratch) HWY_ATTR {
    for (std::size_t k = 0; k < width; k += hn::Lanes(tag)) {
      const std::size_t h = k / x.d;
      const auto p = hn::LoadU(tag, x.target + i * width + k);
      const auto a = hn::LoadU(tag, x.attention + k);
      const auto twice = hn::Add(p, p);
      const auto self_logit = hn::Set(tag, scratch.self[h]);
      const auto self_dz = leaky_relu_backward<T>(twice, a, self_logit);
      auto dp = hn::Add(hn::LoadU(tag, gradient.target + i * width + k), hn::Add(self_dz, self_dz));
      auto da = hn::MulAdd(self_logit, leaky_relu<T>(twice), hn::LoadU(tag, gradient.attention + k));
      for (std::size_t e = 0; e < n_edges; ++e) {
        const std::size_t at_source = static_cast<std::size_t>(x.edges.source[first + e]) * width + k;
        const std::size_t at_term = static_cast<std::size_t>(x.edges.term[first + e]) * width + k;
        const auto z = hn::Add(hn::Add(p, hn::LoadU(tag, x.term + at_term)), hn::LoadU(tag, x.source + at_source));
        const auto logit = hn::Set(tag, scratch.edge[h * n_edges + e]);
        const auto dz = leaky_relu_backward<T>(z, a, logit);
        dp = hn::Add(dp, dz);
        da = hn::MulAdd(logit, leaky_relu<T>(z), da);
        hn::StoreU(hn::Add(hn::LoadU(tag, gradient.source + at_source), dz), tag, gradient.source + at_source);
        hn::StoreU(hn::Add(hn::LoadU(tag, gradient.term + at_term), dz), tag, gradient.term + at_term);
      }
      hn::StoreU(dp, tag, gradient.target + i * width + k);
      hn::StoreU(da, tag, gradient.attention + k);
    }
  });
}

template <class T>
void concat_backward(const ConcatAttention<T>& x, std::size_t begin, std::size_t end, const AttentionWeights<const T>& weights, const T* out,
                     const ConcatAttentionGradient<T>& gradient) {
  attention_backward(x, begin, end, weights, out, gradient, [&](std::size_t i, std::size_t first, std::size_t n_edges, const Scratch<T>& scratch) {
    for (std::size_t h = 0; h < x.heads; ++h) gradient.target_logit[i * x.heads + h] += scratch.self[h];
    for (std::size_t e = 0; e < n_edges; ++e) {
      for (std::size_t h = 0; h < x.heads; ++h) {
        gradient.source_logit[static_cast<std::size_t>(x.edges.source[first + e]) * x.heads + h] += scratch.edge[h * n_edges + e];
        gradient.term_logit[static_cast<std::size_t>(x.edges.term[first + e]) * x.heads + h] += scratch.edge[h * n_edges + e];
      }
    }
  });
}

template <class T>
void leaky_dot_range(const T* a, std::size_t heads, std::size_t d, std::size_t n, const T* x, T* out) {
  attention_logits(a, heads, d, n, x, out);
}

template <class T>
void leaky_dot_range_backward(const T* a, std::size_t heads, std::size_t d, std::size_t n, const T* x, const T* out, T* to_a, T* to_x) {
  const Tag<T> tag;
  for (std::size_t i = 0; i < n * heads; ++i, x += d, to_x += d) {
    const std::size_t head = i % heads * d;
    const auto logit = hn::Set(tag, out[i]);
    for (std::size_t k = 0; k < d; k += hn::Lanes(tag)) {
      const auto z = hn::LoadU(tag, x + k);
      hn::StoreU(hn::Add(hn::LoadU(tag, to_x + k), leaky_relu_backward<T>(z, hn::LoadU(tag, a + head + k), logit)), tag, to_x + k);
      hn::StoreU(hn::MulAdd(logit, leaky_relu<T>(z), hn::LoadU(tag, to_a + head + k)), tag, to_a + head + k);
    }
  }
}

template <class T>
void convolve_range(const Convolution<T>& x, std::size_t begin, std::size_t end, T* out) {
  for (std::size_t i = begin; i < end; ++i) convolve_one(x, i, x.target + i * x.d, out + i * x.d);
}

template <class T>
void convolve_range_backward(const Convolution<T>& x, std::size_t begin, std::size_t end, const T* out, T* target, T* source, T* term) {
  const Tag<T> tag;
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t k = 0; k < x.d; k += hn::Lanes(tag)) {
      const auto p = hn::LoadU(tag, x.target + i * x.d + k);
      const auto gradient = hn::LoadU(tag, out + i * x.d + k);
      auto dp = hn::LoadU(tag, target + i * x.d + k);
      for (auto e = static_cast<std::size_t>(x.edges.start[i]); e < static_cast<std::size_t>(x.edges.start[i + 1]); ++e) {
        const std::size_t at_source = static_cast<std::size_t>(x.edges.source[e]) * x.d + k;
        const std::size_t at_term = static_cast<std::size_t>(x.edges.term[e]) * x.d + k;
        const auto z = hn::Add(hn::Add(p, hn::LoadU(tag, x.term + at_term)), hn::LoadU(tag, x.source + at_source));
        const auto dz = hn::IfThenElseZero(hn::Gt(z, hn::Zero(tag)), gradient);
        dp = hn::Add(dp, dz);
        hn::StoreU(hn::Add(hn::LoadU(tag, source + at_source), dz), tag, source + at_source);
        hn::StoreU(hn::Add(hn::LoadU(tag, term + at_term), dz), tag, term + at_term);
      }
      hn::StoreU(dp, tag, target + i * x.d + k);
    }
  }
}

template <class T>
void log_softmax(const std::int32_t* start, std::size_t begin, std::size_t end, const T* x, T* out) {
  for (std::size_t s = begin; s < end; ++s) {
    const auto first = static_cast<std::size_t>(start[s]);
    const std::size_t n = static_cast<std::size_t>(start[s + 1]) - first;
    if (n == 0) continue;
    const T highest = maximum(x + first + 1, n - 1, x[first]);
    const T shift = highest + std::log(exponentials(x + first, n, highest, out + first));
    for (std::size_t k = 0; k < n; ++k) out[first + k] = x[first + k] - shift;
  }
}

template <class T>
void log_softmax_backward(const std::int32_t* start, std::size_t begin, std::size_t end, const T* y, const T* out, T* x) {
  std::vector<T> probability;
  for (std::size_t s = begin; s < end; ++s) {
    const auto first = static_cast<std::size_t>(start[s]);
    const std::size_t n = static_cast<std::size_t>(start[s + 1]) - first;
    probability.resize(n);
    exponentials(y + first, n, T(0), probability.data());
    T sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += out[first + k];
    for (std::size_t k = 0; k < n; ++k) x[first + k] += out[first + k] - probability[k] * sum;
  }
}

}  // namespace bough::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bough {

template <class T>
void attend(const SumAttention<T>& x, std::size_t begin, std::size_t end, AttentionWeights<T> weights, T* out) {
  HWY_EXPORT_T(table, attend_sum<T>);
  HWY_DYNAMIC_DISPATCH_T(table)(x, begin, end, weights, out);
}

template <class T>
void attend(const ConcatAttention<T>& x, std::size_t begin, std::size_t end, AttentionWeights<T> weights, T* out) {
  HWY_EXPORT_T(table, attend_concat<T>);
  HWY_DYNAMIC_DISPATCH_T(table)(x, begin, end, weights, out);
}

template <class T>
void attend_backward(const SumAttention<T>& x, std::size_t begin, std::size_t end, AttentionWeights<const T> weights, const T* out, const SumAttentionGradient<T>& gradient) {
  HWY_EXPORT_T(table, sum_backward<T>);
  HWY_DYNAMIC_DISPATCH_T(table)(x, begin, end, weights, out, gradient);
}

template <class T>
void attend_backward(const ConcatAttention<T>& x, std::size_t begin, std::size_t end, AttentionWeights<const T> weights, const T* out, const ConcatAttentionGradient<T>& gradient) {
  HWY_EXPORT_T(table, concat_backward<T>);
  HWY_DYNAMIC_DISPATCH_T(table)(x, begin, end, weights, out, gradient);
}

template <class T>
void leaky_dot(const T* a, std::size_t heads, std::size_t d, std::size_t n, const T* x, T* out) {
  HWY_EXPORT_T(table, leaky_dot_range<T>);
  HWY_DYNAMIC_DISPATCH_T(table)(a, heads, d, n, x, out);
}

template <class T>
void leaky_dot_backward(const T* a, std::size_t heads, std::size_t d, std::size_t n, const T* x, const T* out, T* to_a, T* to_x) {
  HWY_EXPORT_T(table, leaky_dot_range_backward<T>);
  HWY_DYNAMIC_DISPATCH_T(table)(a, heads, d, n, x, out, to_a, to_x);
}

template <class T>
void convolve(const Convolution<T>& x, std::size_t begin, std::size_t end, T* out) {
  HWY_EXPORT_T(table, convolve_range<T>);
  HWY_DYNAMIC_DISPATCH_T(table)(x, begin, end, out);
}

template <class T>
void convolve_backward(const Convolution<T>& x, std::size_t begin, std::size_t end, const T* out, T* target, T* source, T* term) {
  HWY_EXPORT_T(table, convolve_range_backward<T>);
  HWY_DYNAMIC_DISPATCH_T(table)(x, begin, end, out, target, source, term);
}

template <class T>
void segment_log_softmax(const std::int32_t* start, std::size_t begin, std::size_t end, const T* x, T* out) {
  HWY_EXPORT_T(table, log_softmax<T>);
  HWY_DYNAMIC_DISPATCH_T(table)(start, begin, end, x, out);
}

template <class T>
void segment_log_softmax_backward(const std::int32_t* start, std::size_t begin, std::size_t end, const T* y, const T* out, T* x) {
  HWY_EXPORT_T(table, log_softmax_backward<T>);
  HWY_DYNAMIC_DISPATCH_T(table)(start, begin, end, y, out, x);
}

#define BOUGH_INSTANTIATE(T)                                                                                                              \
  template void attend(const SumAttention<T>&, std::size_t, std::size_t, AttentionWeights<T>, T*);                                          \
  template void attend(const ConcatAttention<T>&, std::size_t, std::size_t, AttentionWeights<T>, T*);                                       \
  template void attend_backward(const SumAttention<T>&, std::size_t, std::size_t, AttentionWeights<const T>, const T*, const SumAttentionGradient<T>&);       \
  template void attend_backward(const ConcatAttention<T>&, std::size_t, std::size_t, AttentionWeights<const T>, const T*, const ConcatAttentionGradient<T>&); \
  template void leaky_dot(const T*, std::size_t, std::size_t, std::size_t, const T*, T*);                                                   \
  template void leaky_dot_backward(const T*, std::size_t, std::size_t, std::size_t, const T*, const T*, T*, T*);                            \
  template void convolve(const Convolution<T>&, std::size_t, std::size_t, T*);                                                              \
  template void convolve_backward(const Convolution<T>&, std::size_t, std::size_t, const T*, T*, T*, T*);                                   \
  template void segment_log_softmax(const std::int32_t*, std::size_t, std::size_t, const T*, T*);                                           \
  template void segment_log_softmax_backward(const std::int32_t*, std::size_t, std::size_t, const T*, const T*, T*);
BOUGH_INSTANTIATE(float)
BOUGH_INSTANTIATE(double)
#undef BOUGH_INSTANTIATE

}  // namespace bough
#endif
