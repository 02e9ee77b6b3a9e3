// SPDX-License-Identifier: Apache-2.0
//
// The rule `bough`: whatever a network's weights are, SCIP's answer is the same, and what the network could not decide is counted.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <format>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "bough/branch/model_policy.hpp"
#include "bough/branch/rule.hpp"
#include "bough/branch/solve.hpp"
#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/instance/write.hpp"
#include "bough/scip/problem.hpp"
#include "tests/allocations.hpp"
#include "tests/models.hpp"
#include "tests/nodes.hpp"

namespace bough::test {
namespace {

constexpr Architecture gcnn{.network = Network::gcnn, .d = 16};
constexpr Architecture gat{.network = Network::gat, .d = 16, .heads = 2, .attention = Attention::sum};
constexpr Architecture tgat{.network = Network::tgat, .d = 16, .heads = 2, .memory = 4, .attention = Attention::concat};

Milp tiny(const std::string& family_name, std::uint64_t seed) {
  const Family& family = family_by_name(family_name);
  return generate_instance(family, resolve_parameters(family, Size::tiny), seed);
}

/// Cuts at the root only and no heuristics: a tree of some nodes even for a small instance.
Settings with_a_tree() { return restless_settings().front().second; }

struct Solved {
  RunStatistics statistics;
  BranchingCounts counts;
};

Solved solve(const Milp& milp, const Settings& settings, const Model* model, const DecisionHook& on_decision = {}, bool strict = false,
             std::function<void(SCIP*)> begin = {}) {
  Solved solved;
  std::exception_ptr error;
  const ScipPtr owner = create_scip();
  SCIP* scip = owner.get();
  load_problem(scip, milp);
  if (model != nullptr) include_rule(scip, {.counts = &solved.counts, .error = &error, .on_decision = on_decision});
  apply_settings(scip, settings);
  if (model != nullptr) use_model(scip, *model, "in memory");
  if (strict) be_strict(scip);
  if (begin) include_visitor(scip, 0, [](SCIP*) { return SCIP_DIDNOTRUN; }, std::move(begin));
  solved.statistics = run(scip, {}, error);
  return solved;
}

/// Every trained weight replaced.
Model with_weights(Model model, const std::function<float(float)>& weight) {
  for (const TensorSpec& spec : tensors_of(model.architecture)) {
    if (!spec.trained) continue;
    for (float& w : model.tensors.at(spec.name)) w = weight(w);
  }
  return model;
}
Model zero_model(const Architecture& architecture) {
  return with_weights(random_model(architecture, 0), [](float) { return 0.0F; });
}
Model negated_model(const Architecture& architecture, std::uint64_t seed) {
  return with_weights(random_model(architecture, seed), [](float w) { return -w; });
}
Model overflowing_model(const Architecture& architecture) {
  return with_weights(random_model(architecture, 0), [](float) { return 1e30F; });
}
/// Infinities of both signs meet, and what comes out is not a number.
Model cancelling_model(const Architecture& architecture, std::uint64_t seed) {
  return with_weights(random_model(architecture, seed), [](float w) { return w < 0 ? -1e30F : 1e30F; });
}

/// Solves instances of a family with random, constant, negated and overflowing weights in turn, each of all three networks.
/// SCIP stops when the gap is closed to its own epsilon, so two proofs may differ by that.
void expect_scips_optimum(const std::string& family, std::uint64_t first_seed, std::uint64_t end_seed) {
  std::int64_t n_decisions = 0;
  std::int64_t n_fallbacks = 0;
  for (std::uint64_t seed = first_seed; seed < end_seed; ++seed) {
    const Milp milp = tiny(family, 100 + seed);
    const Architecture architecture = std::array{gcnn, gat, tgat}[seed % 3];
    const bool overflows = seed % 4 == 3;
    Model model = std::array{random_model(architecture, seed), zero_model(architecture), negated_model(architecture, seed),
                             overflowing_model(architecture)}[seed % 4];
    model.pseudocosts = std::array{0.0, 2.0}[seed / 4 % 2];
    Settings settings = with_a_tree();
    settings.seed = static_cast<std::uint32_t>(seed);
    const double optimum = solve(milp, settings, nullptr).statistics.primal_bound;
    const Solved solved = solve(milp, settings, &model);
    EXPECT_EQ(solved.statistics.status, "optimal") << seed;
    EXPECT_NEAR(solved.statistics.primal_bound, optimum, 1e-6 * std::max(1.0, std::abs(optimum))) << seed;
    if (overflows) {
      EXPECT_EQ(solved.counts.n_decisions, 0) << seed;
      EXPECT_EQ(solved.counts.fallbacks[static_cast<std::size_t>(Fallback::non_finite_score)], solved.counts.n_fallbacks);
    } else {
      EXPECT_EQ(solved.counts.n_fallbacks, 0) << seed;
    }
    n_decisions += solved.counts.n_decisions;
    n_fallbacks += solved.counts.n_fallbacks;
  }
  EXPECT_GT(n_decisions, 0);
  EXPECT_GT(n_fallbacks, 0);
}

/// A family and the part of its 34 instances: in parts, so that cores share them.
class AnyWeights : public testing::TestWithParam<std::tuple<std::string, std::uint64_t>> {};

// Six families: 204 instances.
TEST_P(AnyWeights, GiveScipsOptimum) {
  const auto [family, part] = GetParam();
  expect_scips_optimum(family, part * 17, (part + 1) * 17);
}

const auto family_and_part = [](const testing::TestParamInfo<std::tuple<std::string, std::uint64_t>>& test) {
  return std::format("{}_{}", std::get<0>(test.param), std::get<1>(test.param));
};
INSTANTIATE_TEST_SUITE_P(Families, AnyWeights, testing::Combine(testing::ValuesIn(family_names()), testing::Values(0, 1)), family_and_part);

/// One decision as it was seen from outside.
struct Seen {
  BipartiteGraph graph;
  std::uint64_t topology = 0;
  int run = 0;
  std::vector<std::int32_t> candidates;
  std::vector<double> scores;
};

class Memory : public testing::TestWithParam<std::string> {};

// The scores of every decision are those of a scorer that has seen only the decisions before it on the same rows in the same run.
TEST_P(Memory, HoldsTheDecisionsSinceTheRowsChangedAndNothingElse) {
  Settings settings;
  for (const auto& [name, some] : restless_settings()) {
    if (name == GetParam()) settings = some;
  }
  const Model model = random_model(tgat, 7);
  std::size_t n_changes = 0;
  std::size_t n_continued = 0;
  std::int64_t n_restarts = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    GraphExtractor extractor;
    std::vector<Seen> decisions;
    const auto hook = [&](SCIP* scip, const Candidates& candidates, std::span<const double> scores, std::size_t) {
      Seen& seen = decisions.emplace_back();
      seen.graph = extractor.extract(scip);
      seen.topology = extractor.topology_version();
      seen.run = SCIPgetNRuns(scip);
      locate_candidates(candidates.variables, seen.candidates);
      seen.scores.assign(scores.begin(), scores.end());
    };
    const Milp milp = tiny("setcover", seed);
    const Solved solved = solve(milp, settings, &model, hook, /*strict=*/false, [&](SCIP* scip) { extractor.begin(scip); });
    n_restarts += solved.statistics.n_runs - 1;
    EXPECT_NEAR(solved.statistics.primal_bound, solve(milp, settings, nullptr).statistics.primal_bound, 1e-6);
    for (std::size_t t = 0; t < decisions.size(); ++t) {
      const Seen& now = decisions[t];
      std::size_t first = t;
      while (first > 0 && t - first < 3 && decisions[first - 1].topology == now.topology && decisions[first - 1].run == now.run) --first;
      n_continued += first < t;
      n_changes += t > 0 && first == t;
      Scorer fresh(model);
      std::vector<float> logits;
      for (std::size_t s = first; s <= t; ++s) {
        logits.resize(decisions[s].candidates.size());
        fresh.score(decisions[s].graph, 1, decisions[s].candidates, logits);
      }
      for (std::size_t k = 0; k < logits.size(); ++k) {
        EXPECT_NEAR(now.scores[k], logits[k], 1e-5 * std::max(1.0F, std::abs(logits[k]))) << "decision " << t << ", candidate " << k;
      }
    }
  }
  EXPECT_GT(n_continued, 0U);
  EXPECT_TRUE(n_changes > 0 || GetParam() != "cuts in the tree");
  EXPECT_TRUE(n_restarts > 0 || GetParam() != "restarts");
}

INSTANTIATE_TEST_SUITE_P(Settings, Memory, testing::Values("root cuts", "cuts in the tree", "restarts"), [](const auto& setting) {
  std::string name = setting.param;
  std::ranges::replace(name, ' ', '_');
  return name;
});

TEST(ModelPolicy, AllocatesNothingOnceTheTopologyIsKnown) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer has its own operator new";
#endif
  for (const Architecture& architecture : {gcnn, gat, tgat}) {
    GraphExtractor extractor;
    Model model = random_model(architecture, 1);
    model.pseudocosts = architecture.attends() ? 0 : 2;
    ModelPolicy policy(model);
    std::vector<double> scores(10'000);
    std::uint64_t known = 0;
    int n_measured = 0;
    const ScipPtr scip = create_scip();
    load_problem(scip.get(), tiny("setcover", 3));
    apply_settings(scip.get(), with_a_tree());
    solve_visiting(scip.get(), [&](SCIP* at) {
      extractor.extract(at);
      const Candidates candidates = lp_candidates(at);
      const std::size_t before = n_allocations();
      policy.score(at, candidates, std::span(scores).first(candidates.variables.size()));
      if (extractor.topology_version() == known) {
        EXPECT_EQ(n_allocations(), before);
        ++n_measured;
      }
      known = extractor.topology_version();
      return SCIP_DIDNOTRUN;
    });
    EXPECT_GT(n_measured, 3);
  }
}

// With e_k = log of a candidate's pseudocost score over the best one, at least log 0.001, and n_k the observations behind it in the rarer of the
// two directions, the weight w adds w n_k / (n_k + 4) (e_k - mean of e) to its logit: nothing where there is none.
TEST(ModelPolicy, PseudocostsCountAsMuchAsHasBeenObserved) {
  Model model = random_model(gcnn, 1);
  ModelPolicy network(model);
  model.pseudocosts = 1.5;
  ModelPolicy both(model);
  std::vector<double> logits(10'000), scores(10'000);
  std::size_t n_unknown = 0, n_known = 0, n_better = 0, n_worse = 0, n_at_least = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const ScipPtr owner = create_scip();
    load_problem(owner.get(), tiny("setcover", seed));
    apply_settings(owner.get(), with_a_tree());
    solve_visiting(owner.get(), [&](SCIP* scip) {
      const Candidates candidates = lp_candidates(scip);
      const std::size_t n = candidates.variables.size();
      network.score(scip, candidates, std::span(logits).first(n));
      both.score(scip, candidates, std::span(scores).first(n));
      std::vector<double> gains(n);
      for (std::size_t k = 0; k < n; ++k) gains[k] = SCIPgetVarPseudocostScore(scip, candidates.variables[k], candidates.values[k]);
      const double best = *std::ranges::max_element(gains);
      double sum = 0;
      for (double& gain : gains) {
        n_at_least += gain < 0.001 * best;
        sum += gain = std::max(std::log(gain / best), std::log(0.001));
      }
      for (std::size_t k = 0; k < n; ++k) {
        const double n_down = SCIPgetVarPseudocostCount(scip, candidates.variables[k], SCIP_BRANCHDIR_DOWNWARDS);
        const double n_up = SCIPgetVarPseudocostCount(scip, candidates.variables[k], SCIP_BRANCHDIR_UPWARDS);
        const double seen = std::min(n_down, n_up);
        const double added = 1.5 * seen / (seen + 4) * (gains[k] - sum / static_cast<double>(n));
        EXPECT_NEAR(scores[k], logits[k] + added, 1e-9);
        (seen > 0 ? n_known : n_unknown) += 1;
        n_better += added > 0.01;
        n_worse += added < -0.01;
      }
      return SCIP_DIDNOTRUN;
    });
  }
  EXPECT_GT(n_unknown, 0U);
  EXPECT_GT(n_known, 0U);
  EXPECT_GT(n_better, 0U);
  EXPECT_GT(n_worse, 0U);
  EXPECT_GT(n_at_least, 0U);
}

