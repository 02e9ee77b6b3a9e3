// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <new>
#include <vector>

#include "bough/model/model.hpp"

namespace bough {

/// Memory that is aligned for any vector register; std::bad_alloc if there is none, which Highway's own allocator does not tell.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{HWY_ALIGNMENT};

  AlignedAllocator() = default;
  template <class Other>
  explicit(false) AlignedAllocator(const AlignedAllocator<Other>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* at, std::size_t) { ::operator delete(at, alignment); }
  bool operator==(const AlignedAllocator&) const = default;
};

/// Floats whose first one is aligned for any vector register.
using Floats = std::vector<float, AlignedAllocator<float>>;

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
