// SPDX-License-Identifier: Apache-2.0
//
// What a suite may say, what it means, and what is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <format>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "bough/error.hpp"
#include "bough/evaluate/evaluate.hpp"
#include "bough/evaluate/metrics.hpp"
#include "bough/file.hpp"
#include "bough/journal.hpp"
#include "tests/evaluations.hpp"
#include "tests/process.hpp"

namespace bough::test {
namespace {

namespace fs = std::filesystem;

TEST(Suite, HasDefaultsNamesAndEveryPolicyOfEachGroup) {
  const TemporaryDirectory directory;
  const Suite suite = read_suite(suite_file(directory.path()));
  EXPECT_EQ(suite.name, "suite");
  EXPECT_EQ(suite.settings.preset, "paper");
  EXPECT_EQ(suite.settings.time_limit_s, 60);
  ASSERT_EQ(suite.groups.size(), 2U);
  EXPECT_EQ(suite.groups[0].name, "setcover-tiny");
  EXPECT_EQ(suite.groups[0].policies, (std::vector<std::string>{"relpscost", "pscost", "random"}));
  EXPECT_EQ(suite.groups[1].policies, (std::vector<std::string>{"pscost", "random"}));
  ASSERT_EQ(suite.groups[1].instances.size(), 2U);
  EXPECT_EQ(suite.groups[1].instances[1].name, "auction-tiny-20001");
}

TEST(Suite, OfTheRepositoryAllRead) {
  int n = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(BOUGH_SOURCE_DIR) / "bench/suites")) {
    if (entry.is_directory()) continue;  // suites of published data, which is not here
    EXPECT_NO_THROW((void)read_suite(entry.path())) << entry.path();
    ++n;
  }
  EXPECT_GE(n, 13);
}

TEST(Suite, MaySetParametersOfOurOwnRule) {
  const TemporaryDirectory directory;
  EvaluateRequest request;
  request.suite = read_suite(suite_file(directory.path(), "time_limit = 60\ncalibration = false\nscip = { \"branching/bough/strict\" = true }\npolicies = [\"pscost\", \"random\"]\n"
                                                          "[[group]]\nfamily = \"auction\"\nsize = \"tiny\"\ninstances = \"20000\"\n"));
  EXPECT_EQ(request.suite.settings.overrides.size(), 1U);
  request.output = directory.path() / "runs";
  ASSERT_TRUE(evaluate(request));
  for (const RunRecord& run : read_evaluation(request.output).runs) EXPECT_TRUE(run.solved()) << run.policy << ": " << run.message;
  for (const char* value : {"[0.5]", "2020-01-01"}) {
    EXPECT_THROW((void)read_suite(suite_file(directory.path(), std::format("scip = {{ \"limits/gap\" = {} }}\n{}", value, small_suite))), Error) << value;
  }
}

// "first" stops at its first node, where pscost needs more; nobody else's parameters change.
TEST(Suite, MaySetParametersOfOnePolicy) {
  const TemporaryDirectory directory;
  const auto with_nodes = [&](int nodes) {
    return read_suite(suite_file(directory.path(), std::format("time_limit = 60\ncalibration = false\nscip = {{ \"presolving/maxrounds\" = 0, \"separating/maxroundsroot\" = 0, \"limits/nodes\" = 5000 }}\n"
                                                               "policies = [\"pscost\", {{ name = \"first\", rule = \"pscost\", scip = {{ \"limits/nodes\" = {} }} }}, {{ name = \"ours\", rule = \"random\", scip = {{ \"branching/bough/strict\" = true }} }}]\n"
                                                               "[[group]]\nfamily = \"setcover\"\nsize = \"tiny\"\ninstances = \"20000..20001\"\n", nodes)));
  };
  EvaluateRequest request;
  request.suite = with_nodes(1);
  request.output = directory.path() / "runs";
  ASSERT_TRUE(evaluate(request));
  const Evaluation evaluation = read_evaluation(request.output);
  for (const RunRecord& run : evaluation.runs) {
    EXPECT_EQ(run.end, "done") << run.message;
    EXPECT_EQ(run.n_nodes == 1, run.policy == "first") << run.policy << ": " << run.n_nodes;
  }
  EXPECT_EQ(evaluation.policies[1].scip_parameters, (ScipParameters{{"limits/nodes", "1"}}));
  EXPECT_TRUE(evaluation.policies[0].scip_parameters.empty());
  request.suite = with_nodes(2);
  try {
    (void)evaluate(request);
    FAIL() << "runs with other parameters would bear the same name";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("scip_parameters of the policy first"), std::string::npos) << error.what();
  }
}

