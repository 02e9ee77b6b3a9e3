// SPDX-License-Identifier: Apache-2.0
#include "bough/collect/expert.hpp"

#include <algorithm>
#include <climits>

#include "bough/stop.hpp"

namespace bough {
namespace {

NoLabel reason_to_stop() { return stop_signal() != 0 ? NoLabel::stopped : NoLabel::limit; }

}  // namespace

void mark_best(std::span<const double> score, std::span<std::uint8_t> best) {
  const double least = std::ranges::max(score) * (1 - tie_tolerance);
  std::ranges::transform(score, best.begin(), [&](double s) { return static_cast<std::uint8_t>(s >= least ? 1 : 0); });
}

std::optional<NoLabel> Expert::ask(SCIP* scip, const Candidates& candidates, Label& label) {
  variables_.assign(candidates.variables.begin(), candidates.variables.end());
  const std::size_t n = variables_.size();
  label.down_gain.resize(n);
  label.up_gain.resize(n);
  label.infeasible.resize(n);
  label.score.resize(n);
  label.best.resize(n);
  label.choice = -1;
  if (SCIPisStopped(scip)) return reason_to_stop();

  const double lp_objective = SCIPgetLPObjval(scip);
  std::optional<NoLabel> trouble;
  double best_score = -SCIPinfinity(scip);
  check(SCIPstartStrongbranch(scip, /*enablepropagation=*/FALSE));
  for (std::size_t k = 0; k < n; ++k) {
    double down = 0;
    double up = 0;
    SCIP_Bool down_infeasible = FALSE;
    SCIP_Bool up_infeasible = FALSE;
    SCIP_Bool lp_error = FALSE;
    check(SCIPgetVarStrongbranchFrac(scip, variables_[k], INT_MAX, /*idempotent=*/TRUE, &down, &up, nullptr, nullptr, &down_infeasible,
                                     &up_infeasible, nullptr, nullptr, &lp_error));
    if (lp_error) {
      trouble = SCIPisStopped(scip) ? reason_to_stop() : NoLabel::lp_error;
      break;
    }
    down = std::max(down, lp_objective);
    up = std::max(up, lp_objective);
    double gains[2] = {down - lp_objective, up - lp_objective};
    label.down_gain[k] = gains[0];
    label.up_gain[k] = gains[1];
    label.infeasible[k] = static_cast<std::uint8_t>((down_infeasible ? 1 : 0) | (up_infeasible ? 2 : 0));
    label.score[k] = SCIPgetBranchScoreMultiple(scip, variables_[k], 2, gains);
    if (label.score[k] > best_score) {
      best_score = label.score[k];
      label.choice = static_cast<std::int32_t>(k);
    }
  }
  check(SCIPendStrongbranch(scip));

  if (trouble) return trouble;
  mark_best(label.score, label.best);
  return std::nullopt;
}

void Expert::ask_nothing(SCIP* scip) {
  check(SCIPstartStrongbranch(scip, /*enablepropagation=*/FALSE));
  check(SCIPendStrongbranch(scip));
}

}  // namespace bough
