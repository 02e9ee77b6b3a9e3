// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bough/dataset/loader.hpp"
#include "bough/train/network.hpp"
#include "bough/train/workers.hpp"

namespace bough {

/// Accuracy is counted for the first k candidates by logit, for these k.
inline constexpr std::array<std::size_t, 4> top_k{1, 3, 5, 10};

/// Predictions of labelled states against their labels.
struct Tally {
  std::int64_t n = 0;
  double loss = 0;                                ///< sum of cross entropies
  std::array<std::int64_t, top_k.size()> hits{};  ///< states with a best candidate, tied or not, among the first k

  Tally& operator+=(const Tally& other);
  [[nodiscard]] double mean_loss() const { return n > 0 ? loss / static_cast<double>(n) : 0; }
  [[nodiscard]] double accuracy(std::size_t k) const { return n > 0 ? static_cast<double>(hits[k]) / static_cast<double>(n) : 0; }
};

/// Of the labelled states of one of the batch's windows, or of all.
Tally tally(const Batch& batch, const Scores<float>& scores);
Tally tally(const Batch& batch, const Scores<float>& scores, std::size_t window);

/// The threads of a run with what each of them reuses.
class Crew {
 public:
  using UseGroup = std::function<void(std::size_t group, std::span<const Window> members, const Batch& batch, Scores<float>& scores)>;

  /// `n_threads` 0: all cores.
  explicit Crew(int n_threads);

  /// Packs the windows in groups and hands each to `use`, several at a time, with memory for scores.  Groups count from 0 and
  /// do not depend on the number of threads.
  void for_each_group(std::span<const Window> windows, const PackOptions& options, const UseGroup& use);
  static std::size_t n_groups(std::span<const Window> windows);

 private:
  TermsCache terms_;
  std::vector<Packer> packers_;        // (n_threads)
  std::vector<Scores<float>> scores_;  // (n_threads)
  Workers workers_;
};

/// Scores of one state, in the order of the set.  `episode` counts the set's episodes that have windows.
using OnState = std::function<void(std::size_t episode, const State& state, std::span<const float> logits)>;

/// Predicts every labelled state of a set: one tally for each instance, whose episodes may be several.  The loader must not shuffle.  Ends early, with what it has,
/// when `stop` says so.
std::vector<Tally> evaluate(const Learner<float>& network, Loader& loader, Crew& crew, const PackOptions& options, const OnState& on_state = {}, const std::function<bool()>& stop = {});

/// Standard errors of mean loss and accuracies, with instances as the independent units: the states of one resemble each other.
/// NaN with fewer than two instances: one says nothing of others.
struct StandardErrors {
  double loss = 0;
  std::array<double, top_k.size()> accuracy{};
};
StandardErrors standard_errors(std::span<const Tally> instances);
Tally sum(std::span<const Tally> tallies);

}  // namespace bough
