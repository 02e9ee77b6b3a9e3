// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "bough/observe/graph.hpp"

namespace bough {

/// The distinct coefficients of a topology.  What a network computes from an edge's coefficient alone it computes once for each of
/// them: an LP with 34,000 edges often has less than a hundred.
struct EdgeTerms {
  std::vector<float> coefficient;        // (n_terms)  in the order of their first edge by row
  std::vector<std::int32_t> by_row;      // (n_edges)  edge -> term, edges in the order of Topology::edge_variable
  std::vector<std::int32_t> by_variable;  // (n_edges)  the same for Topology::edge_row

  /// Reuses the memory of an earlier topology.
  void index(const Topology& topology);

 private:
  std::vector<std::int32_t> slots_;  // hash table: term or -1
};

}  // namespace bough
