// SPDX-License-Identifier: Apache-2.0
//
// The sparse kernels for one instruction set: included once for each by the sources that use them (Highway's foreach_target.h).
// One target at a time; sparse.cpp runs them over ranges for training, scorer.cpp over the targets that a decision needs.
#if defined(BOUGH_MODEL_SPARSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BOUGH_MODEL_SPARSE_INL
#undef BOUGH_MODEL_SPARSE_INL
#else
#define BOUGH_MODEL_SPARSE_INL
#endif

#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>

#include <algorithm>
#include <cstdint>

#include "bough/model/sparse.hpp"

HWY_BEFORE_NAMESPACE();
namespace bough::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vector = hn::Vec<Tag<T>>;

/// Calls f.template operator()<V>(k) so that blocks of V vectors, V <= 4, cover 0 .. n, n a multiple of 16.
template <class T, class F>
HWY_INLINE void for_blocks(std::size_t n, const F& f) {
  const std::size_t lanes = hn::Lanes(Tag<T>());
  std::size_t k = 0;
  for (; k + 4 * lanes <= n; k += 4 * lanes) f.template operator()<4>(k);
  if (k + 2 * lanes <= n) {
    f.template operator()<2>(k);
    k += 2 * lanes;
  }
  if (k < n) f.template operator()<1>(k);
}

template <class T>
HWY_INLINE Vector<T> leaky_relu(Vector<T> x) {
  return hn::Max(x, hn::Mul(x, hn::Set(Tag<T>(), T(0.2))));
}

/// a' b over n elements, n a multiple of 16.
template <class T>
HWY_INLINE T dot(const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, std::size_t n) {
  const Tag<T> tag;
  auto sum = hn::Zero(tag);
  for (std::size_t k = 0; k < n; k += hn::Lanes(tag)) sum = hn::MulAdd(hn::LoadU(tag, a + k), hn::LoadU(tag, b + k), sum);
  return hn::ReduceSum(tag, sum);
}

/// Calls f(k, number of elements, vector) for the vectors that cover 0 .. n, any n; lanes of the last one beyond n are `beyond`.
template <class T, class F>
HWY_INLINE void for_vectors(const T* x, std::size_t n, T beyond, const F& f) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) f(k, lanes, hn::LoadU(tag, x + k));
  if (k < n) f(k, n - k, hn::LoadNOr(hn::Set(tag, beyond), tag, x + k, n - k));
}

/// The highest of n numbers, or `least` if that is higher.
template <class T>
HWY_INLINE T maximum(const T* x, std::size_t n, T least) {
  auto highest = hn::Set(Tag<T>(), least);
  for_vectors(x, n, least, [&](std::size_t, std::size_t, Vector<T> v) HWY_ATTR { highest = hn::Max(highest, v); });
  return hn::ReduceMax(Tag<T>(), highest);
}

/// y = exp(x - shift) for n numbers; returns their sum.
template <class T>
HWY_INLINE T exponentials(const T* x, std::size_t n, T shift, T* y) {
  const Tag<T> tag;
  auto sum = hn::Zero(tag);
  for_vectors(x, n, shift, [&](std::size_t k, std::size_t count, Vector<T> v) HWY_ATTR {
    const auto e = hn::Exp(tag, hn::Sub(v, hn::Set(tag, shift)));
    hn::StoreN(e, tag, y + k, count);
    sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(tag, count), e));
  });
  return hn::ReduceSum(tag, sum);
}

/// Softmax over a target's edges and itself, for each head: logits in, weights out.  edge (H, n_edges), self (H).
template <class T>
HWY_INLINE void softmax(std::size_t heads, std::size_t n_edges, T* HWY_RESTRICT edge, T* HWY_RESTRICT self) {
  const Tag<T> tag;
  for (std::size_t h = 0; h < heads; ++h, edge += n_edges) {
    const T highest = maximum(edge, n_edges, self[h]);
    exponentials(self + h, 1, highest, self + h);  // the same function as for the edges: equal logits get equal weights
    const T scale = T(1) / (exponentials(edge, n_edges, highest, edge) + self[h]);
    for_vectors(edge, n_edges, T(0), [&](std::size_t k, std::size_t count, Vector<T> v) HWY_ATTR { hn::StoreN(hn::Mul(v, hn::Set(tag, scale)), tag, edge + k, count); });
    self[h] *= scale;
  }
}

/// out = 1/H sum over heads of  w_ii p_i + sum_j w_ij q_j.
template <class T>
HWY_INLINE void weighted_sum(const std::int32_t* HWY_RESTRICT sources, std::size_t n_edges, std::size_t heads, std::size_t d, const T* HWY_RESTRICT p,
                             const T* HWY_RESTRICT q, const T* HWY_RESTRICT edge, const T* HWY_RESTRICT self, T* HWY_RESTRICT out) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto mean = hn::Set(tag, T(1) / static_cast<T>(heads));
  for_blocks<T>(d, [&]<std::size_t V>(std::size_t k) HWY_ATTR {
    Vector<T> sum[V];
    for (std::size_t v = 0; v < V; ++v) sum[v] = hn::Zero(tag);
    for (std::size_t h = 0; h < heads; ++h) {
      const auto w = hn::Set(tag, self[h]);
      for (std::size_t v = 0; v < V; ++v) sum[v] = hn::MulAdd(w, hn::LoadU(tag, p + h * d + k + v * lanes), sum[v]);
    }
    for (std::size_t e = 0; e < n_edges; ++e) {
      const T* HWY_RESTRICT from = q + static_cast<std::size_t>(sources[e]) * heads * d + k;
      for (std::size_t h = 0; h < heads; ++h) {
        const auto w = hn::Set(tag, edge[h * n_edges + e]);
        for (std::size_t v = 0; v < V; ++v) sum[v] = hn::MulAdd(w, hn::LoadU(tag, from + h * d + v * lanes), sum[v]);
      }
    }
    for (std::size_t v = 0; v < V; ++v) hn::StoreU(hn::Mul(sum[v], mean), tag, out + k + v * lanes);
  });
}

