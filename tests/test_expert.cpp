// SPDX-License-Identifier: Apache-2.0
//
// The teacher is SCIP's vanillafullstrong, and asking it changes nothing.
#include <gtest/gtest.h>

#include <scip/branch_vanillafullstrong.h>

#include <algorithm>
#include <cmath>
#include <format>
#include <map>

#include "bough/branch/policies.hpp"
#include "bough/collect/expert.hpp"
#include "bough/collect/sampler.hpp"
#include "bough/instance/family.hpp"
#include "bough/observe/extract.hpp"
#include "bough/scip/problem.hpp"
#include "tests/nodes.hpp"

namespace bough::test {
namespace {

Settings paper(std::uint32_t seed) {
  Settings settings;
  settings.preset = "paper";
  settings.seed = seed;
  return settings;
}

/// Without root cuts and heuristics, so that small instances have many nodes.
Settings many_nodes(std::uint32_t seed) {
  Settings settings = paper(seed);
  settings.overrides = without_heuristics();
  settings.overrides.emplace_back("separating/maxroundsroot", "0");
  return settings;
}

Milp tiny(const std::string& family_name, std::uint64_t seed) {
  const Family& family = family_by_name(family_name);
  return generate_instance(family, resolve_parameters(family, Size::tiny), seed);
}

class ExpertOnFamily : public testing::TestWithParam<std::string> {};

/// Where a solve went: node, depth and bounds of every decision.
struct Step {
  std::int64_t node;
  int depth;
  double lp_objective, dual_bound, primal_bound;
  bool operator==(const Step&) const = default;
};
void PrintTo(const Step& s, std::ostream* out) { *out << std::format("node {} depth {} lp {} [{}, {}]", s.node, s.depth, s.lp_objective, s.dual_bound, s.primal_bound); }

Step here(SCIP* scip) {
  return {SCIPnodeGetNumber(SCIPgetCurrentNode(scip)), SCIPgetDepth(scip), SCIPgetLPObjval(scip), SCIPgetLowerbound(scip), SCIPgetUpperbound(scip)};
}

/// A solve by SCIP's own rule, seen by a visitor that is asked before it: where it goes, and the scores it collected, by node.
struct Original {
  std::vector<Step> steps;
  std::map<std::int64_t, std::vector<double>> scores;  // every candidate's
  std::map<std::int64_t, int> choices;
};
Original solve_with_scips_rule(const Milp& milp, const Settings& settings) {
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), milp);
  apply_settings(scip.get(), settings);
  for (const auto& [name, value] : {std::pair{"priority", "450000"}, {"scoreall", "TRUE"}, {"idempotent", "TRUE"}, {"collectscores", "TRUE"}, {"integralcands", "FALSE"}}) {
    set_parameter(scip.get(), std::format("branching/vanillafullstrong/{}", name), value);
  }
  Original original;
  const auto keep_scores = [&](SCIP* s) {  // of the decision before this one
    if (original.steps.empty()) return;
    double* scores = nullptr;
    int n = 0;
    int best = -1;
    check(SCIPgetVanillafullstrongData(s, nullptr, &scores, &n, nullptr, &best));
    original.scores[original.steps.back().node].assign(scores, scores + n);
    original.choices[original.steps.back().node] = best;
  };
  solve_visiting(scip.get(), [&](SCIP* s) {
    keep_scores(s);
    original.steps.push_back(here(s));
    return SCIP_DIDNOTRUN;
  });
  keep_scores(scip.get());
  return original;
}

/// An episode, and where it went.
struct Trip {
  std::vector<Step> steps;
  SampledEpisode sampled;
};
Trip trip(const Milp& milp, const Settings& settings, const Sampling& sampling, std::uint64_t seed, const char* explorer_name = "pscost") {
  Trip trip;
  const auto explorer = make_policy(explorer_name, seed);
  EpisodeRequest request;
  request.load = [&](SCIP* scip) {
    load_problem(scip, milp);
    include_visitor(scip, 2'000'000, [&](SCIP* s) {  // asked before the sampler
      trip.steps.push_back(here(s));
      return SCIP_DIDNOTRUN;
    });
  };
  request.settings = settings;
  request.sampling = sampling;
  request.explorer = explorer.get();
  request.seed = seed;
  trip.sampled = sample_episode(request);
  return trip;
}

