// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "bough/train/batch.hpp"

namespace bough {

/// The sparse parts of the networks as differentiable functions over the kernels of model/sparse.hpp, for float and double.  All
/// tensors are row-major and contiguous and have one type; edges and indices must live until backward is done.

/// p (n_targets, H d), q (n_sources, H d), r (n_terms, H d), a (H, d) -> (n_targets, d)
at::Tensor sum_attention(const PackedEdges& edges, const at::Tensor& p, const at::Tensor& q, const at::Tensor& r, const at::Tensor& a);

/// p, q and r as above, a_q and a_r (H, d) -> (n_targets, d)
at::Tensor concat_attention(const PackedEdges& edges, const at::Tensor& p, const at::Tensor& q, const at::Tensor& r, const at::Tensor& a_q, const at::Tensor& a_r);

/// p (n_targets, d), q (n_sources, d), r (n_terms, d) -> (n_targets, d): the sum over edges of relu(p + q + r)
at::Tensor convolution(const PackedEdges& edges, const at::Tensor& p, const at::Tensor& q, const at::Tensor& r);

/// One step of the GRU behind its two linear layers: input, hidden (n, 3 d), h (n, d) -> (n, d)
at::Tensor gru_gates(const at::Tensor& input, const at::Tensor& hidden, const at::Tensor& h);

/// x (n, d), rows (m) -> (m, d)
at::Tensor gather_rows(const at::Tensor& x, std::span<const std::int64_t> rows);

}  // namespace bough
