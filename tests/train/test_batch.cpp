// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "bough/train/batch.hpp"
#include "tests/train/episodes.hpp"

namespace bough::test {
namespace {

/// A window of `n` states on a path: variables 0 .. 4, row i holds the variables i and i + 1 with the coefficients 1 and -1.
/// Variable j's features are all 100 s + j at state s, row i's 1000 + 100 s + i.
Episode path_episode(const std::vector<std::vector<std::int32_t>>& candidates, const std::vector<std::int32_t>& topologies = {}) {
  Episode episode;
  Topology path;
  for (std::int32_t i = 0; i < 4; ++i) {
    path.edge_variable.insert(path.edge_variable.end(), {i, i + 1});
    path.edge_coefficient.insert(path.edge_coefficient.end(), {1.0F, -1.0F});
    path.row_start.push_back(2 * (i + 1));
  }
  path.index_by_variable(5);
  episode.topologies.assign(topologies.empty() ? 1 : 3, path);
  for (std::size_t s = 0; s < candidates.size(); ++s) {
    State state;
    state.topology = topologies.empty() ? 0 : topologies[s];
    for (std::size_t j = 0; j < 5; ++j) state.variable_features.insert(state.variable_features.end(), n_variable_features, static_cast<float>(100 * s + j));
    for (std::size_t i = 0; i < 4; ++i) state.row_features.insert(state.row_features.end(), n_row_features, static_cast<float>(1000 + 100 * s + i));
    state.candidates = candidates[s];
    state.decision = static_cast<std::int64_t>(s);
    const std::size_t n = candidates[s].size();
    state.label = Label{std::vector<double>(n, 1), std::vector<double>(n, 1), std::vector<std::uint8_t>(n, 0), std::vector<double>(n, 1), std::vector<std::uint8_t>(n, 1), 0};
    episode.states.push_back(std::move(state));
  }
  episode.window_start.push_back(static_cast<std::int32_t>(candidates.size()));
  return episode;
}

class BatchTest : public testing::Test {
 protected:
  const Batch& pack(Episode episode, const PackOptions& options) {
    windows_ = windows_of(std::move(episode));
    return packer_.pack(windows_, options);
  }
  /// What a pair is: its state and variable, read from its features.
  static float pair(const Batch& batch, std::size_t p) { return batch.variable_features[p * n_variable_features]; }
  static std::vector<float> pairs(const Batch& batch, std::size_t step) {
    std::vector<float> result;
    for (auto p = batch.step_start[step]; p < batch.step_start[step + 1]; ++p) result.push_back(pair(batch, static_cast<std::size_t>(p)));
    return result;
  }
  static std::set<float> rows(const Batch& batch) {
    std::set<float> result;
    for (std::size_t i = 0; i < batch.row_features.size(); i += n_row_features) result.insert(batch.row_features[i]);
    return result;
  }
  static std::size_t n_steps(const Batch& batch) { return batch.step_start.size() - 1; }

