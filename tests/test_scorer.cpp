// SPDX-License-Identifier: Apache-2.0
//
// The scorer against the networks as docs/model.md writes them (tests/reference.hpp), decision after decision, for every architecture and
// every instruction set of this CPU.
#include "bough/model/scorer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>

#include "bough/rng.hpp"
#include "tests/decisions.hpp"
#include "tests/models.hpp"
#include "tests/targets.hpp"

// Highway takes aligned memory from malloc and not from operator new, so this counts both.  The address sanitizer has its own.
namespace {
std::atomic<std::size_t> n_mallocs{0};
}
#ifndef __SANITIZE_ADDRESS__
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) noexcept {  // NOLINT: replaces the library's
  ++n_mallocs;
  return __libc_malloc(size);
}
#endif

namespace bough::test {
namespace {

std::vector<float> score(Scorer& scorer, const Decision& decision) {
  std::vector<float> logits(decision.candidates.size(), -99);
  scorer.score(decision.graph, decision.version, decision.candidates, logits);
  return logits;
}

/// Some of the variables, in random order, none twice.
std::vector<std::int32_t> sample(std::size_t n_variables, std::size_t n, Rng& rng) {
  std::vector<std::int32_t> all(n_variables);
  for (std::size_t j = 0; j < n_variables; ++j) all[j] = static_cast<std::int32_t>(j);
  rng.shuffle_front(all, n);
  all.resize(n);
  return all;
}

/// Seven decisions on one topology, more than the longest memory: few candidates first, then others, then all, then one, so that
/// variables appear of whose history nothing has been computed; then three on a second topology with more variables, two on a third
/// with fewer, and two on the first again.
std::vector<Decision> journey(std::uint64_t seed) {
  Rng rng("journey", seed);
  std::vector<Decision> decisions;
  const auto go = [&](const BipartiteGraph& start, std::uint64_t version, const std::vector<std::size_t>& n_candidates) {
    for (const std::size_t n : n_candidates) {
      decisions.push_back({next_graph(start, rng.next()), version, sample(start.topology.n_variables(), n, rng)});
    }
  };
  const BipartiteGraph first = random_graph(23, 29, 0.2, seed);
  go(first, 1, {3, 2, 5, 1, 29, 4, 2});
  go(random_graph(9, 61, 0.1, seed + 1), 2, {2, 61, 7});
  go(random_graph(14, 5, 0.6, seed + 2), 3, {5, 1});
  go(first, 4, {6, 3});
  return decisions;
}

class ScorerOn : public EveryInstructionSet {};
INSTANTIATE_TEST_SUITE_P(Targets, ScorerOn, testing::ValuesIn(compiled_targets()), target_name);

/// Otherwise the suite below would test one instruction set several times: sums over wider vectors round differently.
TEST(Scorer, RunsOnTheInstructionSetThatATestChooses) {
  const Model model = random_model({Network::tgat, 32, 2, 4, Attention::concat}, 11);
  const auto decisions = journey(1);
  std::vector<std::vector<float>> logits;
  for (const std::int64_t target : compiled_targets()) {
    if ((hwy::SupportedTargets() & target) == 0) continue;
    use_target(target);
    Scorer scorer(model);
    logits.push_back(score(scorer, decisions[4]));
    use_best_target();
  }
  if (logits.size() < 2) GTEST_SKIP() << "this CPU has only one of them";
  for (std::size_t a = 0; a < logits.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(logits[a], logits[b]);
  }
}

TEST_P(ScorerOn, GivesTheLogitsOfTheDocumentDecisionAfterDecision) {
  for (const Architecture& architecture : all_architectures()) {
    SCOPED_TRACE(name_of(architecture));
    const Model model = random_model(architecture, 11);
    const auto decisions = journey(1);
    const auto expected = expected_logits(model, decisions);
    Scorer scorer(model);
    for (std::size_t t = 0; t < decisions.size(); ++t) expect_logits(score(scorer, decisions[t]), expected[t], t);
  }
}

// Isolated variables see only themselves, an empty row sends its own embedding to nobody: both are in random_graph().  Here nothing
// else is: no edge, no row, one variable.
TEST_P(ScorerOn, GraphsWithoutEdgesOrRowsHaveLogits) {
  for (const Architecture& architecture : all_architectures()) {
    SCOPED_TRACE(name_of(architecture));
    const Model model = random_model(architecture, 12);
    std::vector<Decision> decisions{{random_graph(4, 6, 0.0, 1), 1, {2, 5}}, {random_graph(4, 6, 0.0, 1), 1, {0, 5}},
                                    {random_graph(0, 6, 0.5, 2), 2, {0, 1, 2, 3, 4, 5}}, {random_graph(1, 1, 1.0, 3), 3, {0}},
                                    {random_graph(0, 1, 1.0, 3), 4, {0}}};
    const auto expected = expected_logits(model, decisions);
    Scorer scorer(model);
    for (std::size_t t = 0; t < decisions.size(); ++t) expect_logits(score(scorer, decisions[t]), expected[t], t);
  }
}

// One row with 600 variables, and one variable in 600 rows: more than any block or buffer for a typical node.
TEST_P(ScorerOn, NodesWithManyEdgesHaveLogits) {
  for (const Architecture& architecture : all_architectures()) {
    if (architecture.d == 64) continue;  // the reference is slow
    SCOPED_TRACE(name_of(architecture));
    const Model model = random_model(architecture, 13);
    const std::vector<Decision> decisions{{random_graph(2, 600, 1.0, 1), 1, {0, 599, 3}}, {random_graph(600, 2, 1.0, 2), 2, {1, 0}}};
    const auto expected = expected_logits(model, decisions);
    Scorer scorer(model);
    for (std::size_t t = 0; t < decisions.size(); ++t) expect_logits(score(scorer, decisions[t]), expected[t], t);
  }
}

// Weights of ten times the usual size drive attention and gates into saturation, where exponentials overflow if done carelessly.
TEST_P(ScorerOn, LargeWeightsGiveFiniteLogits) {
  for (const Architecture& architecture : all_architectures()) {
    SCOPED_TRACE(name_of(architecture));
    Scorer scorer(random_model(architecture, 14, 10));
    for (const Decision& decision : journey(2)) {
      for (const float logit : score(scorer, decision)) EXPECT_TRUE(std::isfinite(logit)) << logit;
    }
  }
}

// Concat attention multiplies exponentials of a source's logit and of an edge's, as long as float has room for them.  Logits that differ by hundreds, that are all far
// below or above 0 (also where the exponential of one would vanish and that of the other overflow, and their product is 1), and ordinary ones have the softmax of the document.
TEST_P(ScorerOn, AttentionLogitsOfAnySizeHaveTheirSoftmax) {
  const auto decisions = journey(10);
  for (const float source : {-400.0F, -90.0F, -20.0F, 1.0F, 90.0F, 400.0F}) {
    for (const float edge : {-400.0F, -25.0F, 1.0F, 90.0F, 400.0F}) {
      SCOPED_TRACE(testing::Message() << "attention vectors times " << source << " and " << edge);
      Model model = random_model({Network::tgat, 32, 3, 2, Attention::concat}, 23);
      for (const std::string half : {"rows", "variables"}) {
        for (float& a : model.tensors.at(half + ".attention.source")) a = source * std::abs(a);  // of one sign: all logits lie on the same side of 0
        for (float& a : model.tensors.at(half + ".attention.edge")) a = edge * std::abs(a);
      }
      const auto expected = expected_logits(model, decisions);
      Scorer scorer(model);
      for (std::size_t t = 0; t < decisions.size(); ++t) expect_logits(score(scorer, decisions[t]), expected[t], t);
    }
  }
}

// Gates at sigmoid(-200) and sigmoid(200): far outside of what a careless exponential can do.
TEST_P(ScorerOn, GatesThatAreClosedOrOpenForGoodHaveLogits) {
  for (const float far : {-200.0F, -178.0F, 200.0F}) {
    for (const char* bias : {"gru.input.bias", "gru.hidden.bias"}) {
      Model model = random_model({Network::tgat, 32, 2, 4, Attention::concat}, 14);
      auto& values = model.tensors.at(bias);
      std::fill_n(values.begin(), 2 * 32, far);  // of the reset gate and of the update gate
      const auto decisions = journey(2);
      const auto expected = expected_logits(model, decisions);
      Scorer scorer(model);
      for (std::size_t t = 0; t < decisions.size(); ++t) expect_logits(score(scorer, decisions[t]), expected[t], t);
    }
  }
}

TEST_P(ScorerOn, TheSameDecisionsGiveTheSameBits) {
  for (const Architecture& architecture : all_architectures()) {
    SCOPED_TRACE(name_of(architecture));
    const Model model = random_model(architecture, 15);
    Scorer a(model);
    Scorer b(model);
    for (const Decision& decision : journey(3)) EXPECT_EQ(bits_of(score(a, decision)), bits_of(score(b, decision)));
  }
}

// What a candidate needs of an earlier decision is computed when it is first asked for.  Whether that was at the time or later, alone or
// among others, must not change a bit: a fresh scorer that is shown the last L decisions, with all variables as candidates, agrees.
TEST_P(ScorerOn, WhatIsComputedLateIsWhatWouldHaveBeenComputedEarly) {
  for (const Architecture& architecture : all_architectures()) {
    SCOPED_TRACE(name_of(architecture));
    const Model model = random_model(architecture, 16);
    const auto decisions = journey(4);
    const auto memory = architecture.remembers() ? static_cast<std::size_t>(architecture.memory) : 1;
    Scorer lasting(model);
    for (std::size_t t = 0; t < decisions.size(); ++t) {
      const auto logits = score(lasting, decisions[t]);
      Scorer fresh(model);
      for (std::size_t s = t + 1 - std::min(t + 1, memory); s < t; ++s) score(fresh, decisions[s]);
      EXPECT_EQ(bits_of(score(fresh, decisions[t])), bits_of(logits)) << "decision " << t;

      Scorer thorough(model);
      Decision all = decisions[t];
      for (std::size_t s = t + 1 - std::min(t + 1, memory); s <= t; ++s) {
        all = decisions[s];
        all.candidates.clear();
        for (std::size_t j = 0; j < all.graph.topology.n_variables(); ++j) all.candidates.push_back(static_cast<std::int32_t>(j));
        if (s < t) score(thorough, all);
      }
      const auto of_all = score(thorough, all);
      for (std::size_t k = 0; k < logits.size(); ++k) {
        EXPECT_EQ(bits_of({of_all[static_cast<std::size_t>(decisions[t].candidates[k])]}), bits_of({logits[k]})) << "decision " << t << ", candidate " << k;
      }
    }
  }
}

TEST(Scorer, RemembersAtMostTheLastDecisionsAndForgetsThemOnDemandAndWithTheTopology) {
  for (const Architecture& architecture : all_architectures()) {
    SCOPED_TRACE(name_of(architecture));
    const Model model = random_model(architecture, 17);
    const int longest = architecture.remembers() ? architecture.memory - 1 : 0;
    const auto decisions = journey(5);
    Scorer scorer(model);
    EXPECT_EQ(scorer.n_remembered(), 0);
    for (int t = 0; t < 7; ++t) {
      score(scorer, decisions[static_cast<std::size_t>(t)]);
      EXPECT_EQ(scorer.n_remembered(), std::min(t + 1, longest));
    }
    scorer.forget();
    EXPECT_EQ(scorer.n_remembered(), 0);
    const auto alone = expected_logits(model, std::span(decisions).subspan(4, 1));
    expect_logits(score(scorer, decisions[4]), alone[0], 4);
    EXPECT_EQ(scorer.n_remembered(), std::min(1, longest));
    score(scorer, decisions[5]);
    score(scorer, decisions[7]);  // another topology
    EXPECT_EQ(scorer.n_remembered(), std::min(1, longest));
  }
}

// A version that changes while the topology happens to stay is a new topology all the same.
TEST(Scorer, AChangeOfTheVersionAloneDropsTheMemory) {
  const Model model = random_model({Network::tgat, 16, 2, 4, Attention::concat}, 18);
  auto decisions = journey(6);
  decisions.resize(4);
  decisions[2].version = decisions[3].version = 9;
  const auto expected = expected_logits(model, decisions);
  Scorer scorer(model);
  for (std::size_t t = 0; t < decisions.size(); ++t) expect_logits(score(scorer, decisions[t]), expected[t], t);
}

TEST(Scorer, WithMemoryDependsOnIt) {
  for (const Architecture& architecture : all_architectures()) {
    if (!architecture.remembers() || architecture.memory == 1) continue;
    SCOPED_TRACE(name_of(architecture));
    const auto decisions = journey(7);
    const Model model = random_model(architecture, 19);
    Scorer with(model);
    Scorer without(model);
    score(with, decisions[0]);
    EXPECT_NE(score(with, decisions[4]), score(without, decisions[4]));
  }
}

TEST(Scorer, MovesWithItsMemory) {
  const Model model = random_model({Network::tgat, 16, 1, 4, Attention::sum}, 20);
  const auto decisions = journey(8);
  const auto expected = expected_logits(model, decisions);
  Scorer first(model);
  score(first, decisions[0]);
  Scorer second(std::move(first));
  expect_logits(score(second, decisions[1]), expected[1], 1);
  Scorer third(random_model({Network::gcnn, 16}, 1));
  third = std::move(second);
  expect_logits(score(third, decisions[2]), expected[2], 2);
}

TEST(Scorer, TakesMemoryForTheFirstDecisionOnATopologyOnly) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer allocates by itself";
#endif
  for (const Architecture& architecture : all_architectures()) {
    SCOPED_TRACE(name_of(architecture));
    const auto decisions = journey(9);
    std::vector<float> logits(100);
    Scorer scorer(random_model(architecture, 21));
    const auto go = [&](const Decision& decision) {
      const std::size_t before = n_mallocs;
      scorer.score(decision.graph, decision.version, decision.candidates, std::span(logits).first(decision.candidates.size()));
      return n_mallocs - before;
    };
    EXPECT_GT(go(decisions[0]), 0U) << "the test counts";
    for (std::size_t t = 1; t < 7; ++t) EXPECT_EQ(go(decisions[t]), 0U) << "decision " << t;
    scorer.forget();
    EXPECT_EQ(go(decisions[4]), 0U) << "after forget()";
    go(decisions[7]);
    EXPECT_EQ(go(decisions[8]), 0U);
  }
}

}  // namespace
}  // namespace bough::test