// branching/bough/pseudocosts: -1, the default, leaves it to the model.
TEST(Rule, HasAParameterThatDecidesHowMuchPseudocostsCountWhateverTheModelSays) {
  const auto all_scores = [&](double of_the_model, const std::string& parameter) {
    Model model = random_model(gcnn, 1);
    model.pseudocosts = of_the_model;
    Settings settings = with_a_tree();
    settings.overrides.emplace_back("branching/bough/pseudocosts", parameter);
    std::vector<double> all;
    solve(tiny("setcover", 3), settings, &model, [&](SCIP*, const Candidates&, std::span<const double> scores, std::size_t) { all.insert(all.end(), scores.begin(), scores.end()); });
    return all;
  };
  EXPECT_EQ(all_scores(0, "2"), all_scores(2, "-1"));
  EXPECT_EQ(all_scores(2, "0"), all_scores(0, "-1"));
  EXPECT_NE(all_scores(0, "-1"), all_scores(2, "-1"));
}

TEST(Rule, CountsNodesWithoutAnLpSolution) {
  Settings settings = with_a_tree();
  settings.overrides.emplace_back("lp/solvedepth", "0");  // only the root has an LP
  const Model model = random_model(tgat, 1);
  const Milp milp = tiny("auction", 0);
  const Solved solved = solve(milp, settings, &model);
  EXPECT_EQ(solved.statistics.status, "optimal");
  EXPECT_EQ(solved.counts.n_decisions, 1);
  EXPECT_GT(solved.counts.fallbacks[static_cast<std::size_t>(Fallback::no_lp_solution)], 0);
  EXPECT_EQ(solved.counts.fallbacks[static_cast<std::size_t>(Fallback::no_lp_solution)], solved.counts.n_fallbacks);
}

