// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bough/milp.hpp"
#include "bough/rng.hpp"
#include "bough/scip/run.hpp"
#include "bough/scip/scip.hpp"
#include "bough/scip/settings.hpp"

namespace bough::test {

/// Solves the problem of `scip` and calls `visit` at every branching decision.  `visit` returns what SCIP is told: SCIP_DIDNOTRUN
/// leaves the decision to the rule of the next lower priority, which is pseudo-cost branching unless the settings say otherwise.
/// `begin`, if there is one, is called when branch and bound begins, for the first time and after every restart.
RunStatistics solve_visiting(SCIP* scip, const std::function<SCIP_RESULT(SCIP*)>& visit, std::function<void(SCIP*)> begin = {});

/// Adds a rule that calls `visit` at every branching decision, before all rules of lower priority.
void include_visitor(SCIP* scip, int priority, std::function<SCIP_RESULT(SCIP*)> visit, std::function<void(SCIP*)> begin = {});

/// The names of all families, for suites that run over the registry.
std::vector<std::string> family_names();

/// Settings under which SCIP solves the LP relaxation as it is written and then branches: no presolving, cuts, heuristics,
/// propagation or conflict analysis.
Settings plain_lp();

/// Parameters that switch every heuristic off.
std::vector<std::pair<std::string, std::string>> without_heuristics();

/// Settings that make SCIP change the LP as much as it can, by name: root cuts only, cuts in the tree with rows that leave the LP
/// as soon as they are not tight, and restarts.
std::vector<std::pair<std::string, Settings>> restless_settings();

/// A small feasible MILP with every kind of variable (binary, integer, continuous, free, implied integral after presolving) and of
/// row (<=, >=, ranged, equality).
Milp mixed_milp(std::uint64_t seed);

}  // namespace bough::test
