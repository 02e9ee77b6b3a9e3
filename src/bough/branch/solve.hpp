// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "bough/branch/explain.hpp"
#include "bough/branch/policies.hpp"
#include "bough/branch/rule.hpp"
#include "bough/scip/run.hpp"
#include "bough/scip/settings.hpp"
#include "bough/scip/solution.hpp"

namespace bough {

/// One solve of one file with one policy.
struct SolveRequest {
  std::filesystem::path instance;
  std::string policy = "relpscost";                      ///< a name of policy_kinds() or a model file
  Settings settings;
  bool strict = false;                                   ///< a node that the policy cannot decide is an Error (failure)
  int n_explained = 0;                                   ///< decisions that on_explained gets, the first ones
  bool explain_expert = false;                           ///< with what full strong branching thinks of them
  std::function<void(const Explanation&)> on_explained;
  LogSink log;                                           ///< SCIP's own log
  std::function<void(const TracePoint&)> on_progress;    ///< whenever either bound improves
  std::function<void()> on_root_done;                    ///< the root node is done for the first time
};

/// What the instance looked like, before and after presolving.
struct ProblemShape {
  int n_variables = 0;
  int n_binary = 0;
  int n_integer = 0;  ///< general integers, binaries not counted
  int n_constraints = 0;
  int n_in_objective = 0;  ///< variables with a coefficient there
};

struct SolveResult {
  RunStatistics statistics;
  ProblemShape original;
  ProblemShape presolved;
  BranchingCounts branching;
  std::optional<Solution> solution;
  std::optional<SolutionCheck> solution_check;         ///< against the file; empty if there is no solution
  std::map<std::string, std::string> parameters;       ///< all that differ from SCIP's defaults
  std::string instance_sha256;                         ///< of the file as it was when it was read
  std::string model_sha256;                            ///< likewise; empty if the policy is no model file
  double reading_time_s = 0;
  double checking_time_s = 0;
};

/// Reads, sets, solves, and checks the solution against the file.  A model is read before the solve starts.
SolveResult solve_file(const SolveRequest& request);

}  // namespace bough
