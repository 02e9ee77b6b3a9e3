// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "bough/train/network.hpp"

namespace bough::test {

/// The networks of docs/model.md written down plainly: all variables and rows of every state, one state after the other, edges with
/// index_select and index_add, differentiated by libtorch.  What the trainer's own functions are compared with, in result and time.
template <class T>
struct PlainAnswer {
  std::vector<T> logits;    // (n_candidates)  of the labelled states, in the windows' order
  std::vector<T> gradient;  // (n_parameters)
  double loss = 0;
};
template <class T>
PlainAnswer<T> plain_answer(const Learner<T>& network, std::span<const Window> windows, const PackOptions& options, double factor);

/// One decision after the other as the authors of the networks take them: the present state in eager libtorch, all variables; the
/// embeddings of the last L decisions are kept, and the GRU runs over them for all variables.  The interface is Scorer's.
class PlainDecider {
 public:
  explicit PlainDecider(const Model& model);
  ~PlainDecider();
  PlainDecider(PlainDecider&&) noexcept;
  void score(const BipartiteGraph& graph, std::uint64_t topology_version, std::span<const std::int32_t> candidates, std::span<float> logits);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bough::test
