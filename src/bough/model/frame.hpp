// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "bough/model/edge_terms.hpp"
#include "bough/model/layout.hpp"

namespace bough {

/// One decision as a scorer keeps it: the features, and what has been computed from them so far.  An entry is valid where its flag
/// is set; nothing is computed before a candidate's score depends on it.
struct Frame {
  std::vector<float> variable_features;  // (n_variables, 19)
  std::vector<float> row_features;       // (n_rows, 5)

  std::vector<std::uint8_t> has_variable;  // (n_variables)  v, q, q_logit
  std::size_t n_connected = 0;             ///< variables with a row among them
  Floats v;                                // (n_variables, d)   embedding
  Floats q;                                // (n_variables, W)   the first half layer's source projection; W = Architecture::width()
  Floats q_logit;                          // (n_variables, H)   concat

  std::vector<std::uint8_t> has_row;  // (n_rows)  s, s_logit
  Floats s;                           // (n_rows, W)  the second half layer's source projection of c'
  Floats s_logit;                     // (n_rows, H)  concat

  std::vector<std::uint8_t> has_output;  // (n_variables)  output
  Floats output;                         // (n_variables, O)  tgat: the GRU's input projection of v', O = 3d; else v', O = d
};

/// What the edges' coefficients contribute to one half layer.
struct TermTable {
  Floats projection;  // (n_terms, W)  gcnn and sum
  Floats logit;       // (n_terms, H)  concat
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
  Floats self;      // (H)
  std::vector<const float*> rows;  // (block)
};

}  // namespace bough