  TermsCache cache_;
  Packer packer_{cache_};
  std::vector<Window> windows_;
};

TEST_F(BatchTest, HoldsExactlyWhatTheCandidatesDependOn) {
  // Candidate 0 is in row 0, whose variables are 0 and 1: nothing else can reach its logit.
  const Batch& batch = pack(path_episode({{0}}), {});
  EXPECT_EQ(batch.variable_features.size() / n_variable_features, 2U);
  EXPECT_EQ(pair(batch, 0), 0);
  EXPECT_EQ(pair(batch, 1), 1) << "variables that are no candidates come behind";
  EXPECT_EQ(rows(batch), (std::set<float>{1000}));
  EXPECT_EQ(batch.rows.start, (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(batch.rows.source, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(batch.coefficients, (std::vector<float>{1, -1}));
  EXPECT_EQ(batch.rows.term, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(batch.variables.start, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(batch.variables.source, (std::vector<std::int32_t>{0}));
  EXPECT_EQ(batch.variables.term, (std::vector<std::int32_t>{0}));
}

TEST_F(BatchTest, WithoutMemoryStatesAreApart) {
  const Batch& batch = pack(path_episode({{0, 3}, {2}}), {});
  EXPECT_EQ(n_steps(batch), 1U);
  EXPECT_EQ(pairs(batch, 0), (std::vector<float>{0, 3, 102}));
  EXPECT_EQ(batch.candidates, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(batch.state_start, (std::vector<std::int32_t>{0, 2, 3}));
  EXPECT_EQ(batch.coefficients.size(), 2U) << "the terms of a topology are there once";
}

TEST_F(BatchTest, MemoryNeedsTheCandidatesOfLaterStatesToo) {
  const Batch& batch = pack(path_episode({{1}, {2, 3}, {4, 3}}), {.memory = 3});
  ASSERT_EQ(n_steps(batch), 3U);
  // N_2 = {4, 3}, N_1 = N_2 and 2, N_0 = N_1 and 1.
  EXPECT_EQ(pairs(batch, 2), (std::vector<float>{204, 203}));
  EXPECT_EQ(pairs(batch, 1), (std::vector<float>{104, 103, 102}));
  EXPECT_EQ(pairs(batch, 0), (std::vector<float>{4, 3, 2, 1}));
  for (std::size_t step = 1; step < 3; ++step) {
    for (auto p = batch.step_start[step]; p < batch.step_start[step + 1]; ++p) {
      const auto before = static_cast<std::size_t>(batch.step_start[step - 1] + batch.previous[static_cast<std::size_t>(p)]);
      EXPECT_EQ(pair(batch, before) + 100, pair(batch, static_cast<std::size_t>(p))) << "the same variable, one state earlier";
    }
  }
  std::vector<float> candidates;
  for (const std::int64_t p : batch.candidates) candidates.push_back(pair(batch, static_cast<std::size_t>(p)));
  EXPECT_EQ(candidates, (std::vector<float>{1, 102, 103, 204, 203})) << "in the order of states and candidates";
}

TEST_F(BatchTest, AnotherTopologyCutsTheMemory) {
  const Batch& batch = pack(path_episode({{0}, {1}, {2}, {3}}, {0, 0, 1, 1}), {.memory = 4});
  ASSERT_EQ(n_steps(batch), 2U);
  EXPECT_EQ(pairs(batch, 0), (std::vector<float>{1, 0, 203, 202})) << "state 0 is not asked about the candidates 2 and 3";
  EXPECT_EQ(pairs(batch, 1), (std::vector<float>{101, 303}));
  EXPECT_EQ(batch.previous, (std::vector<std::int64_t>{0, 0, 0, 0, 0, 2}));
  // Back on the first topology the memory starts anew all the same.
  EXPECT_EQ(n_steps(pack(path_episode({{0}, {1}, {2}}, {0, 2, 0}), {.memory = 4})), 1U);
}

TEST_F(BatchTest, LongWindowsAreCutIntoPiecesOrSlide) {
  const Episode episode = path_episode({{0}, {1}, {2}, {3}, {4}});
  const Batch& pieces = pack(episode, {.memory = 2});
  EXPECT_EQ(pairs(pieces, 0), (std::vector<float>{1, 0, 203, 202, 404}));
  EXPECT_EQ(pairs(pieces, 1), (std::vector<float>{101, 303}));
  const Batch& sliding = pack(episode, {.memory = 2, .history = History::full});
  EXPECT_EQ(pairs(sliding, 0), (std::vector<float>{1, 0, 102, 203, 304}));
  EXPECT_EQ(pairs(sliding, 1), (std::vector<float>{101, 202, 303, 404}));
  EXPECT_EQ(sliding.states.size(), 5U);
}

TEST_F(BatchTest, UnlabelledStatesAreHistoryOnly) {
  Episode episode = path_episode({{0}, {1}, {2}});
  episode.states[0].label.reset();
  episode.states[2].label.reset();
  const Batch& batch = pack(episode, {.memory = 3});
  EXPECT_EQ(batch.states.size(), 1U);
  EXPECT_EQ(n_steps(batch), 2U) << "nobody remembers the last state";
  EXPECT_EQ(pairs(batch, 0), (std::vector<float>{1}));
  EXPECT_EQ(batch.weight, (std::vector<double>{1})) << "of one labelled state";
  const Batch& all = pack(episode, {.memory = 3, .score_all = true});
  EXPECT_EQ(all.states.size(), 3U);
  EXPECT_EQ(all.weight, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(all.target, (std::vector<double>{0, 1, 0}));
}

TEST_F(BatchTest, ShufflingGivesVariablesTheMemoryOfOthers) {
  const Batch& batch = pack(path_episode({{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}}), {.memory = 2, .history = History::shuffled});
  // State 0 alone, then state 1 with its past: ten pairs in the first step, five of them continued.
  ASSERT_EQ(n_steps(batch), 2U);
  const std::vector<std::int64_t> continued(batch.previous.begin() + 10, batch.previous.end());
  EXPECT_EQ(std::set(continued.begin(), continued.end()), (std::set<std::int64_t>{5, 6, 7, 8, 9})) << "each memory is used once";
  EXPECT_NE(continued, (std::vector<std::int64_t>{5, 6, 7, 8, 9}));
}

TEST_F(BatchTest, TargetsSpreadOverTiesOrScores) {
  Episode episode = path_episode({{0, 1, 2, 3}, {0, 1}});
  episode.states[0].label->score = {2, 4, 4, 1};
  episode.states[0].label->best = {0, 1, 1, 0};
  episode.states[0].label->choice = 1;
  episode.states[1].label->score = {0, 0};  // no gain anywhere: ratios of scores mean nothing
  EXPECT_EQ(pack(episode, {}).target, (std::vector<double>{0, 0.5, 0.5, 0, 0.5, 0.5}));
  // (2/4)^2, 1, 1, (1/4)^2 over their sum 2.3125.
  const Batch& soft = pack(episode, {.target = Target::soft, .sharpness = 2});
  EXPECT_EQ(soft.target, (std::vector<double>{0.25 / 2.3125, 1 / 2.3125, 1 / 2.3125, 0.0625 / 2.3125, 0.5, 0.5}));
  EXPECT_EQ(soft.weight, (std::vector<double>{0.5, 0.5})) << "the window's states share one";
}

TEST_F(BatchTest, DeepStatesCountLessOnRequest) {
  Episode episode = path_episode({{0}, {1}});
  episode.states[0].depth = 0;
  episode.states[1].depth = 8;
  const Batch& batch = pack(episode, {.depth_weighting = true});
  EXPECT_DOUBLE_EQ(batch.weight[0], 0.5 * (1 + std::exp(-0.5)) / (1 + std::exp(-0.5)));
  EXPECT_DOUBLE_EQ(batch.weight[1], 0.5 * (1 + std::exp(-0.5)) / (1 + std::exp(0.5)));
}

TEST_F(BatchTest, APackerForgetsWhatItPackedBefore) {
  Rng rng("forget", 0);
  const auto large = windows_of(random_episode(rng, {.n_variables = 40, .n_rows = 30, .windows = {5, 5}}));
  const PackOptions options{.memory = 2};
  const Batch fresh = pack(path_episode({{0, 3}, {2}}), options);
  (void)packer_.pack(large, options);
  const Batch& again = packer_.pack(windows_, options);
  EXPECT_EQ(fresh.variable_features, again.variable_features);
  EXPECT_EQ(fresh.row_features, again.row_features);
  EXPECT_EQ(fresh.coefficients, again.coefficients);
  EXPECT_EQ(fresh.rows.source, again.rows.source);
  EXPECT_EQ(fresh.variables.term, again.variables.term);
  EXPECT_EQ(fresh.previous, again.previous);
  EXPECT_EQ(fresh.target, again.target);
}

TEST_F(BatchTest, TermsOfAnEpisodeThatIsGoneAreNotThoseOfTheNextAtItsAddress) {
  // Many short-lived episodes: addresses come again, coefficients do not.
  for (int i = 1; i <= 200; ++i) {
    Episode episode = path_episode({{0}});
    for (float& x : episode.topologies[0].edge_coefficient) x *= static_cast<float>(i);
    for (float& x : episode.topologies[0].edge_coefficient_by_variable) x *= static_cast<float>(i);
    ASSERT_EQ(pack(std::move(episode), {}).coefficients[0], static_cast<float>(i));
  }
}

TEST(Groups, AreConsecutiveAndDependOnSizesAlone) {
  Rng rng("groups", 0);
  const auto windows = windows_of(random_episode(rng, {.windows = {1, 1, 1, 1, 1, 1, 1}}));
  const std::size_t edges = windows[0].episode->topologies[0].n_edges();
  const auto groups = group_windows(windows, 3 * edges);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].size(), 3U);
  EXPECT_EQ(groups[1].size(), 3U);
  EXPECT_EQ(groups[2].size(), 1U);
  EXPECT_EQ(groups[2].data(), &windows[6]);
  EXPECT_EQ(group_windows(windows, 1).size(), 7U);
  EXPECT_TRUE(group_windows({}, 1).empty());
}

}  // namespace
}  // namespace bough::test
