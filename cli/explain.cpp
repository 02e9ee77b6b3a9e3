// SPDX-License-Identifier: Apache-2.0
#include "cli/explain.hpp"

#include <algorithm>
#include <format>
#include <numeric>
#include <ranges>
#include <utility>
#include <vector>

#include "cli/terminal.hpp"

namespace bough::cli {
namespace {

constexpr std::size_t most_rows = 20;  // of a table for people; the JSON has all candidates

bool has_expert(const Explanation& explanation) { return !explanation.candidates.empty() && explanation.candidates.front().expert_score.has_value(); }

}  // namespace

std::string explanation_text(const Explanation& explanation) {
  const auto& candidates = explanation.candidates;
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return std::pair(candidates[k].rank, k != explanation.choice); });

  const bool expert = has_expert(explanation);
  std::string text = std::format("decision {}: node {}, depth {}, {} candidates\n", explanation.decision, explanation.node, explanation.depth, candidates.size());
  if (explanation.no_expert) text += std::format("  the expert gives no scores here: {}\n", no_label_names[static_cast<std::size_t>(*explanation.no_expert)]);
  text += dim(std::format("  {:<4}{:<24}{:>12}{:>14}{:>14}{}", "rank", "variable", "LP value", "score", "pseudocosts", expert ? "        expert  rank" : ""), stderr) + "\n";
  for (const std::size_t k : order | std::views::take(most_rows)) {
    const ExplainedCandidate& c = candidates[k];
    text += std::format("{} {:<4}{:<24}{:>12.6g}{:>14.6g}{:>14.6g}", k == explanation.choice ? "*" : " ", c.rank, c.name, c.value, c.score, c.pseudocost_score);
    if (expert) text += std::format("{:>14.6g}{:>6}", *c.expert_score, *c.expert_rank);
    text += "\n";
  }
  if (order.size() > most_rows) text += std::format("  and {} more\n", order.size() - most_rows);
  return text;
}

}  // namespace bough::cli
