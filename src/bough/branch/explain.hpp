// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bough/collect/expert.hpp"
#include "bough/observe/policy.hpp"

namespace bough {

/// One candidate of an explained decision.  A rank is 1 + the number of candidates with a higher score: equals share it.
struct ExplainedCandidate {
  std::string name;  ///< as in the instance's file, if the variable is one of it; SCIP's name of what presolving made otherwise
  double value = 0;  ///< in the LP solution
  double pseudocost_score = 0;
  double score = 0;  ///< the policy's
  int rank = 0;
  std::optional<double> expert_score{};
  std::optional<int> expert_rank{};
};

/// One decision of a policy that scores, in words and numbers.
struct Explanation {
  std::int64_t decision = 0;  ///< from 1
  std::int64_t node = 0;      ///< SCIP's number
  int depth = 0;
  std::size_t choice = 0;  ///< index of the candidate that was branched on
  std::vector<ExplainedCandidate> candidates{};
  std::optional<NoLabel> no_expert{};  ///< why the expert, if it was asked, said nothing
};

/// Explains the first decisions of a solve.
class Explainer {
 public:
  explicit Explainer(bool ask_expert) : ask_expert_(ask_expert) {}

  /// The decision that is about to be taken at the focus node.  Asking the expert leaves bounds and statistics as they are, but
  /// refreshes the LP solver's basis, so that the tree that follows may be another one (Expert::ask_nothing).
  Explanation explain(SCIP* scip, const Candidates& candidates, std::span<const double> scores, std::size_t choice);

 private:
  bool ask_expert_;
  std::int64_t n_explained_ = 0;
  Expert expert_;
  Label label_;
};

}  // namespace bough