/// Looks at every node with an extractor of its own, as a network does.
class Watcher final : public Policy {
 public:
  void begin(SCIP* scip) override {
    extractor_.begin(scip);
    ++n_runs;
  }
  void score(SCIP* scip, const Candidates& candidates, std::span<double> scores) override {
    std::ranges::copy(candidates.fractions, scores.begin());
    objectives.emplace_back();
    const BipartiteGraph& graph = extractor_.extract(scip);
    for (std::size_t j = 0; j < graph.topology.n_variables(); ++j) objectives.back().push_back(graph.variable(j, VariableFeature::objective));
    if (SCIPgetNRuns(scip) == 1) first_norm_ = SCIPgetObjNorm(scip);
    n_shrunk += SCIPgetNRuns(scip) > 1 && SCIPgetObjNorm(scip) < 0.99 * first_norm_;
  }
  std::vector<std::vector<float>> objectives;  // (n_decisions, n_variables)
  int n_runs = 0;
  int n_shrunk = 0;                            ///< decisions after a restart that left less of the objective

 private:
  GraphExtractor extractor_;
  double first_norm_ = 0;
};

// 6 and 6 less a part in 10^12 tie, 5.9 does not; so it is in any unit.  To SCIP's epsilon, an absolute 1e-9, all of the first are equal, and
// none of the last.
TEST(Expert, TiesDoNotDependOnTheObjectivesUnit) {
  for (const double unit : {1e-12, 1.0, 1e20}) {
    const std::vector<double> score{5.9 * unit, 6 * unit, 6 * (1 - 1e-12) * unit, 1e-3 * unit};
    std::vector<std::uint8_t> best(score.size());
    mark_best(score, best);
    EXPECT_EQ(best, (std::vector<std::uint8_t>{0, 1, 1, 0})) << unit;
  }
}

// What is learned from and what is solved with look alike, after restarts too.
TEST(Sampler, KeepsStatesAsAPolicySeesThemAlsoAfterARestart) {
  int n_shrunk = 0;
  for (std::uint64_t seed = 0; n_shrunk < 10; ++seed) {
    ASSERT_LT(seed, 40U) << "hardly a restart left less of the objective";
    Watcher watcher;
    EpisodeRequest request;
    request.load = [&](SCIP* scip) { load_problem(scip, mixed_milp(seed)); };
    for (const auto& [name, settings] : restless_settings()) {
      if (name == "restarts") request.settings = settings;
    }
    request.sampling.start = Start::first;
    request.sampling.window = 1;
    request.sampling.max_labels = 200;
    request.sampling.max_nodes = 200;
    request.sampling.follow = Follow::explorer;
    request.explorer = &watcher;
    for (const State& state : sample_episode(request).episode.states) {
      const std::vector<float>& seen = watcher.objectives.at(static_cast<std::size_t>(state.decision));
      ASSERT_EQ(state.variable_features.size(), seen.size() * n_variable_features);
      for (std::size_t j = 0; j < seen.size(); ++j) EXPECT_EQ(state.variable_features[j * n_variable_features + static_cast<std::size_t>(VariableFeature::objective)], seen[j]);
    }
    EXPECT_GT(watcher.n_runs, 0);
    n_shrunk += watcher.n_shrunk;
  }
}

TEST_P(ExpertOnFamily, FollowedAtEveryNodeItMakesTheDecisionsOfScipsOwnRuleFromTheSameScores) {
  Sampling sampling;
  sampling.start = Start::first;
  sampling.window = 1;
  sampling.max_labels = 1'000'000;
  sampling.max_nodes = 60;
  std::size_t n_labels = 0;
  for (std::uint32_t seed = 0; n_labels < 200; ++seed) {
    ASSERT_LT(seed, 100U) << "the instances have too few nodes";
    const Milp milp = tiny(GetParam(), seed);
    Settings settings = many_nodes(seed);
    settings.node_limit = sampling.max_nodes;
    const Original theirs = solve_with_scips_rule(milp, settings);
    const Trip ours = trip(milp, settings, sampling, seed);
    ASSERT_EQ(ours.steps, theirs.steps) << "instance " << seed;
    for (const State& state : ours.sampled.episode.states) {
      ASSERT_TRUE(state.label);
      const Label& label = *state.label;
      if (!ends_node(label)) {  // otherwise SCIP's rule stops at the first candidate that does
        EXPECT_EQ(label.score, theirs.scores.at(state.node)) << "instance " << seed << " node " << state.node;
        EXPECT_EQ(label.choice, theirs.choices.at(state.node));
      }
      EXPECT_EQ(state.chosen, label.choice);
      const double best = *std::ranges::max_element(label.score);
      for (std::size_t k = 0; k < label.score.size(); ++k) {
        EXPECT_GE(label.down_gain[k], 0);
        EXPECT_GE(label.up_gain[k], 0);
        EXPECT_EQ(label.best[k], label.score[k] >= best * (1 - 1e-9)) << "ties are relative";
      }
    }
    n_labels += ours.sampled.episode.states.size();
  }
}