TEST(Rule, FallsBackWhereInfinitiesCancelInsideTheNetwork) {
  for (const Architecture& architecture : {gcnn, gat, tgat}) {
    const Model model = cancelling_model(architecture, 1);
    const Solved solved = solve(tiny("setcover", 3), with_a_tree(), &model);
    EXPECT_EQ(solved.counts.n_decisions, 0) << architecture_json(architecture);
    EXPECT_GT(solved.counts.fallbacks[static_cast<std::size_t>(Fallback::non_finite_score)], 0);
  }
}

TEST(Rule, MakesAFallbackAnErrorIfStrict) {
  const Model model = overflowing_model(gcnn);
  try {
    solve(tiny("setcover", 3), with_a_tree(), &model, {}, /*strict=*/true);
    FAIL() << "a fallback went by";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::failure);
    EXPECT_STREQ(error.what(), "the policy cannot decide at node 1: a score is not finite (non_finite_score)");
  }
}

TEST(Rule, FallsBackToRelpscostWhateverTheSettingsSay) {
  const TemporaryDirectory directory;
  SolveRequest request;
  request.instance = directory.path() / "instance.mps";
  write_milp(tiny("setcover", 3), request.instance);
  request.settings = with_a_tree();
  request.policy = "relpscost";
  const SolveResult expected = solve_file(request);
  request.policy = directory.path() / "model.safetensors";
  write_file(request.policy, model_bytes(overflowing_model(gat)));
  request.settings.overrides.emplace_back("branching/pscost/priority", "900000");
  const SolveResult result = solve_file(request);
  EXPECT_GT(result.branching.n_fallbacks, 0);
  EXPECT_EQ(result.branching.n_decisions, 0);
  EXPECT_EQ(result.statistics.n_nodes, expected.statistics.n_nodes);
  EXPECT_EQ(result.statistics.n_lp_iterations, expected.statistics.n_lp_iterations);
  EXPECT_EQ(result.statistics.n_strong_branching_iterations, expected.statistics.n_strong_branching_iterations);
}

