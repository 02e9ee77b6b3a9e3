// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>

#include "bough/model/model.hpp"

namespace bough {

/// Floats whose first one is aligned for any vector register.
using Floats = hwy::AlignedVector<float>;

/// y = W x + b.
struct Layer {
  std::size_t in = 0;
  std::size_t out = 0;  ///< a multiple of 16
  Floats weight;        // (in, out)  turned over, so that a vector register holds consecutive outputs
  Floats bias;          // (out)
};

/// n(x) = (x - mean) * scale.
struct Normalisation {
  Floats mean;   // (n_features)
  Floats scale;  // (n_features)
};

/// One half layer (docs/model.md section 2).
struct HalfLayer {
  Layer target;
  Layer source;
  Layer edge;
  Floats attention;         // (H, d)  sum: a;  concat: a_q
  Floats attention_edge;    // (H, d)  concat: a_r
  Normalisation gathered;
  Layer post_0;             ///< of [gathered, x]
  Layer post_1;
};

/// A model's weights as inference reads them.
struct Layout {
  explicit Layout(const Model& model);

  Architecture architecture;
  Normalisation variable_input;
  Normalisation row_input;
  Normalisation edge_input;
  Layer variable_0;
  Layer variable_1;
  Layer row_0;
  Layer row_1;
  Layer edge_embed;  ///< attention only
  HalfLayer rows;
  HalfLayer variables;
  Layer gru_input;   ///< tgat only, as is the next
  Layer gru_hidden;
  Layer head_0;
  Floats head_1;     // (d)
};

}  // namespace bough