// Saved from a SCIP that has our rule: SCIP's own rules solve under the rest of it.
TEST(Suite, ASettingsFileMayNameParametersOfOurRule) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "saved.set", "branching/bough/strict = TRUE\nbranching/bough/pseudocosts = 2\nseparating/maxrounds = 3\n");
  EvaluateRequest request;
  request.suite = read_suite(suite_file(directory.path(), "time_limit = 60\ncalibration = false\nsettings = \"saved.set\"\npolicies = [\"pscost\", \"random\"]\n[[group]]\nfamily = \"auction\"\nsize = \"tiny\"\ninstances = \"20000\"\n"));
  request.output = directory.path() / "runs";
  ASSERT_TRUE(evaluate(request));
  const Evaluation evaluation = read_evaluation(request.output);
  ASSERT_EQ(evaluation.runs.size(), 2U);
  for (const RunRecord& run : evaluation.runs) EXPECT_EQ(run.end, "done") << run.policy << ": " << run.message;
}

TEST(Suite, AGroupMayUseFewerSeeds) {
  const TemporaryDirectory directory;
  std::string text(small_suite);
  text += "seeds = [1]\n";
  EvaluateRequest request;
  request.suite = read_suite(suite_file(directory.path(), text));
  EXPECT_TRUE(request.suite.groups[0].seeds.empty());
  EXPECT_EQ(request.suite.groups[1].seeds, (std::vector<std::uint32_t>{1}));
  request.suite.groups.erase(request.suite.groups.begin());
  request.suite.n_explained = 0;
  request.output = directory.path() / "runs";
  ASSERT_TRUE(evaluate(request));
  const Evaluation evaluation = read_evaluation(request.output);
  ASSERT_EQ(evaluation.runs.size(), 4U) << "two instances, two policies, one of the two seeds";
  for (const RunRecord& run : evaluation.runs) EXPECT_EQ(run.seed, 1U);
  EXPECT_EQ(evaluation.groups[0].seeds, (std::vector<std::uint32_t>{1}));
  request.suite.groups[0].seeds = {0, 1};
  ASSERT_TRUE(evaluate(request));
  EXPECT_EQ(read_evaluation(request.output).runs.size(), 8U);
  request.suite.groups[0].seeds = {1};
  ASSERT_TRUE(evaluate(request));
  EXPECT_EQ(read_evaluation(request.output).runs.size(), 4U) << "what the group no longer uses does not count";
}

// Gasse's auctions draw the same numbers and make other bundles of them: the same seed, another instance.
TEST(Suite, AGroupWithOtherParametersHasOtherInstancesUnderOtherNames) {
  const TemporaryDirectory directory;
  std::string text(small_suite);
  text += "\n[[group]]\nname = \"gasse\"\nfamily = \"auction\"\nsize = \"tiny\"\ninstances = \"20000..20001\"\nparameters = { gasse-compat = 1 }\npolicies = [\"pscost\"]\n";
  EvaluateRequest request;
  request.suite = read_suite(suite_file(directory.path(), text));
  request.suite.groups.erase(request.suite.groups.begin());
  request.suite.n_explained = 0;
  request.suite.seeds = {0};
  request.output = directory.path() / "runs";
  ASSERT_TRUE(evaluate(request));
  const Evaluation evaluation = read_evaluation(request.output);
  EXPECT_EQ(evaluation.groups.front().parameters, (std::map<std::string, double>{}));
  EXPECT_EQ(evaluation.groups.back().parameters, (std::map<std::string, double>{{"gasse-compat", 1}}));
  std::map<std::string, std::set<double>> optima;
  for (const RunRecord& run : evaluation.runs) optima[run.group + "/" + run.instance].insert(run.primal_bound);
  ASSERT_EQ(optima.size(), 4U);
  EXPECT_NE(optima.at("auction-tiny/auction-tiny-20000"), optima.at("gasse/auction-tiny-gasse-compat=1-20000"));
  EXPECT_NE(optima.at("auction-tiny/auction-tiny-20001"), optima.at("gasse/auction-tiny-gasse-compat=1-20001"));
}

struct BadSuite {
  std::string name;
  std::string from, to;  ///< what is replaced in small_suite
  std::string says;
  ExitCode code = ExitCode::bad_input;
};
void PrintTo(const BadSuite& bad, std::ostream* out) { *out << bad.name; }

class RefusedSuite : public testing::TestWithParam<BadSuite> {};