TEST(Rule, DecidesWhateverPrioritiesTheSettingsGiveOrSaysThatItCannot) {
  const TemporaryDirectory directory;
  SolveRequest request;
  request.instance = directory.path() / "instance.mps";
  write_milp(tiny("setcover", 3), request.instance);
  request.policy = "random";
  request.settings = with_a_tree();
  request.settings.overrides.emplace_back("branching/bough/priority", "-1");
  const SolveResult result = solve_file(request);
  EXPECT_GT(result.branching.n_decisions, 0);
  request.settings.overrides.emplace_back("branching/fullstrong/priority", "5000000");
  for (const char* policy : {"random", "pscost"}) {
    request.policy = policy;
    if (request.policy == "pscost") request.settings.overrides.erase(request.settings.overrides.end() - 2);
    try {
      (void)solve_file(request);
      FAIL() << policy << ": full strong branching decided";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find("branching/fullstrong/priority = 5000000"), std::string::npos) << error.what();
    }
  }
}

TEST(Rule, KeepsItsModelWhenAProgramResetsItsParameters) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() / "model.safetensors";
  write_file(path, model_bytes(random_model(gat, 3)));
  const ScipPtr scip = create_scip();
  include_branching(scip.get(), path);
  check(SCIPresetParams(scip.get()));
  load_problem(scip.get(), tiny("setcover", 3));
  apply_settings(scip.get(), with_a_tree());
  check(SCIPsolve(scip.get()));
  EXPECT_GT(counts(scip.get()).n_decisions, 0);
}

