// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <scip/type_scip.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "bough/error.hpp"

/// Learned branching for a program that embeds SCIP (docs/embedding.md).  Everything a program needs is in this header.
namespace bough {

/// Why a node was left to SCIP's own rules.
enum class Fallback : std::uint8_t {
  non_finite_score,     ///< the policy gave a candidate a score that is no number
  no_lp_solution,       ///< the node's LP was not solved to optimality: there is nothing to observe
  no_candidates,        ///< no variable to branch on is fractional in the LP solution (implied integers are none), and SCIP still wants to branch
  external_candidates,  ///< a constraint wants to branch on something else than fractional variables (nonlinear problems)
};
inline constexpr std::size_t n_fallback_reasons = 4;
inline constexpr std::array<std::string_view, n_fallback_reasons> fallback_names{"non_finite_score", "no_lp_solution", "no_candidates", "external_candidates"};

/// What the rule `bough` did during a solve; all zero if it was not asked.
struct BranchingCounts {
  std::int64_t n_decisions = 0;                               ///< branchings on the policy's choice
  std::int64_t n_fallbacks = 0;                               ///< nodes left to SCIP's own rules, in total
  std::array<std::int64_t, n_fallback_reasons> fallbacks{};   ///< and by Fallback
  double extraction_s = 0;                                    ///< observing the node
  double inference_s = 0;                                     ///< running the network
  double total_s = 0;                                         ///< from being asked to knowing the answer: the above and the choice
};

/// Adds the branching rule `bough` to `scip`, which owns it from then on: it scores the candidates of a node with the trained
/// network of a model file and branches on the best.  A node that it cannot decide is left to the rule of the next lower
/// priority and counted.  With it come the parameters branching/bough/*, a statistics table and a display column.
///
/// With an empty path the rule does nothing until the parameter branching/bough/model names a file.
/// Call it once, before the problem is transformed.  Throws Error: missing_input or bad_input for the file, usage for a second call,
/// failure if SCIP refuses.
void include_branching(SCIP* scip, const std::filesystem::path& model = {});

/// What the rule has done in the present or last solve.  Throws Error (usage) if include_branching() was not called for `scip`.
BranchingCounts counts(SCIP* scip);

}  // namespace bough
