// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "bough/bough.hpp"
#include "bough/model/model.hpp"
#include "bough/observe/policy.hpp"

namespace bough {

/// Sees a decision before SCIP branches: the candidates, their scores and the index of the chosen one.
using DecisionHook = std::function<void(SCIP*, const Candidates&, std::span<const double> scores, std::size_t choice)>;

/// Where the rule leaves what its caller wants.  Whatever is given must outlive SCIP.
struct RuleSinks {
  BranchingCounts* counts = nullptr;    ///< the rule's own, counts(), if null
  std::exception_ptr* error = nullptr;  ///< an exception in a callback (guarded()); if null, SCIP's error output gets its text
  DecisionHook on_decision{};
};

/// Adds the rule `bough` with its parameters, its statistics table and its display column.  It does nothing until it has a policy.
///
/// The rule scores the candidates of a node and branches on the best, the first among equals.  A node that it cannot decide
/// (Fallback) is left to the rule of the next lower priority and counted; with branching/bough/strict it is an Error that ends the
/// solve.  Sub-problems of SCIP's heuristics are not touched: they branch with SCIP's own rules.
///
///   branching/bough/model    the model file, read when the problem is transformed; empty: none
///   branching/bough/strict   whether a node that the policy cannot decide is an error
///   branching/bough/pseudocosts   how much pseudocosts count beside a model's scores, read like it; negative: as much as the model says
///
/// `model` becomes the default value of the first: what SCIPresetParams() goes back to.
void include_rule(SCIP* scip, RuleSinks sinks = {}, const std::filesystem::path& model = {});

/// Gives the rule a policy, which must outlive the solve.  Whatever model the settings named is no longer asked for.
void use_policy(SCIP* scip, Policy& policy);

/// Gives the rule a model that was read from `path`; the rule keeps what it needs of it.
void use_model(SCIP* scip, const Model& model, const std::filesystem::path& path);

/// Makes the rule `name`, or `bough`, the one that branches, whatever the settings say of it.  Throws Error (usage) if they put another one above it.
void use_rule(SCIP* scip, std::string_view name);
void use_bough(SCIP* scip);

/// Makes `relpscost` the rule that decides where `bough` cannot, whatever the settings say.
void fall_back_to_relpscost(SCIP* scip);

/// Sets branching/bough/strict.
void be_strict(SCIP* scip);

}  // namespace bough
