// SPDX-License-Identifier: Apache-2.0
//
// Samples on disk and back, and what happens to files that are not samples.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <format>
#include <limits>
#include <regex>

#include "bough/branch/policies.hpp"
#include "bough/dataset/episode.hpp"
#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/scip/problem.hpp"
#include "tests/editable.hpp"
#include "tests/nodes.hpp"
#include "tests/process.hpp"
#include "tests/sets.hpp"

namespace bough::test {
namespace {

/// A real episode, with history, labels, several windows and Khalil's features.
Episode sampled(bool khalil = true) {
  const auto explorer = make_policy("pscost", 0);
  EpisodeRequest request;
  request.load = [](SCIP* scip) { load_problem(scip, mixed_milp(1)); };
  request.settings = plain_lp();
  request.sampling.labels = Labels::last;
  request.sampling.window = 3;
  request.sampling.probability = 0.3;
  request.sampling.max_labels = 5;
  request.sampling.khalil = khalil;
  request.explorer = explorer.get();
  Episode episode = sample_episode(request).episode;
  episode.metadata["instance"] = "mixed";
  return episode;
}

Episode round_trip(const Episode& episode) { return read_episode(SafeTensors::parse(episode_bytes(episode), "shard")); }

TEST(Episode, ComesBackFromItsBytesAsItWas) {
  const Episode episode = sampled();
  ASSERT_GE(episode.states.size(), 9U);
  ASSERT_GE(episode.n_windows(), 3U);
  EXPECT_TRUE(round_trip(episode) == episode);
  const Episode without = sampled(/*khalil=*/false);
  EXPECT_TRUE(round_trip(without) == without);
  EXPECT_TRUE(without.states[0].khalil.empty());
  EXPECT_EQ(episode_bytes(episode), episode_bytes(round_trip(episode))) << "equal episodes have equal bytes";
}

TEST(Episode, KeepsSeveralTopologiesAndInfiniteBounds) {
  Episode episode = sampled();
  Episode other = sampled();
  other.topologies[0].row_start = {0, 1};  // a second LP: one row, one variable
  other.topologies[0].edge_variable = {0};
  other.topologies[0].edge_coefficient = {1};
  other.topologies[0].index_by_variable(1);
  State state = other.states[0];
  state.topology = static_cast<std::int32_t>(episode.topologies.size());
  state.variable_features.assign(n_variable_features, 0.5F);
  state.row_features.assign(n_row_features, -2);
  state.candidates = {0};
  state.khalil.assign(72, 1);
  state.label.reset();
  state.chosen = 0;
  state.primal_bound = std::numeric_limits<double>::infinity();
  episode.topologies.push_back(other.topologies[0]);
  episode.states.push_back(state);
  episode.window_start.push_back(static_cast<std::int32_t>(episode.states.size()));
  EXPECT_TRUE(round_trip(episode) == episode);
}

TEST(Episode, AShardOfTheFirstVersionStillLoads) {
  // bough collect --family auction --size tiny --seeds 0..0 --window 2 --start first --episode-states 4 --khalil --scip separating/maxroundsroot=0
  const Episode episode = read_shard(std::filesystem::path(BOUGH_SOURCE_DIR) / "tests/data/episode-1.safetensors.zst");
  EXPECT_EQ(episode.metadata.at("instance"), "auction-tiny-0");
  EXPECT_EQ(episode.window_start, (std::vector<std::int32_t>{0, 2, 4}));
  ASSERT_EQ(episode.states.size(), 4U);
  EXPECT_EQ(episode.n_labels(), 4U);
  EXPECT_EQ(episode.topologies.size(), 1U);
  for (const State& state : episode.states) {
    EXPECT_EQ(state.khalil.size(), state.candidates.size() * 72);
    EXPECT_EQ(state.chosen, state.label->choice);
  }
}

TEST(Episode, AnEmptyEpisodeIsAnEpisode) { EXPECT_TRUE(round_trip(Episode{}) == Episode{}); }

std::string complaint_about(const Editable& shard) {
  try {
    (void)read_episode(SafeTensors::parse(shard.bytes(), "bad"));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(Episode, AShardWithoutAnyOneOfItsTensorsIsRefusedByName) {
  const Editable good(episode_bytes(sampled()));
  ASSERT_EQ(complaint_about(good), "accepted");
  for (const auto& [name, tensor] : good.tensors) {
    Editable bad = good;
    bad.tensors.erase(name);
    if (name == "candidate.khalil") {
      EXPECT_EQ(complaint_about(bad), "accepted") << "optional";
    } else {
      EXPECT_NE(complaint_about(bad).find(name), std::string::npos) << complaint_about(bad);
    }
  }
}

TEST(Episode, AShardWithOneElementLessAnywhereIsRefused) {
  const Editable good(episode_bytes(sampled()));
  for (const auto& [name, tensor] : good.tensors) {
    Editable bad = good;
    auto& cut = bad.tensors.at(name);
    const std::size_t row = cut.data.size() / cut.shape[0];
    cut.data.resize(cut.data.size() - row);
    --cut.shape[0];
    EXPECT_NE(complaint_about(bad), "accepted") << name;
  }
}

TEST(Episode, AShardWithAnotherElementTypeAnywhereIsRefused) {
  const Editable good(episode_bytes(sampled()));
  for (const auto& [name, tensor] : good.tensors) {
    Editable bad = good;
    auto& changed = bad.tensors.at(name);
    changed.dtype = size_of(changed.dtype) == 8 ? DType::u64 : size_of(changed.dtype) == 4 ? DType::u32 : DType::i8;
    EXPECT_NE(complaint_about(bad).find(name), std::string::npos) << complaint_about(bad);
  }
}

TEST(Episode, NumbersThatMakeNoSenseAreRefusedOneByOne) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Editable good(episode_bytes(sampled()));
  const auto expect = [&](const std::function<void(Editable&)>& change, const std::string& message) {
    Editable bad = good;
    change(bad);
    EXPECT_NE(complaint_about(bad).find(message), std::string::npos) << complaint_about(bad) << " instead of " << message;
  };
  expect([&](Editable& e) { e.set("variable.value", 3, nan); }, "variable.value has a value that is not finite");
  expect([&](Editable& e) { e.set("candidate.khalil", 0, std::numeric_limits<float>::infinity()); }, "candidate.khalil has a value that is not finite");
  expect([&](Editable& e) { e.set("topology.n_variables", 0, -1); }, "topology.n_variables has a negative size");
  expect([&](Editable& e) { e.set("topology.n_variables", 0, 2'000'000'000); }, "fit the rest");
  expect([&](Editable& e) { e.set("topology.row_degree", 0, -5); }, "topology.row_degree has a negative size");
  expect([&](Editable& e) { e.set("topology.edge_variable", 0, 1'000'000); }, "an edge to a variable that is not there");
  expect([&](Editable& e) { e.set("topology.edge_variable", 0, -1); }, "an edge to a variable that is not there");
  expect([&](Editable& e) { e.set("topology.edge_variable", 1, 0); }, "a row whose edges are not sorted by variable");
  expect([&](Editable& e) { e.set("state.dual_bound", 0, std::numeric_limits<double>::quiet_NaN()); }, "state.dual_bound has a value that is no number");
  expect([&](Editable& e) { e.set("state.topology", 0, 7); }, "state.topology names a topology that is not there");
  expect([&](Editable& e) { e.set("state.n_candidates", 0, 0); }, "fit the rest");
  expect([&](Editable& e) { e.set("candidate.variable", 0, 1'000'000); }, "a candidate that is no variable");
  expect([&](Editable& e) { e.set("state.chosen", 0, 1'000); }, "a decision that is no candidate");
  expect([&](Editable& e) { e.set("state.choice", 2, 1'000); }, "the expert chose no candidate");
  expect([&](Editable& e) { e.set("state.choice", 2, -1); }, "the expert chose no candidate");
  expect([&](Editable& e) { e.set("window.start", 0, 1); }, "window.start does not cut the states into windows");
  expect([&](Editable& e) { e.set("window.start", 1, 0); }, "window.start does not cut the states into windows");
  expect([&](Editable& e) { e.set("state.decision", 1, std::int64_t{99}); }, "a window whose decisions are not consecutive");
  expect([&](Editable& e) { e.metadata["schema"] = "bough-episode/9"; }, "its schema is \"bough-episode/9\", this version reads \"bough-episode/1\"");
  expect([&](Editable& e) { e.metadata["features"] = "gasse-17-5-1/1"; }, "its features is \"gasse-17-5-1/1\"");
  expect([&](Editable& e) { e.metadata.erase("schema"); }, "no 'schema' in its metadata");
  expect([&](Editable& e) { e.tensors["surprise"] = {DType::u8, {1}, "x"}; }, "tensors that this version does not know");
  Editable scores = good;  // the first labelled state is the third; its scores begin after the candidates of two
  const auto n0 = sampled().states[0].candidates.size() + sampled().states[1].candidates.size();
  scores.set("candidate.score", n0, std::numeric_limits<double>::infinity());
  EXPECT_NE(complaint_about(scores).find("a gain or a score that is not finite"), std::string::npos) << complaint_about(scores);
  Editable flags = good;
  flags.set("candidate.infeasible", n0, std::uint8_t{4});
  EXPECT_NE(complaint_about(flags).find("a flag that has no meaning"), std::string::npos) << complaint_about(flags);
}

TEST(Episode, TheProgramInTheDocumentationRebuildsAStateWithThePublicLibrary) {
  const TemporaryDirectory directory;
  const CollectRequest request = small_request(directory.path() / "set", "setcover", 3);
  const CollectSummary summary = collect(request);
  const auto entry = std::ranges::find_if(summary.episodes, [](const ManifestEntry& e) { return e.n_states > 0; });
  ASSERT_NE(entry, summary.episodes.end());
  const auto shard = request.output / "shards" / entry->shard;

  const std::string text = read_file(std::filesystem::path(BOUGH_SOURCE_DIR) / "docs/formats.md");
  const auto begin = text.find("```python\n");
  ASSERT_NE(begin, std::string::npos);
  write_file(directory.path() / "program.py", text.substr(begin + 10, text.find("```", begin + 10) - begin - 10));
  const Finished python = run_program({"python3", (directory.path() / "program.py").string(), shard.string()});
  ASSERT_EQ(python.exit_code, 0) << python.err;

  const Episode episode = read_shard(shard);
  const State& state = episode.states[0];
  const Topology& topology = episode.topologies[static_cast<std::size_t>(state.topology)];
  ASSERT_TRUE(state.label);
  EXPECT_TRUE(python.out.starts_with(std::format("states {} variables {} rows {} edges {}\ncandidates {} fractional True\nexpert {} best score ", episode.states.size(),
                                                 topology.n_variables(), topology.n_rows(), topology.n_edges(), state.candidates.size(),
                                                 state.candidates[static_cast<std::size_t>(state.label->choice)])))
      << python.out;
  EXPECT_EQ(std::stod(python.out.substr(python.out.rfind(' '))), std::ranges::max(state.label->score));
}

}  // namespace
}  // namespace bough::test
