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
void include_rule(SCIP* scip, RuleSinks sinks = {});

/// Gives the rule a policy, which must outlive the solve.  Whatever model the settings named is no longer asked for.
void use_policy(SCIP* scip, Policy& policy);

/// Gives the rule a model that was read from `path`; the rule keeps what it needs of it.
void use_model(SCIP* scip, const Model& model, const std::filesystem::path& path);

/// Makes SCIP's rule `name` the one that branches.
void use_scip_rule(SCIP* scip, std::string_view name);

/// Makes `relpscost` the rule that decides where `bough` cannot, whatever the settings say.
void fall_back_to_relpscost(SCIP* scip);

/// Sets branching/bough/strict.
void be_strict(SCIP* scip);

/// Makes `policy` the one that branches in `scip`: include_rule() and use_policy(), or use_scip_rule() if it is one of SCIP's own.
/// All references must outlive the solve.
void install_policy(SCIP* scip, Policy& policy, BranchingCounts& counts, std::exception_ptr& callback_error);

}  // namespace bough
