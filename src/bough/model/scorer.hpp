// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "bough/model/model.hpp"
#include "bough/observe/graph.hpp"

namespace bough {

/// Scores candidates with a trained network, decision after decision: holds its weights in the layout that inference wants, what it
/// remembers of the last L - 1 decisions, and its working memory.
///
/// Allocates only when it sees a topology for the first time.  Computes what the candidates' scores depend on and nothing else; what
/// a candidate needs of an earlier decision is computed when it is first asked for, and kept.
/// One scorer serves one solve at a time; two scorers share nothing.
class Scorer {
 public:
  explicit Scorer(const Model& model);
  ~Scorer();
  Scorer(Scorer&&) noexcept;
  Scorer& operator=(Scorer&&) noexcept;

  /// The network's logits, higher is better; the decision then becomes part of the memory.  `topology_version` must change when the
  /// topology does (GraphExtractor::topology_version): the memory of decisions on another topology is dropped.
  ///
  /// Precondition: candidates are variables of the graph, logits has as many elements.
  void score(const BipartiteGraph& graph, std::uint64_t topology_version, std::span<const std::int32_t> candidates, std::span<float> logits);

  /// Forgets all decisions.
  void forget();

  /// Decisions in memory: those before the next one that it will depend on.
  [[nodiscard]] int n_remembered() const;

  struct Impl;  ///< in scorer.cpp

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace bough
