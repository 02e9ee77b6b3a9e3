// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "bough/model/edge_terms.hpp"
#include "bough/model/layout.hpp"

namespace bough {

/// What the sources of a half layer send: W = Architecture::width().
struct SourceTable {
  Floats projection;  // (n_sources, W)
  Floats logit;       // (n_sources, H)  concat
  Floats weight;      // (n_sources, H)  its exponential
};

/// One decision as a scorer keeps it: the features, and what has been computed from them so far.  An entry is valid where its flag
/// is set; nothing is computed before a candidate's score depends on it.
struct Frame {
  std::vector<float> variable_features;  // (n_variables, 19)
  std::vector<float> row_features;       // (n_rows, 5)

  std::vector<std::uint8_t> has_variable;  // (n_variables)  variables
  std::size_t n_connected = 0;             ///< variables with a row among them
  SourceTable variables;                   ///< of the first half layer

  std::vector<std::uint8_t> has_row;  // (n_rows)  rows
  SourceTable rows;                   ///< of the second, from c'

  std::vector<std::uint8_t> has_output;  // (n_variables)  output
  Floats output;                         // (n_variables, O)  tgat: the GRU's input projection of v', O = 3d; else v', O = d
};

/// What the edges' coefficients contribute to one half layer.
struct TermTable {
  Floats projection;  // (n_terms, W)  gcnn and sum
  Floats logit;       // (n_terms, H)  concat
  Floats weight;      // (n_terms, H)  its exponential
  bool by_products = false;  ///< whether the logits are small enough for attend_by_products()
};

/// Working memory for a block of nodes that pass through the layers together: small enough for the first-level cache.
inline constexpr std::size_t block_size = 48;
struct Block {
  Floats input;     // (block, 19 or 5)
  Floats hidden;    // (block, max(d, 3d for tgat))
  Floats x;         // (block, d)       the targets' embeddings, then the result
  Floats p;         // (block, W)
  Floats merged;    // (block, 2d)      [gathered, x]
  Floats state;     // (block, d)       GRU
  Floats edge;      // (H, most edges of a node)
  Floats logit;     // (block, H)       concat
  Floats weight;    // (block, H)       its exponential
  Floats self;      // (H)              sum
  std::vector<const float*> rows;  // (block)
};

}  // namespace bough
