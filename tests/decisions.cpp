// SPDX-License-Identifier: Apache-2.0
#include "tests/decisions.hpp"

#include <algorithm>
#include <cmath>

#include "tests/reference.hpp"

namespace bough::test {

std::vector<Expected> expected_logits(const Model& model, std::span<const Decision> decisions) {
  const auto memory = model.architecture.remembers() ? static_cast<std::size_t>(model.architecture.memory) : 1;
  std::vector<std::vector<double>> embeddings;
  for (const Decision& decision : decisions) embeddings.push_back(reference_embeddings(model, decision.graph));
  std::vector<Expected> expected;
  for (std::size_t t = 0; t < decisions.size(); ++t) {
    std::vector<const std::vector<double>*> history{&embeddings[t]};
    for (std::size_t s = t; s > 0 && decisions[s - 1].version == decisions[t].version && history.size() < memory; --s) history.insert(history.begin(), &embeddings[s - 1]);
    std::vector<std::int32_t> all;
    for (std::size_t j = 0; j < decisions[t].graph.topology.n_variables(); ++j) all.push_back(static_cast<std::int32_t>(j));
    const std::vector<double> logits = reference_head(model, history, all);
    Expected& now = expected.emplace_back();
    now.range = logits.size() == 1 ? std::abs(logits[0]) : std::ranges::max(logits) - std::ranges::min(logits);
    for (const std::int32_t j : decisions[t].candidates) now.logits.push_back(logits[static_cast<std::size_t>(j)]);
  }
  return expected;
}

void expect_logits(std::span<const float> logits, const Expected& expected, std::size_t decision) {
  ASSERT_EQ(logits.size(), expected.logits.size());
  for (std::size_t k = 0; k < logits.size(); ++k) {
    EXPECT_NEAR(logits[k], expected.logits[k], 1e-4 * expected.range + 1e-7) << "decision " << decision << ", candidate " << k << ", range " << expected.range;
  }
}

}  // namespace bough::test