/// One target of attend(), with its projection p (H, d), which need not lie in x.target: edge (H, n_edges of the target), self (H), out (d).
template <class T>
HWY_INLINE void attend_one(const SumAttention<T>& x, std::size_t i, const T* HWY_RESTRICT p, T* HWY_RESTRICT edge, T* HWY_RESTRICT self, T* HWY_RESTRICT out) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const std::size_t width = x.heads * x.d;
  const auto begin = static_cast<std::size_t>(x.edges.start[i]);
  const std::size_t n_edges = static_cast<std::size_t>(x.edges.start[i + 1]) - begin;
  for (std::size_t h = 0; h < x.heads; ++h) {
    auto logit = hn::Zero(tag);
    for (std::size_t k = h * x.d; k < (h + 1) * x.d; k += lanes) {
      const auto pk = hn::LoadU(tag, p + k);
      logit = hn::MulAdd(hn::LoadU(tag, x.attention + k), leaky_relu<T>(hn::Add(pk, pk)), logit);
    }
    self[h] = hn::ReduceSum(tag, logit);
  }
  for (std::size_t e = 0; e < n_edges; ++e) {
    const T* HWY_RESTRICT q = x.source + static_cast<std::size_t>(x.edges.source[begin + e]) * width;
    const T* HWY_RESTRICT r = x.term + static_cast<std::size_t>(x.edges.term[begin + e]) * width;
    for (std::size_t h = 0; h < x.heads; ++h) {
      auto logit = hn::Zero(tag);
      for (std::size_t k = h * x.d; k < (h + 1) * x.d; k += lanes) {
        const auto z = hn::Add(hn::Add(hn::LoadU(tag, p + k), hn::LoadU(tag, r + k)), hn::LoadU(tag, q + k));
        logit = hn::MulAdd(hn::LoadU(tag, x.attention + k), leaky_relu<T>(z), logit);
      }
      edge[h * n_edges + e] = hn::ReduceSum(tag, logit);
    }
  }
  softmax(x.heads, n_edges, edge, self);
  weighted_sum(x.edges.source + begin, n_edges, x.heads, x.d, p, x.source, edge, self, out);
}

/// Here `self` comes with the target's own logits.
template <class T>
HWY_INLINE void attend_one(const ConcatAttention<T>& x, std::size_t i, const T* HWY_RESTRICT p, T* HWY_RESTRICT edge, T* HWY_RESTRICT self, T* HWY_RESTRICT out) {
  const auto begin = static_cast<std::size_t>(x.edges.start[i]);
  const std::size_t n_edges = static_cast<std::size_t>(x.edges.start[i + 1]) - begin;
  for (std::size_t e = 0; e < n_edges; ++e) {
    const T* HWY_RESTRICT t = x.source_logit + static_cast<std::size_t>(x.edges.source[begin + e]) * x.heads;
    const T* HWY_RESTRICT u = x.term_logit + static_cast<std::size_t>(x.edges.term[begin + e]) * x.heads;
    for (std::size_t h = 0; h < x.heads; ++h) edge[h * n_edges + e] = t[h] + u[h];
  }
  softmax(x.heads, n_edges, edge, self);
  weighted_sum(x.edges.source + begin, n_edges, x.heads, x.d, p, x.source, edge, self, out);
}

/// One target of convolve(), with its projection (d): out (d).
template <class T>
HWY_INLINE void convolve_one(const Convolution<T>& x, std::size_t i, const T* HWY_RESTRICT projection, T* HWY_RESTRICT out) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto begin = static_cast<std::size_t>(x.edges.start[i]);
  const auto end = static_cast<std::size_t>(x.edges.start[i + 1]);
  for_blocks<T>(x.d, [&]<std::size_t V>(std::size_t k) HWY_ATTR {
    Vector<T> sum[V];
    Vector<T> p[V];
    for (std::size_t v = 0; v < V; ++v) {
      sum[v] = hn::Zero(tag);
      p[v] = hn::LoadU(tag, projection + k + v * lanes);
    }
    for (std::size_t e = begin; e < end; ++e) {
      const T* HWY_RESTRICT q = x.source + static_cast<std::size_t>(x.edges.source[e]) * x.d + k;
      const T* HWY_RESTRICT r = x.term + static_cast<std::size_t>(x.edges.term[e]) * x.d + k;
      for (std::size_t v = 0; v < V; ++v) {
        const auto z = hn::Add(hn::Add(p[v], hn::LoadU(tag, r + v * lanes)), hn::LoadU(tag, q + v * lanes));
        sum[v] = hn::Add(sum[v], hn::Max(hn::Zero(tag), z));
      }
    }
    for (std::size_t v = 0; v < V; ++v) hn::StoreU(sum[v], tag, out + k + v * lanes);
  });
}

}  // namespace bough::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
