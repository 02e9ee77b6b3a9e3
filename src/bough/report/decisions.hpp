// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bough/evaluate/record.hpp"
#include "bough/report/table.hpp"

namespace bough {

/// What the page shows of explained runs, decision by decision: the policy's opinion beside full strong branching's.
struct DecisionView {
  std::vector<std::string> runs;    ///< their titles, to choose from
  nlohmann::ordered_json data;      ///< for the page's script: {fields, runs: [{overview, decisions}]}; candidates are arrays in the order of `fields`
  nlohmann::ordered_json overview;  ///< Vega-Lite: the expert's rank of every choice of the first run
  nlohmann::ordered_json detail;    ///< Vega-Lite: all candidates of its first decision
  std::string caption;              ///< of the first decision, in words
  Table candidates;                 ///< the policy's favourites at the first decision
  Table decisions;                  ///< of all runs, a row each
};

/// Empty if no run has an explained decision.  What is missing or of another type is left out.
std::optional<DecisionView> decision_view(std::span<const Evaluation> evaluations);

}  // namespace bough
