// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
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

/// Decides where to branch.  Every system sits behind this interface: SCIP's own rules, which decide by themselves, and policies
/// that score candidates, for which one branching rule (branch/rule.hpp) asks and branches.
///
/// A policy is only a preference among valid branchings: no answer it can give changes the optimum.
class Policy {
 public:
  virtual ~Policy() = default;

  /// The SCIP branching rule that is this policy; empty if the policy scores candidates.
  [[nodiscard]] virtual std::string_view scip_rule() const { return {}; }

  /// Scores the candidates of the focus node, higher is better.  Never called if scip_rule() is not empty.
  virtual void score(SCIP* scip, const Candidates& candidates, std::span<double> scores);
};

/// A policy that can be asked for by name.
struct PolicyKind {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Policy> (*make)(std::uint64_t seed);
};
std::span<const PolicyKind> policy_kinds();

/// Throws Error (usage) with the list of names if there is no such policy.
std::unique_ptr<Policy> make_policy(std::string_view name, std::uint64_t seed);

}  // namespace bough
