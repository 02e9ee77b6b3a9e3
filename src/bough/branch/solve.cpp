// SPDX-License-Identifier: Apache-2.0
#include "bough/branch/solve.hpp"

#include <chrono>

#include "bough/scip/problem.hpp"

namespace bough {
namespace {

class Stopwatch {
 public:
  [[nodiscard]] double elapsed_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

SolveResult solve_file(const SolveRequest& request) {
  // Declared before `scip`: the rule that SCIP owns refers to them until it is freed.
  SolveResult result;
  std::exception_ptr callback_error;
  const std::unique_ptr<Policy> policy = make_policy(request.policy, effective_seed(request.settings).value_or(0));
  const ScipPtr owner = create_scip(request.log);
  SCIP* scip = owner.get();

  const Stopwatch reading;
  read_problem(scip, request.instance);
  result.reading_time_s = reading.elapsed_s();
  result.original = {SCIPgetNOrigVars(scip), SCIPgetNOrigBinVars(scip), SCIPgetNOrigIntVars(scip), SCIPgetNOrigConss(scip)};

  apply_settings(scip, request.settings);
  install_policy(scip, *policy, result.branching, callback_error);
  result.parameters = changed_parameters(scip);

  RunOptions options;
  options.on_progress = request.on_progress;
  const Preset* preset = find_preset(request.settings.preset);
  if (preset != nullptr && preset->time_after_root) options.time_limit_after_root_s = request.settings.time_limit_s;
  result.statistics = run(scip, options, callback_error);

  if (SCIPgetStage(scip) >= SCIP_STAGE_PRESOLVED) {
    result.presolved = {SCIPgetNVars(scip), SCIPgetNBinVars(scip), SCIPgetNIntVars(scip), SCIPgetNConss(scip)};
  }
  result.solution = best_solution(scip);
  if (result.solution) {
    const Stopwatch checking;
    result.solution_check = check_solution(request.instance, *result.solution);
    result.checking_time_s = checking.elapsed_s();
  }
  return result;
}

}  // namespace bough