TEST_P(RefusedSuite, SaysWhatAndWhere) {
  const auto& [name, from, to, says, code] = GetParam();
  std::string text(small_suite);
  ASSERT_NE(text.find(from), std::string::npos);
  text.replace(text.find(from), from.size(), to);
  const TemporaryDirectory directory;
  try {
    (void)read_suite(suite_file(directory.path(), text));
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("suite.toml:"), std::string::npos) << error.what();
  }
}
INSTANTIATE_TEST_SUITE_P(
    Suites, RefusedSuite,
    testing::Values(BadSuite{"not_toml", "seeds = [0, 1]", "seeds = [0, 1", "not TOML"}, BadSuite{"no_limit", "time_limit = 60", "", "no \"time_limit\""},
                    BadSuite{"limit_of_zero", "time_limit = 60", "time_limit = 0", "positive number of seconds"},
                    BadSuite{"unknown_key", "time_limit = 60", "time_limit = 60\ntimelimit = 6", ":4: unknown key \"timelimit\""},
                    BadSuite{"unknown_policy", "\"pscost\", \"random\"]\nexplain", "\"pscots\", \"random\"]\nexplain", "pscots"},
                    BadSuite{"missing_model", "\"random\"]\nexplain", "{ name = \"tgat\", model = \"nowhere.safetensors\" }, \"random\"]\nexplain", "nowhere.safetensors", ExitCode::missing_input},
                    BadSuite{"two_policies_of_one_name", "\"random\"]\nexplain", "\"random\", \"random\"]\nexplain", "two policies are called \"random\""},
                    BadSuite{"policy_of_a_group_that_is_not_there", "[\"pscost\", \"random\"]\n", "[\"fullstrong\"]\n", "not among the suite's policies"},
                    BadSuite{"unknown_family", "\"auction\"", "\"auctions\"", "auctions"}, BadSuite{"unknown_size", "\"tiny\"\ninstances = \"20000..20001\"\npolicies", "\"small\"\ninstances = \"20000..20001\"\npolicies", "small"},
                    BadSuite{"a_group_without_policies", "[\"pscost\", \"random\"]\n", "[]\n", "no policies"},
                    BadSuite{"a_policy_of_a_group_twice", "[\"pscost\", \"random\"]\n", "[\"pscost\", \"pscost\"]\n", "\"pscost\" is given twice"},
                    BadSuite{"seed_beyond_all", "[0, 1]", "\"18446744073709551615\"", "from 0 to 2147483647"}, BadSuite{"unknown_parameter", "time_limit = 60", "time_limit = 60\nscip = { \"limits/gapp\" = 0.1 }", "limits/gapp"},
                    BadSuite{"unknown_parameter_of_a_policy", "\"random\"]\nexplain", "{ name = \"a\", rule = \"pscost\", scip = { \"limits/gapp\" = 1 } }, \"random\"]\nexplain", "limits/gapp"},
                    BadSuite{"our_parameter_with_scips_rule", "\"random\"]\nexplain", "{ name = \"a\", rule = \"pscost\", scip = { \"branching/bough/strict\" = true } }, \"random\"]\nexplain", "branching/bough/strict"},
                    BadSuite{"a_limit_of_one_policy", "\"random\"]\nexplain", "{ name = \"a\", rule = \"pscost\", scip = { \"limits/time\" = 5 } }, \"random\"]\nexplain", "a has limits/time of its own"},
                    BadSuite{"another_rule_above_a_policy", "\"random\"]\nexplain", "{ name = \"a\", rule = \"pscost\", scip = { \"branching/relpscost/priority\" = 2000000 } }, \"random\"]\nexplain", "branching/relpscost/priority"},
                    BadSuite{"unknown_parameter_of_a_family", "[[group]]", "[[group]]\nparameters = { rowz = 5 }", "setcover has no parameter 'rowz'"}, BadSuite{"parameter_out_of_range", "[[group]]", "[[group]]\nparameters = { density = 2 }", "density"}, BadSuite{"parameter_that_is_no_number", "[[group]]", "[[group]]\nparameters = { rows = \"many\" }", "rows"},
                    BadSuite{"memory_limit_below_zero", "time_limit = 60", "time_limit = 60\nmemory_limit = -5", "positive number of megabytes"}, BadSuite{"seeds_backwards", "[0, 1]", "\"4..1\"", "smaller than the first"}, BadSuite{"a_seed_twice", "[0, 1]", "[1, 1]", "given twice"}, BadSuite{"a_group_with_another_seed", "[[group]]", "[[group]]\nseeds = [7]", "seed 7 is not among the suite's"},
                    BadSuite{"an_optimum_that_is_none", "[[group]]", "[[group]]\noptima = { setcover-tiny-20000 = nan }", "not a number that an optimum can be"}, BadSuite{"two_groups_of_one_name", "\"auction\"", "\"setcover\"", "two groups are called"}, BadSuite{"explained_rule", "policy = \"random\"", "policy = \"pscost\"", "cannot be explained"},
                    BadSuite{"another_rule_above_every_policy", "time_limit = 60", "time_limit = 60\nscip = { \"branching/mostinf/priority\" = 2000000 }", "branching/mostinf/priority"},
                    BadSuite{"missing_folder", "family = \"auction\"", "folder = \"nowhere\"", "nowhere", ExitCode::missing_input}, BadSuite{"unknown_settings", "\"paper\"", "\"papers\"", "no settings"}),
    [](const auto& bad) { return bad.param.name; });


}  // namespace
}  // namespace bough::test
