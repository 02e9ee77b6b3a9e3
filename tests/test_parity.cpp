// SPDX-License-Identifier: Apache-2.0
//
// Trainer against solver: the logits that bough-train computes from a written set are those that the scorer computed in the solve, at
// 2,000 nodes of every family, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>
#include <map>

#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/model/scorer.hpp"
#include "bough/observe/extract.hpp"
#include "bough/observe/policy.hpp"
#include "bough/safetensors.hpp"
#include "bough/scip/problem.hpp"
#include "tests/models.hpp"
#include "tests/nodes.hpp"
#include "tests/process.hpp"
#include "tests/targets.hpp"
#include "tests/train/episodes.hpp"

namespace bough::test {
namespace {

constexpr std::size_t n_nodes = 2000;

/// A network that decides in the solve, once for each instruction set of this CPU.
struct Contender {
  std::string name;
  Model model;
  std::map<std::int64_t, Scorer> scorers;                                            // by target
  std::map<std::int64_t, std::vector<std::vector<std::vector<float>>>> logits;  // by target, episode, state
};

std::vector<Contender> contenders() {
  using enum Network;
  std::vector<Contender> all;
  for (const Architecture& architecture : {Architecture{gcnn, 32}, Architecture{gat, 32, 2, 1, Attention::sum}, Architecture{tgat, 32, 2, 4, Attention::concat}}) {
    all.push_back({name_of(architecture), random_model(architecture, 7), {}, {}});
    for (const std::int64_t target : compiled_targets()) {
      if ((hwy::SupportedTargets() & target) != 0) all.back().scorers.emplace(target, Scorer(all.back().model));
    }
  }
  return all;
}

/// All decisions of a solve as one window of an episode, scored on the way.
Episode follow(const Milp& milp, const Settings& settings, std::vector<Contender>& all) {
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), milp);
  apply_settings(scip.get(), settings);
  Episode episode;
  GraphExtractor extractor;
  std::uint64_t version = 0;
  for (Contender& c : all) {
    for (auto& [target, scorer] : c.scorers) {
      scorer.forget();
      c.logits[target].emplace_back();
    }
  }
  solve_visiting(scip.get(), [&](SCIP* s) {
    if (episode.states.size() == n_nodes) {
      check(SCIPinterruptSolve(s));
      return SCIP_DIDNOTRUN;
    }
    const BipartiteGraph& graph = extractor.extract(s);
    if (version != extractor.topology_version()) episode.topologies.push_back(graph.topology);
    version = extractor.topology_version();
    State state;
    state.topology = static_cast<std::int32_t>(episode.topologies.size()) - 1;
    state.variable_features = graph.variable_features;
    state.row_features = graph.row_features;
    locate_candidates(lp_candidates(s).variables, state.candidates);
    state.decision = static_cast<std::int64_t>(episode.states.size());
    for (Contender& c : all) {
      for (auto& [target, scorer] : c.scorers) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        auto& logits = c.logits[target].back().emplace_back(state.candidates.size());
        scorer.score(graph, version, state.candidates, logits);
      }
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
    episode.states.push_back(std::move(state));
    return SCIP_DIDNOTRUN;
  });
  episode.window_start.push_back(static_cast<std::int32_t>(episode.states.size()));
  return episode;
}

class ParityOfFamily : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Families, ParityOfFamily, testing::ValuesIn(family_names()), [](const auto& name) { return name.param; });

TEST_P(ParityOfFamily, TrainerAndSolverAgree) {
  const Family& family = family_by_name(GetParam());
  auto all = contenders();
  std::vector<Episode> episodes;
  std::size_t n = 0;
  Settings settings{.preset = "paper"};
  settings.overrides = without_heuristics();  // more nodes
  for (std::uint64_t seed = 0; n < n_nodes; ++seed) {
    ASSERT_LT(seed, 2000U) << "the instances have too few nodes";
    Episode episode = follow(generate_instance(family, resolve_parameters(family, Size::tiny), seed), settings, all);
    if (episode.states.empty()) {
      for (Contender& c : all) {
        for (auto& [target, logits] : c.logits) logits.pop_back();
      }
      continue;
    }
    n += episode.states.size();
    episodes.push_back(std::move(episode));
  }
  const TemporaryDirectory directory;
  write_set(directory.path() / "set", episodes, GetParam());
  for (const Contender& c : all) {
    SCOPED_TRACE(c.name);
    write_file(directory.path() / "model.safetensors", model_bytes(c.model));
    const Finished test = run_program({"bough", "train", "--test", "model.safetensors", "--data", "set", "--logits", "logits.safetensors"}, directory.path());
    ASSERT_EQ(test.exit_code, 0) << test.err;
    const auto trainer = SafeTensors::parse(read_file(directory.path() / "logits.safetensors"), "logits");
    for (const auto& [target, solver] : c.logits) {
      SCOPED_TRACE(hwy::TargetName(target));
      for (std::size_t e = 0; e < episodes.size(); ++e) {
        const auto start = trainer.vector<std::int64_t>(std::format("episode-{}.start", e));
        const auto logits = trainer.vector<float>(std::format("episode-{}.logits", e));
        ASSERT_EQ(start.size(), solver[e].size() + 1);
        for (std::size_t s = 0; s < solver[e].size(); ++s) {
          const std::span<const float> expected(logits.data() + start[s], solver[e][s].size());
          ASSERT_EQ(static_cast<std::size_t>(start[s + 1] - start[s]), expected.size());
          // Relative to the range of the state's logits.  A range of the size of rounding itself says nothing about a preference.
          const auto [low, high] = std::ranges::minmax(expected);
          const float tolerance = 1e-4F * std::max(high - low, 1e-2F * std::max(std::abs(low), std::abs(high)));
          for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_NEAR(solver[e][s][k], expected[k], tolerance) << "episode " << e << ", state " << s;
          const auto chosen = static_cast<std::size_t>(std::ranges::max_element(solver[e][s]) - solver[e][s].begin());
          ASSERT_GE(expected[chosen], high - tolerance) << "another choice, and not for a near tie";
        }
      }
    }
  }
}

}  // namespace
}  // namespace bough::test
