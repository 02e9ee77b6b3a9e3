// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bough/evaluate/record.hpp"

namespace bough::test {

/// An evaluation as `bough evaluate` might give it: two groups of ten instances, two seeds, five policies, with bounds over time, two
/// explained runs and calibrations.  The same on every machine.  Nothing in it was measured.
Evaluation example_evaluation();

}  // namespace bough::test
