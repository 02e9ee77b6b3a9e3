// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

namespace bough {

/// No NaN and no infinity leaves extraction: unknown is 0, and nothing is larger than what SCIP itself calls infinite.
inline float feature_value(double value) {
  constexpr double largest = 1e20;
  return std::isnan(value) ? 0.0F : static_cast<float>(std::clamp(value, -largest, largest));
}

}  // namespace bough
