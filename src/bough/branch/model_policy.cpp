// SPDX-License-Identifier: Apache-2.0
#include "bough/branch/model_policy.hpp"

#include <algorithm>
#include <chrono>

namespace bough {

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
  const auto observed = Clock::now();
  scorer_.score(graph, extractor_.topology_version(), columns_, logits_);
  std::ranges::copy(logits_, scores.begin());
  times_.extraction_s += std::chrono::duration<double>(observed - start).count();
  times_.inference_s += std::chrono::duration<double>(Clock::now() - observed).count();
}

}  // namespace bough