TEST(Rule, OfTheSettingsDoesNotReplaceThePolicyThatWasAskedFor) {
  const TemporaryDirectory directory;
  SolveRequest request;
  request.instance = directory.path() / "instance.mps";
  write_milp(tiny("setcover", 3), request.instance);
  request.settings = with_a_tree();
  request.settings.overrides.emplace_back("branching/bough/model", "missing.safetensors");
  request.policy = "random";
  const SolveResult result = solve_file(request);
  EXPECT_GT(result.branching.n_decisions, 0);
  EXPECT_EQ(result.branching.inference_s, 0);
  EXPECT_GT(result.branching.total_s, 0);
}

/// A SCIP as an embedding program has it, with a problem that needs branching.
ScipPtr embedding_program() {
  ScipPtr scip = create_scip();
  load_problem(scip.get(), tiny("setcover", 3));
  apply_settings(scip.get(), with_a_tree());
  return scip;
}

std::string statistics_of(SCIP* scip, SCIP_RETCODE (*print)(SCIP*, FILE*)) {
  char* text = nullptr;
  std::size_t length = 0;
  FILE* stream = ::open_memstream(&text, &length);
  check(print(scip, stream));
  (void)std::fclose(stream);
  std::string result(text, length);
  std::free(text);
  return result;
}

TEST(IncludeBranching, BranchesWithTheModelAndReportsInScipsOwnStatistics) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "model.safetensors";
  write_file(file, model_bytes(random_model(tgat, 1)));
  const ScipPtr scip = embedding_program();
  include_branching(scip.get(), file);
  check(SCIPsolve(scip.get()));
  const BranchingCounts counts = bough::counts(scip.get());
  EXPECT_GT(counts.n_decisions, 1);
  EXPECT_EQ(counts.n_fallbacks, 0);
  EXPECT_GT(counts.extraction_s, 0);
  EXPECT_GT(counts.inference_s, 0);
  EXPECT_GE(counts.total_s, counts.extraction_s + counts.inference_s);

  EXPECT_NE(statistics_of(scip.get(), SCIPprintStatistics).find("Learned branching  :"), std::string::npos);
  const auto json = nlohmann::json::parse(statistics_of(scip.get(), SCIPprintStatisticsJson));
  EXPECT_EQ(json.at("learned_branching").at("decisions"), counts.n_decisions);
  EXPECT_EQ(json.at("learned_branching").at("fallbacks").at("non_finite_score"), 0);

  check(SCIPfreeTransform(scip.get()));  // once more: SCIP knows the optimum now, the counts start anew
  check(SCIPsolve(scip.get()));
  EXPECT_LT(bough::counts(scip.get()).n_decisions, counts.n_decisions);
  EXPECT_EQ(bough::counts(scip.get()).n_decisions > 0, SCIPgetNTotalNodes(scip.get()) > 1);
}

