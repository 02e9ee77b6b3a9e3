// SPDX-License-Identifier: Apache-2.0
//
// The scorer on the LPs of real solves: features as SCIP gives them, candidates that come and go, topologies that change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "bough/instance/family.hpp"
#include "bough/model/scorer.hpp"
#include "bough/observe/extract.hpp"
#include "bough/observe/policy.hpp"
#include "bough/scip/problem.hpp"
#include "tests/decisions.hpp"
#include "tests/models.hpp"
#include "tests/nodes.hpp"

namespace bough::test {
namespace {

/// The first decisions of a solve, as a scorer would see them.
std::vector<Decision> decisions_of(const Milp& milp, const Settings& settings, std::size_t n) {
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), milp);
  apply_settings(scip.get(), settings);
  std::vector<Decision> decisions;
  GraphExtractor extractor;
  solve_visiting(scip.get(), [&](SCIP* s) {
    if (decisions.size() == n) {
      check(SCIPinterruptSolve(s));
      return SCIP_DIDNOTRUN;
    }
    Decision decision{extractor.extract(s), extractor.topology_version(), {}};
    locate_candidates(lp_candidates(s).variables, decision.candidates);
    decisions.push_back(std::move(decision));
    return SCIP_DIDNOTRUN;
  });
  return decisions;
}

/// Random weights, and statistics as training sets them: with the features' own means and deviations.
Model model_for(const Architecture& architecture, const std::vector<Decision>& decisions) {
  Model model = random_model(architecture, 31);
  const auto fit = [&](const std::string& name, const std::vector<float>& values, std::size_t n_features) {
    for (std::size_t f = 0; f < n_features; ++f) {
      double sum = 0;
      double squares = 0;
      const auto n = static_cast<double>(values.size() / n_features);
      for (std::size_t k = f; k < values.size(); k += n_features) sum += values[k], squares += double{values[k]} * values[k];
      const double variance = squares / n - sum / n * (sum / n);
      model.tensors.at(name + ".mean")[f] = static_cast<float>(sum / n);
      model.tensors.at(name + ".std")[f] = variance > 1e-6 ? static_cast<float>(std::sqrt(variance)) : 1.0F;
    }
  };
  fit("variable", decisions[0].graph.variable_features, n_variable_features);
  fit("row", decisions[0].graph.row_features, n_row_features);
  fit("edge", decisions[0].graph.topology.edge_coefficient, 1);
  return model;
}

void expect_scores(const std::vector<Decision>& all) {
  using enum Network;
  for (const Architecture& architecture : {Architecture{gcnn, 16}, Architecture{gat, 16, 2, 1, Attention::sum}, Architecture{tgat, 16, 2, 4, Attention::concat}}) {
    SCOPED_TRACE(name_of(architecture));
    const Model model = model_for(architecture, all);
    const auto decisions = std::span(all).first(architecture.remembers() ? all.size() : std::min<std::size_t>(all.size(), 2));  // the reference is slow
    const auto expected = expected_logits(model, decisions);
    Scorer scorer(model);
    for (std::size_t t = 0; t < decisions.size(); ++t) {
      std::vector<float> logits(decisions[t].candidates.size());
      scorer.score(decisions[t].graph, decisions[t].version, decisions[t].candidates, logits);
      expect_logits(logits, expected[t], t);
    }
  }
}

class ScorerOfFamily : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Families, ScorerOfFamily, testing::ValuesIn(family_names()), [](const auto& name) { return name.param; });

TEST_P(ScorerOfFamily, GivesTheLogitsOfTheDocument) {
  const Family& family = family_by_name(GetParam());
  std::vector<Decision> decisions;
  for (std::uint64_t seed = 0; decisions.size() < 4; ++seed) {
    ASSERT_LT(seed, 30U) << "the instances have too few nodes";
    decisions = decisions_of(generate_instance(family, resolve_parameters(family, Size::tiny), seed), plain_lp(), 6);
  }
  expect_scores(decisions);
}

TEST(ScorerOfLps, FollowsSolvesThatChangeTheirLps) {
  for (const auto& [name, settings] : restless_settings()) {
    SCOPED_TRACE(name);
    std::size_t n_decisions = 0;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const auto decisions = decisions_of(mixed_milp(seed), settings, 12);
      if (decisions.empty()) continue;
      n_decisions += decisions.size();
      expect_scores(decisions);
    }
    EXPECT_GT(n_decisions, 15U);
  }
}

}  // namespace
}  // namespace bough::test
