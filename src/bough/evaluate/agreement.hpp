// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "bough/evaluate/record.hpp"

namespace bough {

/// Values that differ by no more than this, relative to the larger of them and 1, are the same: SCIP's feasibility tolerance.
inline constexpr double agreement_tolerance = 1e-6;

/// Records of an instance that contradict each other, or its reference: different proven optima, a proven "infeasible" beside a
/// solution, a dual bound beyond a known solution, a solution better than a proven optimum; and a solution that does not hold in the instance's file.  All seeds of an instance are compared,
/// complete or not: they permute the problem, its optimum stays.  A run is named at most twice (its solution, its dual bound).
///
/// Otherwise only runs that are done count.  "objective-limit" says no more than that nothing is better than the limit.
std::vector<Disagreement> disagreements(const Evaluation& evaluation);

}  // namespace bough
