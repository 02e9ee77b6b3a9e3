// SPDX-License-Identifier: Apache-2.0
//
// Dense layers on small blocks of rows, for one instruction set (see sparse-inl.hpp).  Linear layers in float only: training has libtorch.
#if defined(BOUGH_MODEL_DENSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BOUGH_MODEL_DENSE_INL
#undef BOUGH_MODEL_DENSE_INL
#else
#define BOUGH_MODEL_DENSE_INL
#endif

#include "bough/model/layout.hpp"
#include "bough/model/sparse-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace bough::HWY_NAMESPACE {

/// R rows of y = W x + b, V vectors of outputs at a time: R x V sums stay in registers, a weight is loaded once for R rows.
template <std::size_t R, std::size_t V, bool Relu>
HWY_INLINE void linear_tile(const Layer& layer, std::size_t o, const float* HWY_RESTRICT x, std::size_t x_stride, float* HWY_RESTRICT y, std::size_t y_stride) {
  const Tag<float> tag;
  const std::size_t lanes = hn::Lanes(tag);
  Vector<float> sum[R][V];
  for (std::size_t v = 0; v < V; ++v) {
    const auto bias = hn::Load(tag, layer.bias.data() + o + v * lanes);
    for (std::size_t r = 0; r < R; ++r) sum[r][v] = bias;
  }
  const float* HWY_RESTRICT weight = layer.weight.data() + o;
  for (std::size_t k = 0; k < layer.in; ++k, weight += layer.out) {
    Vector<float> w[V];
    for (std::size_t v = 0; v < V; ++v) w[v] = hn::Load(tag, weight + v * lanes);
    for (std::size_t r = 0; r < R; ++r) {
      const auto xk = hn::Set(tag, x[r * x_stride + k]);
      for (std::size_t v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(xk, w[v], sum[r][v]);
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < V; ++v) {
      const auto result = Relu ? hn::Max(hn::Zero(tag), sum[r][v]) : sum[r][v];  // in this order x86 keeps a NaN, so that a score that means nothing is seen
      hn::StoreU(result, tag, y + r * y_stride + o + v * lanes);
    }
  }
}

template <std::size_t R, bool Relu>
HWY_INLINE void linear_rows(const Layer& layer, const float* x, std::size_t x_stride, float* y, std::size_t y_stride) {
  const std::size_t lanes = hn::Lanes(Tag<float>());
  std::size_t o = 0;
  for (; o + 2 * lanes <= layer.out; o += 2 * lanes) linear_tile<R, 2, Relu>(layer, o, x, x_stride, y, y_stride);
  if (o < layer.out) linear_tile<R, 1, Relu>(layer, o, x, x_stride, y, y_stride);
}

/// y = W x + b, or its positive part, for n rows.
template <bool Relu = false>
HWY_INLINE void linear(const Layer& layer, std::size_t n, const float* x, std::size_t x_stride, float* y, std::size_t y_stride) {
  constexpr std::size_t tile = 6;  // 6 x 2 sums and 3 operands: the 16 registers of AVX2
  std::size_t r = 0;
  for (; r + tile <= n; r += tile) linear_rows<tile, Relu>(layer, x + r * x_stride, x_stride, y + r * y_stride, y_stride);
  if (r + 3 <= n) {
    linear_rows<3, Relu>(layer, x + r * x_stride, x_stride, y + r * y_stride, y_stride);
    r += 3;
  }
  for (; r < n; ++r) linear_rows<1, Relu>(layer, x + r * x_stride, x_stride, y + r * y_stride, y_stride);
}

/// For each of n rows and each head  a' LeakyReLU(x): x (n, H, d), out (n, H).
template <class T>
HWY_INLINE void attention_logits(const T* HWY_RESTRICT attention, std::size_t heads, std::size_t d, std::size_t n, const T* HWY_RESTRICT x, T* HWY_RESTRICT out) {
  const Tag<T> tag;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t h = 0; h < heads; ++h) {
      auto sum = hn::Zero(tag);
      for (std::size_t k = h * d; k < (h + 1) * d; k += hn::Lanes(tag)) {
        sum = hn::MulAdd(hn::LoadU(tag, attention + k), leaky_relu<T>(hn::LoadU(tag, x + i * heads * d + k)), sum);
      }
      out[i * heads + h] = hn::ReduceSum(tag, sum);
    }
  }
}

/// One step of the GRU for n rows: from_input and from_hidden (n, 3d) are the two linear layers' results, h (n, d) the state.
HWY_INLINE void gru_step(std::size_t n, std::size_t d, const float* const* from_input, const float* HWY_RESTRICT from_hidden, std::size_t hidden_stride, float* HWY_RESTRICT h) {
  const Tag<float> tag;
  const auto one = hn::Set(tag, 1.0F);
  const auto most = hn::Set(tag, 80.0F);  // Highway's Exp has no upper limit of its own: beyond 177 its result is no longer infinite but anything; 1 / (1 + e^80) is 0 to any gate
  const auto sigmoid = [&](Vector<float> x) HWY_ATTR { return hn::Div(one, hn::Add(one, hn::Exp(tag, hn::Min(most, hn::Neg(x))))); };
  for (std::size_t i = 0; i < n; ++i) {
    const float* HWY_RESTRICT x = from_input[i];
    const float* HWY_RESTRICT u = from_hidden + i * hidden_stride;
    for (std::size_t k = 0; k < d; k += hn::Lanes(tag)) {
      const auto reset = sigmoid(hn::Add(hn::LoadU(tag, x + k), hn::LoadU(tag, u + k)));
      const auto keep = sigmoid(hn::Add(hn::LoadU(tag, x + d + k), hn::LoadU(tag, u + d + k)));
      const auto next = hn::Tanh(tag, hn::MulAdd(reset, hn::LoadU(tag, u + 2 * d + k), hn::LoadU(tag, x + 2 * d + k)));
      const auto before = hn::LoadU(tag, h + i * d + k);
      hn::StoreU(hn::MulAdd(keep, hn::Sub(before, next), next), tag, h + i * d + k);
    }
  }
}

}  // namespace bough::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
