// SPDX-License-Identifier: Apache-2.0
#include "bough/branch/solve.hpp"

#include <algorithm>
#include <chrono>
#include <format>
#include <span>
#include <utility>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/model/model.hpp"
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

int n_in_objective(std::span<SCIP_VAR* const> variables) {
  return static_cast<int>(std::ranges::count_if(variables, [](SCIP_VAR* variable) { return SCIPvarGetObj(variable) != 0; }));
}

/// Whatever decides in one solve.  Must outlive SCIP.
class Branching {
 public:
  explicit Branching(const SolveRequest& request) : request_(request), explainer_(request.explain_expert) {
    if (is_model_file(request.policy)) {
      sha256_ = sha256_of_file(request.policy);
      model_ = read_model(request.policy);
    } else {
      policy_ = make_policy(request.policy, effective_seed(request.settings).value_or(0));
    }
    if (request.n_explained > 0 && !scores()) {
      throw Error(ExitCode::usage, std::format("{} is one of SCIP's own rules: its decisions cannot be explained", request.policy),
                  "give --policy a model file, or random");
    }
  }

  [[nodiscard]] const std::string& model_sha256() const { return sha256_; }

  /// Before the settings, which may set the rule's parameters.
  void include(SCIP* scip, BranchingCounts& counts, std::exception_ptr& error) {
    if (!scores()) return;
    RuleSinks sinks{.counts = &counts, .error = &error};
    if (request_.n_explained > 0) {
      sinks.on_decision = [this, n = 0](SCIP* in, const Candidates& candidates, std::span<const double> scores, std::size_t choice) mutable {
        if (n++ < request_.n_explained) request_.on_explained(explainer_.explain(in, candidates, scores, choice));
      };
    }
    include_rule(scip, std::move(sinks));
  }

  /// After the settings: the policy that was asked for decides, whatever they say.
  void use(SCIP* scip) {
    if (!scores()) return use_rule(scip, policy_->scip_rule());
    if (model_) {
      use_model(scip, *model_, request_.policy);
    } else {
      use_policy(scip, *policy_);
    }
    use_bough(scip);
    fall_back_to_relpscost(scip);
    if (request_.strict) be_strict(scip);
  }

 private:
  [[nodiscard]] bool scores() const { return model_ || policy_->scip_rule().empty(); }

  const SolveRequest& request_;
  std::unique_ptr<Policy> policy_;
  std::optional<Model> model_;
  std::string sha256_;
  Explainer explainer_;
};

}  // namespace

SolveResult solve_file(const SolveRequest& request) {
  // Declared before `scip`: the rule that SCIP owns refers to them until it is freed.
  SolveResult result;
  std::exception_ptr callback_error;
  Branching branching(request);
  const ScipPtr owner = create_scip(request.log);
  SCIP* scip = owner.get();
  branching.include(scip, result.branching, callback_error);

  result.model_sha256 = branching.model_sha256();
  const Stopwatch reading;
  read_problem(scip, request.instance);
  result.reading_time_s = reading.elapsed_s();
  result.instance_sha256 = sha256_of_file(request.instance);
  result.original = {SCIPgetNOrigVars(scip), SCIPgetNOrigBinVars(scip), SCIPgetNOrigIntVars(scip), SCIPgetNOrigConss(scip), n_in_objective({SCIPgetOrigVars(scip), static_cast<std::size_t>(SCIPgetNOrigVars(scip))})};

  apply_settings(scip, request.settings);
  branching.use(scip);
  result.parameters = changed_parameters(scip);

  RunOptions options;
  options.on_progress = request.on_progress;
  options.on_root_done = request.on_root_done;
  options.time_limit_after_root_s = time_limit_after_root(request.settings);
  result.statistics = run(scip, options, callback_error);

  if (SCIPgetStage(scip) >= SCIP_STAGE_PRESOLVED) {
    result.presolved = {SCIPgetNVars(scip), SCIPgetNBinVars(scip), SCIPgetNIntVars(scip), SCIPgetNConss(scip), n_in_objective({SCIPgetVars(scip), static_cast<std::size_t>(SCIPgetNVars(scip))})};
  }
  result.solution = best_solution(scip);
  if (result.solution) {
    const Stopwatch checking;
    try {
      if (sha256_of_file(request.instance) != result.instance_sha256) throw Error(ExitCode::bad_input, std::format("{} was changed while it was solved", request.instance.string()));
      result.solution_check = check_solution(request.instance, *result.solution, SCIPfeastol(scip));
    } catch (const Error& error) {  // the file is no longer what was solved; the result still is
      result.solution_check = SolutionCheck{.complaint = error.what(), .readable = false};
    }
    result.checking_time_s = checking.elapsed_s();
  }
  return result;
}

}  // namespace bough
