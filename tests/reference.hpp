// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bough/model/model.hpp"
#include "bough/observe/graph.hpp"

namespace bough::test {

/// The networks as docs/model.md writes them, in double, node by node and edge by edge, for the whole graph: what the scorer and the
/// trainer are compared with.

/// v' of every variable: sections 1 and 2.
std::vector<double> reference_embeddings(const Model& model, const BipartiteGraph& graph);  // (n_variables, d)

/// Sections 3 and 4: the candidates' logits from the variables' embeddings at the last decisions, the oldest first, the present one
/// last.  Precondition: at least one, at most L, and one only without memory.
std::vector<double> reference_head(const Model& model, std::span<const std::vector<double>* const> embeddings, std::span<const std::int32_t> candidates);

/// All of it.  `history` has the graphs of the last decisions, all on one topology, the oldest first, the present one last.
std::vector<double> reference_logits(const Model& model, std::span<const BipartiteGraph* const> history, std::span<const std::int32_t> candidates);

}  // namespace bough::test
