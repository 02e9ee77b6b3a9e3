// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stdexcept>
#include <string_view>

#include "bough/scip/scip.hpp"

namespace bough {

/// The variables among which a rule has to choose at a node: the first `npriolpcands` LP branching candidates, as views on SCIP's
/// arrays.  The same set everywhere: collecting, training, solving.
struct Candidates {
  std::span<SCIP_VAR* const> variables;  // (n_candidates)
  std::span<const double> values;        // (n_candidates)  in the LP solution
  std::span<const double> fractions;     // (n_candidates)
};

/// The candidates of the focus node.  SCIP may move its arrays at the next change of the LP or of a bound.
inline Candidates lp_candidates(SCIP* scip) {
  SCIP_VAR** variables = nullptr;
  double* values = nullptr;
  double* fractions = nullptr;
  int n = 0;
  check(SCIPgetLPBranchCands(scip, &variables, &values, &fractions, nullptr, &n, nullptr));
  const auto size = static_cast<std::size_t>(n);
  return {{variables, size}, {values, size}, {fractions, size}};
}

/// Decides where to branch.  Every system sits behind this interface: SCIP's own rules, which decide by themselves, and policies
/// that score candidates, for which a branching rule (branch/rule.hpp) asks and branches.
///
/// A policy is only a preference among valid branchings: no answer it can give changes the optimum.
class Policy {
 public:
  virtual ~Policy() = default;

  /// The SCIP branching rule that is this policy; empty if the policy scores candidates.
  [[nodiscard]] virtual std::string_view scip_rule() const { return {}; }

  /// A run of branch and bound begins, the first of a solve or another after a restart, which leaves nothing of the LP.
  virtual void begin(SCIP* scip) { (void)scip; }

  /// Scores the candidates of the focus node, higher is better.  Never called if scip_rule() is not empty.
  virtual void score(SCIP* scip, const Candidates& candidates, std::span<double> scores) {
    (void)scip, (void)candidates, (void)scores;
    throw std::logic_error("a policy that is one of SCIP's rules scores nothing");
  }
};

}  // namespace bough
