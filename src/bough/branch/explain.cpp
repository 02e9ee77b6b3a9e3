// SPDX-License-Identifier: Apache-2.0
#include "bough/branch/explain.hpp"

#include <algorithm>

namespace bough {
namespace {

std::string name_of(SCIP_VAR* variable) {
  SCIP_VAR* original = variable;
  double scalar = 1;
  double constant = 0;
  check(SCIPvarGetOrigvarSum(&original, &scalar, &constant));
  return SCIPvarGetName(original != nullptr && scalar == 1 && constant == 0 ? original : variable);
}

int rank_of(double score, std::span<const double> scores) {
  return 1 + static_cast<int>(std::ranges::count_if(scores, [&](double other) { return other > score; }));
}

}  // namespace

Explanation Explainer::explain(SCIP* scip, const Candidates& candidates, std::span<const double> scores, std::size_t choice) {
  Explanation explanation;
  explanation.decision = ++n_explained_;
  explanation.node = SCIPnodeGetNumber(SCIPgetCurrentNode(scip));
  explanation.depth = SCIPgetDepth(scip);
  explanation.choice = choice;
  for (std::size_t k = 0; k < candidates.variables.size(); ++k) {
    SCIP_VAR* variable = candidates.variables[k];
    explanation.candidates.push_back({.name = name_of(variable),
                                      .value = candidates.values[k],
                                      .pseudocost_score = SCIPgetVarPseudocostScore(scip, variable, candidates.values[k]),
                                      .score = scores[k],
                                      .rank = rank_of(scores[k], scores)});
  }
  if (!ask_expert_) return explanation;
  explanation.no_expert = expert_.ask(scip, candidates, label_);  // from here on SCIP may have moved the candidates
  if (explanation.no_expert) return explanation;
  for (std::size_t k = 0; k < explanation.candidates.size(); ++k) {
    explanation.candidates[k].expert_score = label_.score[k];
    explanation.candidates[k].expert_rank = rank_of(label_.score[k], label_.score);
  }
  return explanation;
}

}  // namespace bough
