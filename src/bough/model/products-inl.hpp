// SPDX-License-Identifier: Apache-2.0
//
// Concat attention for a solver that only wants the result, for one instruction set (see sparse-inl.hpp).
#if defined(BOUGH_MODEL_PRODUCTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BOUGH_MODEL_PRODUCTS_INL
#undef BOUGH_MODEL_PRODUCTS_INL
#else
#define BOUGH_MODEL_PRODUCTS_INL
#endif

#include "bough/model/sparse-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace bough::HWY_NAMESPACE {

// A logit of concat attention is a sum, t_j + u_ij, so its exponential is a product of two that are there before any edge is looked at: one pass over the edges
// and no exponential in it.  Unlike in a softmax that first subtracts the highest logit, a float may have no room for them.  With |u| <= 30 and a sum of products
// within 1e-18 .. 1e18 nothing is lost: e^t below float's least number, 1e-38, would add 1e-38 e^30 = 1e-25 at most, and a t of 80 gives e^(80 - 30) = 5e21 at least.
constexpr float largest_term_logit = 30;
constexpr float least_total = 1e-18F;
constexpr float most_total = 1e18F;

/// e^logit for n numbers, at most e^80: Highway's Exp has no upper limit of its own.
HWY_INLINE void exponentials_of_logits(const float* HWY_RESTRICT logit, std::size_t n, float* HWY_RESTRICT weight) {
  const Tag<float> tag;
  const auto most = hn::Set(tag, 80.0F);
  for_vectors(logit, n, 0.0F, [&](std::size_t k, std::size_t count, Vector<float> x) HWY_ATTR { hn::StoreN(hn::Exp(tag, hn::Min(most, x)), tag, weight + k, count); });
}

/// The exponentials of ConcatAttention's logits.
struct ConcatWeights {
  const float* source;  // (n_sources, H)  e^t
  const float* term;    // (n_terms, H)    e^u
};

/// N heads from h on, V vectors from k on, of attend_by_products().
template <std::size_t N, std::size_t V>
HWY_INLINE bool attend_to_heads(const ConcatAttention<float>& x, const ConcatWeights& weights, std::size_t i, std::size_t h, std::size_t k, const float* HWY_RESTRICT p,
                                const float* HWY_RESTRICT self, float* HWY_RESTRICT out) {
  const Tag<float> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const std::size_t offset = h * x.d + k;
  Vector<float> sum[N][V];
  Vector<float> total[N];
  for (std::size_t n = 0; n < N; ++n) {
    total[n] = hn::Set(tag, self[h + n]);
    for (std::size_t v = 0; v < V; ++v) sum[n][v] = hn::Mul(total[n], hn::LoadU(tag, p + offset + n * x.d + v * lanes));
  }
  const auto end = static_cast<std::size_t>(x.edges.start[i + 1]);
  for (auto e = static_cast<std::size_t>(x.edges.start[i]); e < end; ++e) {
    const auto j = static_cast<std::size_t>(x.edges.source[e]);
    const float* HWY_RESTRICT q = x.source + j * x.heads * x.d + offset;
    const float* HWY_RESTRICT t = weights.source + j * x.heads + h;
    const float* HWY_RESTRICT u = weights.term + static_cast<std::size_t>(x.edges.term[e]) * x.heads + h;
    for (std::size_t n = 0; n < N; ++n) {
      const auto w = hn::Set(tag, t[n] * u[n]);
      total[n] = hn::Add(total[n], w);
      for (std::size_t v = 0; v < V; ++v) sum[n][v] = hn::MulAdd(w, hn::LoadU(tag, q + n * x.d + v * lanes), sum[n][v]);
    }
  }
  const auto heads = hn::Set(tag, static_cast<float>(x.heads));
  bool in_range = true;
  for (std::size_t n = 0; n < N; ++n) {
    const float all = hn::GetLane(total[n]);
    in_range = in_range && all > least_total && all < most_total;
    const auto scale = hn::Div(hn::Set(tag, 1.0F), hn::Mul(heads, total[n]));
    for (std::size_t v = 0; v < V; ++v) {
      float* to = out + k + v * lanes;
      const auto before = h + n == 0 ? hn::Zero(tag) : hn::LoadU(tag, to);
      hn::StoreU(hn::MulAdd(sum[n][v], scale, before), tag, to);
    }
  }
  return in_range;
}

/// One target of attend(ConcatAttention), with its projection p (H, d) and e^s of its own logits in `self` (H): out (d).  False if a sum leaves the range above;
/// `out` then means nothing.  Precondition: |u| <= largest_term_logit.
HWY_INLINE bool attend_by_products(const ConcatAttention<float>& x, const ConcatWeights& weights, std::size_t i, const float* HWY_RESTRICT p, const float* HWY_RESTRICT self,
                                   float* HWY_RESTRICT out) {
  bool in_range = true;
  for (std::size_t h = 0; h < x.heads; h += 2) {
    for_blocks<float>(x.d, [&]<std::size_t V>(std::size_t k) HWY_ATTR {
      const bool good = h + 1 < x.heads ? attend_to_heads<2, V>(x, weights, i, h, k, p, self, out) : attend_to_heads<1, V>(x, weights, i, h, k, p, self, out);
      in_range = in_range && good;
    });
  }
  return in_range;
}

}  // namespace bough::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
