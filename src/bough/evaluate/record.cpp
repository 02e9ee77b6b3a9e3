// SPDX-License-Identifier: Apache-2.0
#include "bough/evaluate/record.hpp"

namespace bough {

std::int64_t RunRecord::n_fallbacks() const {
  std::int64_t n = 0;
  for (const auto& [reason, count] : fallbacks) n += count;
  return n;
}

}  // namespace bough
