// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bough/model/model.hpp"
#include "bough/observe/graph.hpp"

namespace bough::test {

/// Architectures of every network and attention; together they have every d in {16, 32, 64}, H in {1, 2, 3} and L in {1, 2, 4}.
std::vector<Architecture> all_architectures();

/// "tgat_concat_d32_h2_l4": a name for a test's parameter.
std::string name_of(const Architecture& architecture);

/// Weights uniform in +- scale sqrt(6 / (in + out)), biases and attention vectors likewise, statistics as a training set would give
/// them: means around 0, deviations and scales positive.
Model random_model(const Architecture& architecture, std::uint64_t seed, float scale = 1);

/// Every element of every tensor is `value`.
Model constant_model(const Architecture& architecture, float value);

/// Row sides and variables with about density * n_rows * n_variables edges: some equalities (two rows with opposite signs, one after
/// the other), a row without edges, variables without edges, coefficients of which many are equal.
BipartiteGraph random_graph(std::size_t n_rows, std::size_t n_variables, double density, std::uint64_t seed);

/// The graph of a later decision on the same topology: other values for the features that are not static.
BipartiteGraph next_graph(const BipartiteGraph& graph, std::uint64_t seed);

/// 4 rows, 6 variables, 9 edges and features by a formula that never changes: recorded logits belong to it.  `decision` shifts the
/// features that are not static.
BipartiteGraph fixed_graph(std::size_t decision);

/// The architecture of tests/data/model-1-NETWORK.safetensors: d = 16, two heads, a memory of 2, gat with sum, tgat with concat.
Architecture recorded_architecture(Network network);

}  // namespace bough::test
