// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bough/train/checkpoint.hpp"

namespace bough {

/// Loss and top-1 accuracy over the epochs, of training and validation, as a picture that is readable on light and dark pages.
std::string learning_curve_svg(const std::vector<EpochRecord>& epochs);

}  // namespace bough
