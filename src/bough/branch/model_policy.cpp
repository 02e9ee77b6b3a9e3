// SPDX-License-Identifier: Apache-2.0
#include "bough/branch/model_policy.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace bough {
namespace {

constexpr double half_believed = 4;      // observations of a variable in its rarer direction after which its pseudocosts count half
constexpr double least_expected = 1e-3;  // of the best: below it all are alike, as a gain of zero would be minus infinity

}  // namespace

void ModelPolicy::begin(SCIP* scip) {
  extractor_.begin(scip);
  scorer_.forget();
}

void ModelPolicy::score(SCIP* scip, const Candidates& candidates, std::span<double> scores) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const BipartiteGraph& graph = extractor_.extract(scip);
  columns_.reserve(graph.topology.n_variables());  // at most so many candidates
  logits_.reserve(graph.topology.n_variables());
  locate_candidates(candidates.variables, columns_);
  logits_.resize(columns_.size());
  if (pseudocosts_ > 0) expected_.reserve(graph.topology.n_variables());
  const auto observed = Clock::now();
  scorer_.score(graph, extractor_.topology_version(), columns_, logits_);
  std::ranges::copy(logits_, scores.begin());
  if (pseudocosts_ > 0) add_pseudocosts(scip, candidates, scores);
  times_.extraction_s += std::chrono::duration<double>(observed - start).count();
  times_.inference_s += std::chrono::duration<double>(Clock::now() - observed).count();
}

// docs/model.md, section 6.
void ModelPolicy::add_pseudocosts(SCIP* scip, const Candidates& candidates, std::span<double> scores) {
  expected_.resize(scores.size());
  double best = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    expected_[k] = SCIPgetVarPseudocostScore(scip, candidates.variables[k], candidates.values[k]);
    best = std::max(best, expected_[k]);
  }
  if (!(best > 0 && std::isfinite(best))) return;
  double mean = 0;
  for (double& e : expected_) mean += e = std::log(std::max(e / best, least_expected));
  mean /= static_cast<double>(scores.size());
  for (std::size_t k = 0; k < scores.size(); ++k) {
    SCIP_VAR* variable = candidates.variables[k];
    const double n = std::min(SCIPgetVarPseudocostCount(scip, variable, SCIP_BRANCHDIR_DOWNWARDS), SCIPgetVarPseudocostCount(scip, variable, SCIP_BRANCHDIR_UPWARDS));
    scores[k] += pseudocosts_ * n / (n + half_believed) * (expected_[k] - mean);
  }
}

}  // namespace bough
