// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bough/dataset/episode.hpp"
#include "bough/observe/policy.hpp"

namespace bough {

/// Why a node got no label.
enum class NoLabel : std::uint8_t {
  lp_error,  ///< a strong branching LP was not solved
  limit,     ///< a limit ended the solve in between
  stopped,   ///< a stop signal did
};
inline constexpr std::size_t n_no_label = 3;
inline constexpr std::array<std::string_view, n_no_label> no_label_names{"lp_error", "limit", "stopped"};

/// Whether branching on the best candidate ends the node: neither child holds a better solution, hence neither does the node.  All candidates
/// that do so tie for the best score, because SCIP caps gains at the cutoff bound.  A branching rule that does not look ahead meets such
/// nodes like any other and has to find one of these candidates, so they are labels like any other.
[[nodiscard]] inline bool ends_node(const Label& label) { return label.infeasible[static_cast<std::size_t>(label.choice)] == 3; }

/// A score is a product of two gains, so its unit is the square of the objective's: what ties must not depend on it.
inline constexpr double tie_tolerance = 1e-9;

/// 1 where a score equals the best to one part in 10^9, else 0.  Scores are positive, and there is at least one.
void mark_best(std::span<const double> score, std::span<std::uint8_t> best);

/// The teacher: SCIP's `vanillafullstrong` (scoreall, idempotent, fractional candidates only), asked through SCIP's public strong
/// branching calls, because no public function executes another rule and because gains and infeasibilities are wanted too.
class Expert {
 public:
  /// Labels the focus node.  The label's memory is reused by the next call.  Leaves SCIP's statistics and bounds as they are.
  std::optional<NoLabel> ask(SCIP* scip, const Candidates& candidates, Label& label);

  /// What ask() does besides the evaluations.  Entering and leaving strong branching changes the tree that follows (it refreshes
  /// the LP solver's basis; the evaluations in between change nothing), so an episode calls this at every node that it does not label: then
  /// the nodes visited do not depend on where labels are taken.
  static void ask_nothing(SCIP* scip);

 private:
  std::vector<SCIP_VAR*> variables_;  // (n_candidates)  SCIP may move its own array during strong branching
};

}  // namespace bough
