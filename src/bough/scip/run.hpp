// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "bough/scip/scip.hpp"

namespace bough {

/// The bounds at one moment of a solve.  Infinite bounds are +-infinity in the objective's own sense.
struct TracePoint {
  double time_s;
  double primal_bound;
  double dual_bound;
  double gap;  ///< SCIP's: |primal - dual| / min(|primal|, |dual|); infinite without an incumbent
  std::int64_t n_nodes;
};

struct RunOptions {
  /// Called whenever either bound has improved.
  std::function<void(const TracePoint&)> on_progress{};
  /// Called when the root node is done for the first time.
  std::function<void()> on_root_done{};
  /// If given, the time limit counts from the end of the root node; what a branching rule took in it, for the first decision, is within the limit.
  std::optional<double> time_limit_after_root_s{};
};

/// What a solve left behind, as plain numbers.
struct RunStatistics {
  std::string status;         ///< optimal, infeasible, unbounded, infeasible-or-unbounded, objective-limit, time-limit, node-limit, ..., interrupted
  bool proven = false;        ///< the status is final: no limit and no interrupt stopped the search
  bool maximise = false;
  double primal_bound = 0;    ///< +-infinity if there is no solution
  double dual_bound = 0;
  double gap = 0;
  std::int64_t n_solutions = 0;
  std::int64_t n_nodes = 0;        ///< over all restarts
  std::int64_t n_runs = 0;         ///< 1 + restarts
  std::int64_t n_lp_iterations = 0;
  std::int64_t n_strong_branching_iterations = 0;
  std::int64_t n_branching_reductions = 0;  ///< domains that branching rules tightened, by strong branching
  std::int64_t n_branching_cutoffs = 0;     ///< nodes that they ended
  int max_depth = 0;
  double time_s = 0;               ///< SCIP's clock, from the start of presolving (reading not included)
  double presolve_time_s = 0;
  double root_time_s = 0;          ///< presolving and root nodes, their branching included, of all runs; not the trees that SCIP restarted out of
  double root_branching_time_s = 0;  ///< of it, what branching rules took: the choice at a root is theirs, and may be most of a root node
  std::optional<double> lp_time_s;  ///< node LPs, strong branching not included; empty if SCIP's statistics cannot be parsed
  double branching_time_s = 0;     ///< all branching rules, strong branching included
  double heuristics_time_s = 0;    ///< all primal heuristics, their LPs and sub-problems included
  std::string scip_statistics;     ///< SCIP's own, as JSON text; "null" if not valid JSON (SCIP does not escape a problem's name)
};

/// Solves the problem of `scip`.  An exception that a callback left in `callback_error` (guarded()) is rethrown here.
RunStatistics run(SCIP* scip, const RunOptions& options, std::exception_ptr& callback_error);

}  // namespace bough
