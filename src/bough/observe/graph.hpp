// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bough {

/// Columns of BipartiteGraph::variable_features (docs/observation.md has the definitions).  The static ones come first.
enum class VariableFeature : std::uint8_t {
  objective, is_binary, is_integer, is_implied_integer, is_continuous,
  has_lower, has_upper, reduced_cost, value, fraction, at_lower, at_upper, age, incumbent, average_incumbent,
  basis_lower, basis_basic, basis_upper, basis_zero
};
inline constexpr std::array<std::string_view, 19> variable_feature_names{
    "objective", "is_binary", "is_integer", "is_implied_integer", "is_continuous",
    "has_lower", "has_upper", "reduced_cost", "value", "fraction", "at_lower", "at_upper", "age", "incumbent", "average_incumbent",
    "basis_lower", "basis_basic", "basis_upper", "basis_zero"};
inline constexpr std::size_t n_variable_features = variable_feature_names.size();
inline constexpr std::size_t n_static_variable_features = 5;

/// Columns of BipartiteGraph::row_features.  The static ones come first.
enum class RowFeature : std::uint8_t { bias, objective_cosine, is_tight, dual, age };
inline constexpr std::array<std::string_view, 5> row_feature_names{"bias", "objective_cosine", "is_tight", "dual", "age"};
inline constexpr std::size_t n_row_features = row_feature_names.size();
inline constexpr std::size_t n_static_row_features = 2;

/// Changes with every change of meaning, order or number of the features above; written into shards and models, checked on load.
inline constexpr std::string_view feature_schema = "gasse-19-5-1/1";

/// Which variable is in which row: the part of a node's observation that stays while SCIP's LP keeps its rows and columns.
///
/// A row node is one finite side of an LP row, written as  a'x <= b:  an equality or a ranged row gives two nodes, first the left
/// side with its signs turned, then the right one.  Edges are stored twice, by row and by variable, in the same order in both:
/// sorted by row, then by variable, and the other way round.
struct Topology {
  std::vector<std::int32_t> row_start{0};      // (n_rows + 1)       row i owns the edges row_start[i] .. row_start[i + 1]
  std::vector<std::int32_t> edge_variable;     // (n_edges)          by row
  std::vector<float> edge_coefficient;         // (n_edges)          by row: +-a_ij / |a_i|
  std::vector<std::int32_t> variable_start{0};  // (n_variables + 1)
  std::vector<std::int32_t> edge_row;          // (n_edges)          by variable
  std::vector<float> edge_coefficient_by_variable;  // (n_edges)

  [[nodiscard]] std::size_t n_rows() const { return row_start.size() - 1; }
  [[nodiscard]] std::size_t n_variables() const { return variable_start.size() - 1; }
  [[nodiscard]] std::size_t n_edges() const { return edge_variable.size(); }

  /// Fills the three vectors of the view by variable from those of the view by row.
  void index_by_variable(std::size_t n_variables);

  bool operator==(const Topology&) const = default;
};

/// What a graph policy sees at a node: the LP as a bipartite graph of its columns and row sides.
struct BipartiteGraph {
  Topology topology;
  std::vector<float> variable_features;  // (n_variables, 19)  variables in the order of the LP's columns
  std::vector<float> row_features;       // (n_rows, 5)

  [[nodiscard]] float variable(std::size_t i, VariableFeature f) const { return variable_features[i * n_variable_features + static_cast<std::size_t>(f)]; }
  [[nodiscard]] float row(std::size_t i, RowFeature f) const { return row_features[i * n_row_features + static_cast<std::size_t>(f)]; }

  bool operator==(const BipartiteGraph&) const = default;
};

}  // namespace bough
