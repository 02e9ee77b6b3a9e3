// SPDX-License-Identifier: Apache-2.0
//
// Trainer against solver: a network that was trained on a family gives the same logits in bough-train and in the scorer, at 2,000
// nodes of every family, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <format>

#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/model/scorer.hpp"
#include "bough/observe/extract.hpp"
#include "bough/observe/policy.hpp"
#include "bough/safetensors.hpp"
#include "bough/scip/problem.hpp"
#include "tests/nodes.hpp"
#include "tests/process.hpp"
#include "tests/targets.hpp"
#include "tests/train/episodes.hpp"

namespace bough::test {
namespace {

constexpr std::size_t n_nodes = 2000;
constexpr std::size_t n_nodes_of_episode = 400;

/// The first decisions of a solve as one window.  A label for every state: any will do, here the variable's index.
Episode episode_of(const Milp& milp) {
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), milp);
  apply_settings(scip.get(), plain_lp());  // many nodes from small instances
  Episode episode;
  GraphExtractor extractor;
  std::uint64_t version = 0;
  solve_visiting(scip.get(), [&](SCIP* s) {
    if (episode.states.size() == n_nodes_of_episode) {
      check(SCIPinterruptSolve(s));
      return SCIP_DIDNOTRUN;
    }
    const BipartiteGraph& graph = extractor.extract(s);
    if (version != extractor.topology_version()) episode.topologies.push_back(graph.topology);
    version = extractor.topology_version();
    State& state = episode.states.emplace_back();
    state.topology = static_cast<std::int32_t>(episode.topologies.size()) - 1;
    state.variable_features = graph.variable_features;
    state.row_features = graph.row_features;
    locate_candidates(lp_candidates(s).variables, state.candidates);
    state.decision = static_cast<std::int64_t>(episode.states.size()) - 1;
    state.label.emplace();
    return SCIP_DIDNOTRUN;
  });
  episode.window_start.push_back(static_cast<std::int32_t>(episode.states.size()));
  relabel(episode, [](std::span<const State>, std::size_t, std::int32_t variable) { return static_cast<double>(variable); });
  return episode;
}

/// What the scorer says about all states of an episode, decision after decision.
std::vector<std::vector<float>> scorer_logits(const Model& model, const Episode& episode) {
  Scorer scorer(model);
  std::vector<std::vector<float>> all;
  BipartiteGraph graph;
  for (const State& state : episode.states) {
    if (all.empty() || state.topology != episode.states[all.size() - 1].topology) graph.topology = episode.topologies[static_cast<std::size_t>(state.topology)];
    graph.variable_features = state.variable_features;
    graph.row_features = state.row_features;
    scorer.score(graph, static_cast<std::uint64_t>(state.topology), state.candidates, all.emplace_back(state.candidates.size()));
  }
  return all;
}

class ParityOfFamily : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Families, ParityOfFamily, testing::ValuesIn(family_names()), [](const auto& name) { return name.param; });

TEST_P(ParityOfFamily, TrainerAndSolverAgree) {
  const Family& family = family_by_name(GetParam());
  std::vector<Episode> episodes;
  std::size_t n = 0;
  for (std::uint64_t seed = 0; n < n_nodes; ++seed) {
    ASSERT_LT(seed, 2000U) << "the instances have too few nodes";
    Episode episode = episode_of(generate_instance(family, resolve_parameters(family, Size::tiny), seed));
    if (episode.states.empty()) continue;
    n += episode.states.size();
    episodes.push_back(std::move(episode));
  }
  const TemporaryDirectory directory;
  write_set(directory.path() / "set", episodes, GetParam());
  write_set(directory.path() / "most", {episodes.begin(), episodes.end() - 1}, "train");
  write_set(directory.path() / "last", {episodes.back()}, "valid");
  const auto bough = [&](const std::string& arguments) {
    const Finished run = run_program(words_of("bough train " + arguments), directory.path());
    ASSERT_EQ(run.exit_code, 0) << arguments << "\n" << run.err;
  };
  for (const std::string network : {"gcnn", "gat --attention sum", "tgat --attention concat"}) {
    SCOPED_TRACE(network);
    bough(std::format("--data most --valid last --policy {} --epochs 1 --force -q -o model.safetensors", network));
    bough("--test model.safetensors --data set --logits logits.safetensors");
    if (HasFatalFailure()) return;
    const Model model = read_model(directory.path() / "model.safetensors");
    const auto trainer = SafeTensors::parse(read_file(directory.path() / "logits.safetensors"), "logits");
    std::vector<std::vector<float>> all;
    for (std::size_t e = 0; e < episodes.size(); ++e) all.push_back(trainer.vector<float>(std::format("episode-{}.logits", e)));
    float low = all[0][0], high = low;
    for (const auto& logits : all) low = std::min(low, std::ranges::min(logits)), high = std::max(high, std::ranges::max(logits));
    const float tolerance = 1e-4F * (high - low);
    on_every_target([&] {
      for (std::size_t e = 0; e < episodes.size(); ++e) {
        const auto start = trainer.vector<std::int64_t>(std::format("episode-{}.start", e));
        const auto solver = scorer_logits(model, episodes[e]);
        ASSERT_EQ(start.size(), solver.size() + 1);
        for (std::size_t s = 0; s < solver.size(); ++s) {
          const std::span<const float> expected(all[e].data() + start[s], solver[s].size());
          ASSERT_EQ(static_cast<std::size_t>(start[s + 1] - start[s]), expected.size());
          for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_NEAR(solver[s][k], expected[k], tolerance) << "episode " << e << ", state " << s;
          const auto chosen = static_cast<std::size_t>(std::ranges::max_element(solver[s]) - solver[s].begin());
          ASSERT_GE(expected[chosen], std::ranges::max(expected) - tolerance) << "another choice, and not for a near tie";
        }
      }
    });
  }
}

}  // namespace
}  // namespace bough::test