TEST_P(ExpertOnFamily, WhatIsLabelledDoesNotSteerTheSolve) {
  Sampling everywhere;
  everywhere.follow = Follow::explorer;
  everywhere.start = Start::first;
  everywhere.max_labels = 1'000'000;
  everywhere.max_nodes = 60;
  Sampling somewhere = everywhere;
  somewhere.start = Start::anywhere;
  somewhere.probability = 0.2;
  Sampling last = somewhere;
  last.labels = Labels::last;
  Sampling nowhere = somewhere;
  nowhere.probability = 0;
  std::size_t n_steps = 0;
  for (std::uint32_t seed = 0; seed < 2; ++seed) {
    const Milp milp = tiny(GetParam(), seed);
    // SCIP's own rule as explorer in a solve with everything that `paper` leaves on, a rule of ours in one with many nodes.
    for (const auto& [explorer, settings] : {std::pair{"pscost", paper(seed)}, std::pair{"pscost", many_nodes(seed)}, std::pair{"random", many_nodes(seed)}}) {
      const Trip none = trip(milp, settings, nowhere, seed, explorer);
      EXPECT_EQ(trip(milp, settings, everywhere, seed, explorer).steps, none.steps) << explorer << " on instance " << seed;
      EXPECT_EQ(trip(milp, settings, somewhere, seed, explorer).steps, none.steps) << explorer << " on instance " << seed;
      EXPECT_EQ(trip(milp, settings, last, seed, explorer).steps, none.steps) << explorer << " on instance " << seed;
      EXPECT_EQ(none.sampled.episode.states.size(), 0U);
      n_steps += none.steps.size();
    }
  }
  EXPECT_GT(n_steps, 40U) << "the instances have too few nodes";
}

TEST(Expert, GivesNoLabelOnceTheSolveIsStopped) {
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), mixed_milp(0));
  apply_settings(scip.get(), plain_lp());
  int n_visits = 0;
  solve_visiting(scip.get(), [&](SCIP* s) {
    ++n_visits;
    Expert expert;
    Label label;
    EXPECT_FALSE(expert.ask(s, lp_candidates(s), label)) << "a complete label";
    EXPECT_GE(label.choice, 0);
    check(SCIPinterruptSolve(s));
    EXPECT_EQ(expert.ask(s, lp_candidates(s), label), NoLabel::limit);
    EXPECT_EQ(label.choice, -1);
    return SCIP_DIDNOTRUN;
  });
  EXPECT_EQ(n_visits, 1);
}

TEST(Expert, AllCandidatesThatEndANodeTieForTheBestScoreAndNoDecisionFollowsBelowIt) {
  Sampling sampling;
  sampling.start = Start::first;
  sampling.max_labels = 1'000'000;
  std::size_t n_ended = 0;
  std::size_t n_tied = 0;
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    const Trip followed = trip(tiny("setcover", seed), paper(seed), sampling, seed);
    EXPECT_EQ(followed.sampled.episode.states.size(), followed.steps.size()) << "every decision has its state";
    for (const State& state : followed.sampled.episode.states) {
      ASSERT_TRUE(state.label);
      EXPECT_EQ(state.chosen, state.label->choice);
      if (!ends_node(*state.label)) continue;
      ++n_ended;
      for (std::size_t k = 0; k < state.candidates.size(); ++k) {
        EXPECT_EQ(state.label->best[k] != 0, state.label->infeasible[k] == 3);
        n_tied += state.label->best[k];
      }
    }
  }
  EXPECT_GT(n_ended, 0U) << "the instances show nothing";
  EXPECT_GT(n_tied, n_ended);
}

INSTANTIATE_TEST_SUITE_P(Families, ExpertOnFamily, testing::ValuesIn(family_names()), [](const auto& name) { return name.param; });

}  // namespace
}  // namespace bough::test
