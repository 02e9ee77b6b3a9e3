// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>

#include "bough/observe/policy.hpp"

namespace bough {

/// What the rule counted during a solve; all zero if one of SCIP's own rules decided.
struct BranchingCounts {
  std::int64_t n_decisions = 0;
  std::int64_t n_fallbacks = 0;  ///< nodes where a score was not finite and SCIP's default rule decided instead
};

/// Makes `policy` the one that branches in `scip`; both references must outlive the solve.
///
/// One of SCIP's own rules gets the highest priority.  For any other policy a rule `bough` is added: it scores the candidates and
/// branches on the best, the first among equals.  If a score is not finite it leaves the node to the next rule, SCIP's default,
/// and counts that.  Sub-problems of SCIP's heuristics are not touched: they branch with SCIP's own rules.
void install_policy(SCIP* scip, Policy& policy, BranchingCounts& counts, std::exception_ptr& callback_error);

}  // namespace bough
