// SPDX-License-Identifier: Apache-2.0
#include "bough/branch/rule.hpp"

#include <objscip/objbranchrule.h>

#include <algorithm>
#include <cmath>
#include <format>
#include <string>
#include <vector>

#include "bough/scip/settings.hpp"

namespace bough {
namespace {

// Above every rule of SCIP (the highest, relpscost, has 10,000), below what its large neighbourhood search heuristics set for their
// sub-problems (536,870,911), so that those go on as SCIP's authors tuned them.
constexpr int top_priority = 1'000'000;

class Rule final : public scip::ObjBranchrule {
 public:
  Rule(SCIP* scip, Policy& policy, BranchingCounts& counts, std::exception_ptr& error)
      : scip::ObjBranchrule(scip, "bough", "branches on the candidate that the policy scores highest", top_priority, /*maxdepth=*/-1,
                            /*maxbounddist=*/1.0),
        policy_(policy), counts_(counts), error_(error) {}

  SCIP_DECL_BRANCHEXECLP(scip_execlp) override {
    (void)branchrule;
    (void)allowaddcons;
    *result = SCIP_DIDNOTRUN;  // unless we branch, SCIP asks the next rule
    return guarded(error_, [&] {
      const Candidates candidates = lp_candidates(scip);
      scores_.assign(candidates.variables.size(), 0.0);
      policy_.score(scip, candidates, scores_);
      if (!std::ranges::all_of(scores_, [](double s) { return std::isfinite(s); })) {
        ++counts_.n_fallbacks;
        return;
      }
      const auto best = static_cast<std::size_t>(std::ranges::max_element(scores_) - scores_.begin());
      check(SCIPbranchVar(scip, candidates.variables[best], nullptr, nullptr, nullptr));
      ++counts_.n_decisions;
      *result = SCIP_BRANCHED;
    });
  }

 private:
  Policy& policy_;
  BranchingCounts& counts_;
  std::exception_ptr& error_;
  std::vector<double> scores_;  // (n_candidates), reused
};

}  // namespace

void install_policy(SCIP* scip, Policy& policy, BranchingCounts& counts, std::exception_ptr& callback_error) {
  if (const std::string_view rule = policy.scip_rule(); !rule.empty()) {
    set_parameter(scip, std::format("branching/{}/priority", rule), std::to_string(top_priority));
    return;
  }
  check(SCIPincludeObjBranchrule(scip, new Rule(scip, policy, counts, callback_error), /*deleteobject=*/TRUE));
}

}  // namespace bough
