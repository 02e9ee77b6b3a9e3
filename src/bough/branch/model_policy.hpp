// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "bough/model/scorer.hpp"
#include "bough/observe/extract.hpp"
#include "bough/observe/policy.hpp"

namespace bough {

/// A trained network as a policy: observes the focus node and scores its candidates, with SCIP's pseudocosts if the model asks for them.
///
/// Every decision enters the network's memory, one with a single candidate too, as it does when samples are collected: trainer and
/// solver see the same history.  Allocates nothing once the LP's rows and columns are known.
/// Precondition of score(): the node's LP is solved to optimality, as it is wherever there are LP branching candidates.
class ModelPolicy final : public Policy {
 public:
  explicit ModelPolicy(const Model& model) : scorer_(model), own_pseudocosts_(model.pseudocosts) {}

  /// How much pseudocosts count, 0 to most_pseudocosts; negative: as much as the model says.
  void set_pseudocosts(double weight) { pseudocosts_ = weight < 0 ? own_pseudocosts_ : weight; }

  /// Forgets all decisions and the LP.
  void begin(SCIP* scip) override;
  void score(SCIP* scip, const Candidates& candidates, std::span<double> scores) override;

  struct Times {
    double extraction_s = 0;
    double inference_s = 0;
  };
  /// What score() took since the last call.
  Times take_times() { return std::exchange(times_, {}); }

 private:
  void add_pseudocosts(SCIP* scip, const Candidates& candidates, std::span<double> scores);

  GraphExtractor extractor_;
  Scorer scorer_;
  double own_pseudocosts_;
  double pseudocosts_ = own_pseudocosts_;
  std::vector<std::int32_t> columns_;  // (n_candidates)
  std::vector<float> logits_;          // (n_candidates)
  std::vector<double> expected_;       // (n_candidates)  logarithms of what pseudocosts expect
  Times times_;
};

}  // namespace bough
