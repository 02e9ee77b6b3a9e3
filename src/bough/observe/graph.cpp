// SPDX-License-Identifier: Apache-2.0
#include "bough/observe/graph.hpp"

namespace bough {

void Topology::index_by_variable(std::size_t n_variables) {
  variable_start.assign(n_variables + 1, 0);
  for (const std::int32_t j : edge_variable) ++variable_start[static_cast<std::size_t>(j) + 1];
  for (std::size_t j = 0; j < n_variables; ++j) variable_start[j + 1] += variable_start[j];
  edge_row.resize(edge_variable.size());
  edge_coefficient_by_variable.resize(edge_variable.size());
  // Rows in order, so each variable's edges come out sorted by row.  variable_start serves as the cursor and is put back afterwards.
  for (std::size_t i = 0; i < n_rows(); ++i) {
    for (auto e = static_cast<std::size_t>(row_start[i]); e < static_cast<std::size_t>(row_start[i + 1]); ++e) {
      const auto place = static_cast<std::size_t>(variable_start[static_cast<std::size_t>(edge_variable[e])]++);
      edge_row[place] = static_cast<std::int32_t>(i);
      edge_coefficient_by_variable[place] = edge_coefficient[e];
    }
  }
  for (std::size_t j = n_variables; j > 0; --j) variable_start[j] = variable_start[j - 1];
  variable_start[0] = 0;
}

}  // namespace bough