TEST(IncludeBranching, ReadsTheModelThatAParameterNames) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "model.safetensors";
  write_file(file, model_bytes(random_model(gcnn, 1)));
  for (const std::string& name : {std::string(), file.string()}) {
    const ScipPtr scip = embedding_program();
    include_branching(scip.get());
    check(SCIPsetStringParam(scip.get(), "branching/bough/model", name.c_str()));
    check(SCIPsolve(scip.get()));
    const BranchingCounts counts = bough::counts(scip.get());
    EXPECT_EQ(counts.n_decisions > 0, !name.empty());  // no model, nothing to say
    EXPECT_EQ(counts.n_fallbacks, 0);
  }
}

TEST(IncludeBranching, ReadsAModelThatAParameterNamesAgainForEverySolve) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "model.safetensors";
  write_file(file, model_bytes(random_model(gcnn, 1)));
  const ScipPtr scip = embedding_program();
  include_branching(scip.get());
  check(SCIPsetStringParam(scip.get(), "branching/bough/model", file.c_str()));
  check(SCIPsolve(scip.get()));
  check(SCIPfreeTransform(scip.get()));
  write_file(file, "no model any more");
  EXPECT_EQ(SCIPsolve(scip.get()), SCIP_ERROR);
  EXPECT_NE(take_scip_errors().find("model.safetensors"), std::string::npos);
}

TEST(IncludeBranching, SaysThatScipsExactModeAsksNoNetwork) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "model.safetensors", model_bytes(random_model(gcnn, 1)));
  write_milp(tiny("setcover", 3), directory.path() / "instance.mps");
  const ScipPtr scip = create_scip();
  if (SCIPenableExactSolving(scip.get(), TRUE) != SCIP_OKAY) GTEST_SKIP() << "this SCIP was built without exact solving";
  include_branching(scip.get(), directory.path() / "model.safetensors");
  check(SCIPreadProb(scip.get(), (directory.path() / "instance.mps").c_str(), nullptr));
  EXPECT_EQ(SCIPsolve(scip.get()), SCIP_ERROR);
  EXPECT_NE(take_scip_errors().find("exact mode"), std::string::npos);
}

TEST(IncludeBranching, EndsTheSolveBeforeItStartsIfThatModelIsNoModel) {
  const ScipPtr scip = embedding_program();
  include_branching(scip.get());
  check(SCIPsetStringParam(scip.get(), "branching/bough/model", "missing.safetensors"));
  EXPECT_EQ(SCIPsolve(scip.get()), SCIP_ERROR);
  EXPECT_NE(take_scip_errors().find("cannot read missing.safetensors"), std::string::npos);
}

TEST(IncludeBranching, LeavesScipAsItWasIfTheFileIsNoModel) {
  const ScipPtr scip = embedding_program();
  EXPECT_THROW(include_branching(scip.get(), "missing.safetensors"), Error);
  EXPECT_EQ(SCIPfindBranchrule(scip.get(), "bough"), nullptr);
  EXPECT_THROW((void)bough::counts(scip.get()), Error);
}

TEST(IncludeBranching, IsRefusedTheSecondTime) {
  const ScipPtr scip = embedding_program();
  include_branching(scip.get());
  EXPECT_THROW(include_branching(scip.get()), Error);
}

TEST(IncludeBranching, ShowsItsDecisionsInTheLog) {
  std::string log;
  const ScipPtr scip = create_scip([&](std::string_view text) { log += text; });
  load_problem(scip.get(), tiny("setcover", 3));
  apply_settings(scip.get(), with_a_tree());
  const TemporaryDirectory directory;
  write_file(directory.path() / "model.safetensors", model_bytes(random_model(gcnn, 1)));
  include_branching(scip.get(), directory.path() / "model.safetensors");
  check(SCIPsetIntParam(scip.get(), "display/freq", 1));
  check(SCIPsolve(scip.get()));
  // As wide as the heading is the column: in some line it holds a number of decisions.
  const std::size_t heading = log.find("|learn|");
  ASSERT_NE(heading, std::string::npos) << log;
  const std::size_t column = heading - (log.rfind('\n', heading) + 1);
  bool counted = false;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) counted |= line.size() > column + 6 && line[column] == '|' && std::atoi(line.substr(column + 1, 5).c_str()) > 0;
  EXPECT_TRUE(counted) << log;
}

}  // namespace
}  // namespace bough::test
