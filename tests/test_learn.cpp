// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <format>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "bough/error.hpp"
#include "bough/evaluate/record.hpp"
#include "bough/file.hpp"
#include "bough/learn/learn.hpp"
#include "bough/model/model.hpp"
#include "tests/process.hpp"

namespace bough::test {
namespace {

namespace fs = std::filesystem;

std::vector<Instance> instances_named(std::size_t n) {
  std::vector<Instance> instances;
  for (std::size_t i = 0; i < n; ++i) instances.push_back({.name = std::format("plan-{}", i)});
  return instances;
}

// 40 instances: a quarter, 10, is held out; 15 %, 6, validate; 24 are left.
TEST(LearnPlan, DealsEveryInstanceToOnePartAndAlwaysTheSame) {
  const Parts parts = deal(instances_named(40), 7);
  EXPECT_EQ(parts.held_out.size(), 10U);
  EXPECT_EQ(parts.valid.size(), 6U);
  EXPECT_EQ(parts.train.size(), 24U);
  std::set<std::string> all;
  for (const auto* part : {&parts.train, &parts.valid, &parts.held_out}) all.insert(part->begin(), part->end());
  EXPECT_EQ(all.size(), 40U);
  EXPECT_FALSE(std::ranges::is_sorted(parts.train)) << "the first of them would be the smallest, or the oldest";
  EXPECT_EQ(deal(instances_named(40), 7).held_out, parts.held_out);
  EXPECT_NE(deal(instances_named(40), 8).held_out, parts.held_out);
  EXPECT_EQ(deal(instances_named(1000), 0).held_out.size(), 30U) << "more would only cost time";
  EXPECT_THROW((void)deal(instances_named(9), 0), Error);
}

RunRecord run_of(const std::string& policy, double time_s, double root_s, std::int64_t nodes, bool solved = true) {
  RunRecord run;
  run.group = "plans";
  run.instance = "a";
  run.policy = policy;
  run.end = "done";
  run.proven = solved;
  run.status = solved ? "optimal" : "time-limit";
  run.time_s = time_s;
  run.root_time_s = root_s;
  run.n_nodes = nodes;
  return run;
}

// relpscost: 4 s of which 3 are the root's, and 10 s at the limit of which 2 are.  After the root: (1 + 8) / 14.
// Both rules together: (4 + 10 + 2 + 8) / 4 = 6 s a run.
TEST(LearnPlan, AProbeCountsRunsAtTheirLimitAndNodesOfTheRuleThatDoesNotHideThem) {
  Evaluation evaluation;
  evaluation.time_limit_s = 10;
  evaluation.runs = {run_of("relpscost", 4, 3, 1), run_of("relpscost", 9.5, 2, 50, false), run_of("pscost", 2, 1, 1), run_of("pscost", 8, 1, 199)};
  const Probe probe = probe_of(evaluation);
  EXPECT_DOUBLE_EQ(probe.mean_time_s, 6);
  EXPECT_DOUBLE_EQ(probe.slowest_s, 10);
  EXPECT_DOUBLE_EQ(probe.share_after_root, 9.0 / 14);
  EXPECT_DOUBLE_EQ(probe.mean_nodes, 100);
  EXPECT_EQ(probe.n_at_root, 1U);
  EXPECT_EQ(hopeless(probe), "");
  evaluation.runs.pop_back();
  EXPECT_NE(hopeless(probe_of(evaluation)).find("never branches"), std::string::npos);
  evaluation.runs = {run_of("relpscost", 10, 10, 1, false), run_of("pscost", 10, 10, 1, false)};
  EXPECT_NE(hopeless(probe_of(evaluation)).find("does not finish the root node"), std::string::npos);
}

TEST(LearnPlan, SpendsTheBudgetInItsShares) {
  const Plan plan = plan_of(1000, {.mean_time_s = 2, .slowest_s = 5}, 3, 2);
  EXPECT_DOUBLE_EQ(plan.collect_s, 350);
  EXPECT_DOUBLE_EQ(plan.train_s, 250);
  EXPECT_DOUBLE_EQ(plan.choose_s, 100);
  EXPECT_DOUBLE_EQ(plan.judge_s, 200);
  EXPECT_DOUBLE_EQ(plan.run_limit_s, 50);
  // Runs at the probe's limit may be of any length: the limit is what six instances and three policies can all meet, 200 s / 18.
  EXPECT_DOUBLE_EQ(plan_of(1000, {.mean_time_s = 2, .slowest_s = 5, .n_at_limit = 1}, 3, 2).run_limit_s, 200.0 / 18);
  const Plan without_choice = plan_of(1000, {.mean_time_s = 2, .slowest_s = 5}, 3, 1);
  EXPECT_DOUBLE_EQ(without_choice.collect_s, 450);
  EXPECT_DOUBLE_EQ(without_choice.choose_s, 0);
  EXPECT_EQ(labels_for(100, 2.5), 250);
  EXPECT_EQ(labels_for(100, 0.01), fewest_labels) << "fewer teach nothing";
  EXPECT_EQ(epochs_for(100, 8), 12);
  EXPECT_EQ(epochs_for(100, 0), 60);
}

TEST(LearnPlan, SolvesAFolderAsOftenAsFitsAtMost) {
  EXPECT_EQ(passes_for(535, {.mean_time_s = 6.6}, 36), 2) << "238 s each";
  EXPECT_EQ(passes_for(100, {.mean_time_s = 6.6}, 36), 1) << "once in any case";
  EXPECT_EQ(passes_for(535, {.mean_time_s = 0}, 36), 20);
  EXPECT_EQ(passes_for(535, {.mean_time_s = 6.6, .n_at_limit = 1}, 36), 1) << "they may take an hour each";
  EXPECT_DOUBLE_EQ(episode_limit_for(535), 535);
  EXPECT_DOUBLE_EQ(episode_limit_for(5), 60);
  EXPECT_DOUBLE_EQ(episode_limit_for(1e9), 3600);
}

TEST(LearnPlan, SolvesAsManyInstancesAsFitByTheTimeOfThoseSolved) {
  EXPECT_EQ(instances_for(100, 80, 6, 30), 7U) << "13.3 s each: 7.5 fit";
  EXPECT_EQ(instances_for(100, 10, 6, 30), 12U) << "60 would fit, but the next six may be slower";
  EXPECT_EQ(instances_for(100, 10, 6, 9), 9U) << "there are no more";
  EXPECT_EQ(instances_for(100, 99, 6, 30), 6U);
  EXPECT_EQ(instances_for(100, 500, 6, 30), 6U) << "too late to solve fewer";
  EXPECT_EQ(instances_for(100, 0, 6, 30), 12U) << "all failed at once";
}

TEST(LearnPlan, AVerdictIsPlainAboutBothEnds) {
  Evidence input{.model = "tgat", .rule = "relpscost", .time = {1.4, 1.2, 1.6, 0.01, 12}, .share_after_root = 0.8, .top1 = 0.5, .train_top1 = 0.5, .chance = 0.05, .n_labels = 500};
  EXPECT_TRUE(judgement_of(input).faster);
  EXPECT_EQ(judgement_of(input).text, "On 12 held-out instances SCIP with tgat is 1.40 [1.20, 1.60] times as fast as with relpscost, its default (95 % interval).");
  input.time = {0.9, 0.8, 0.98, 0.01, 12};
  EXPECT_FALSE(judgement_of(input).faster);
  EXPECT_EQ(judgement_of(input).text, "tgat is not shown to be faster: on 12 held-out instances SCIP is 0.90 [0.80, 0.98] times as fast with it as with relpscost, its default (95 % interval).");
  const auto says = [&](const char* text) { return judgement_of(input).text.find(text) != std::string::npos; };
  EXPECT_FALSE(says("only"));
  input.share_after_root = 0.1;
  EXPECT_TRUE(says("Branching can change only 10 % of the time"));
  EXPECT_FALSE(says("teach little"));
  input.chance = 0.4;
  EXPECT_TRUE(says("teach little"));
  EXPECT_FALSE(says("differ too much"));
  input.n_without_result = 2;
  EXPECT_NE(judgement_of(input).text.find("2 of its runs failed"), std::string::npos);
  input.train_top1 = std::nullopt;
  EXPECT_EQ(judgement_of(input).text.find("trained on"), std::string::npos) << "nothing to compare with";
  input.train_top1 = 0.9;
  EXPECT_TRUE(says("differ too much for 500 states"));
  EXPECT_FALSE(says("too few to be sure"));
  input.time = {1.1, 0.8, 1.3, 0.4, 4};
  EXPECT_TRUE(says("4 instances are too few to be sure: more"));
  input.time = {1.5, 1.1, 1.7, 0.4, 4};
  EXPECT_FALSE(judgement_of(input).faster);
  EXPECT_TRUE(says("too few to be sure, whatever the interval says"));
  input.time = {1.4, 1.05, 1.9, 0.09, 6};  // an interval of six instances is too narrow
  EXPECT_FALSE(judgement_of(input).faster);
  EXPECT_TRUE(says("a signed-rank test over the instances does not (p = 0.09)"));
  EXPECT_TRUE(says("6 instances are too few to be sure: more"));
}

// 1.00 s is the fastest, so up to 1.02 s is a tie: of "a" and "b" the one with fewer nodes, whatever "c" has.
TEST(LearnPlan, TheFastestIsChosenAndNodesDecideTies) {
  const auto summary = [](const char* policy, double time_s, double nodes) {
    PolicySummary one;
    one.policy = policy;
    one.time_s.mean = time_s;
    one.nodes.mean = nodes;
    return one;
  };
  const PolicySummary a = summary("a", 1.00, 50), b = summary("b", 1.02, 40), c = summary("c", 1.03, 10);
  EXPECT_EQ(best_by_solving({&a, &b, &c}).policy, "b");
  EXPECT_EQ(best_by_solving({&a, &c}).policy, "a");
  EXPECT_EQ(best_by_solving({&c}).policy, "c");
  const PolicySummary none = summary("none", 1.01, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(best_by_solving({&none, &a}).policy, "a") << "it solved nothing that could be counted";
}

TEST(LearnPlan, OnlyWhatFailedForTheRuleIsLeftOut) {
  Evaluation evaluation;
  const auto add = [&](const char* instance, const char* policy, const char* end) {
    evaluation.runs.emplace_back();
    evaluation.runs.back().instance = instance;
    evaluation.runs.back().policy = policy;
    evaluation.runs.back().end = end;
    evaluation.runs.back().message = end;
  };
  for (const char* policy : {"relpscost", "tgat"}) add("good", policy, "done"), add("unreadable", policy, "failed");
  add("hard", "relpscost", "done"), add("hard", "tgat", "crashed");         // a failure of the model counts against it
  add("unlucky", "relpscost", "crashed"), add("unlucky", "tgat", "done");  // one of the rule does not count for the model
  add("slow", "relpscost", "overtime"), add("slow", "tgat", "done");       // and this is no failure
  evaluation.n_planned = evaluation.runs.size();
  EXPECT_EQ(leave_out_failures(evaluation, "relpscost"), (std::map<std::string, std::string>{{"unlucky", "crashed"}, {"unreadable", "failed"}}));
  EXPECT_EQ(evaluation.runs.size(), 6U);
  EXPECT_EQ(evaluation.n_planned, 6U) << "it would be called unfinished";
}

// ---- recipes --------------------------------------------------------------------------------------------------------------------------

/// Two networks, tiny auctions, settings that leave some branching.
std::string recipe_text() {
  return "family = \"auction\"\nsize = \"tiny\"\nsettings = \"paper\"\nnetworks = [\"gcnn\", \"tgat\"]\nseeds = [0, 1]\ntime_limit = 60\n"
         "[collect]\nwindow = 2\nstart = \"first\"\nepisode_states = 16\ntrain = { instances = \"0..39\", states = 24 }\nvalid = { instances = \"100..139\", states = 16 }\n"
         "[train]\nepochs = 1\nd = 16\n[choose]\ninstances = \"200..201\"\n[judge]\ninstances = \"300..305\"\n";
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  EXPECT_NE(text.find(from), std::string::npos) << from;
  return text.replace(text.find(from), from.size(), to);
}

TEST(Recipe, SaysWhatIsOtherwisePlanned) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "plans.toml", recipe_text());
  const Recipe recipe = read_recipe(directory.path() / "plans.toml");
  EXPECT_EQ(recipe.name, "plans");
  EXPECT_EQ(recipe.networks, (std::vector<std::string>{"gcnn", "tgat"}));
  EXPECT_EQ(recipe.seeds, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(recipe.sampling.window, 2);
  EXPECT_EQ(recipe.sampling.start, Start::first);
  EXPECT_EQ(recipe.n_train, 24);
  EXPECT_EQ(recipe.n_valid, 16);
  EXPECT_EQ(recipe.valid.first, 100U);
  EXPECT_EQ(recipe.valid.last, 139U);
  EXPECT_EQ(recipe.judge.size, Size::tiny);
  EXPECT_DOUBLE_EQ(recipe.time_limit_s, 60);
  EXPECT_EQ(recipe.pseudocosts, (std::vector<double>{0}));
  EXPECT_NE(recipe.trainer.find("epochs = 1"), std::string::npos) << recipe.trainer;
}

TEST(Recipe, EveryMistakeHasItsLine) {
  const TemporaryDirectory directory;
  const auto refuses = [&](const std::string& from, const std::string& to, const char* says) {
    write_file(directory.path() / "plans.toml", changed(recipe_text(), from, to));
    try {
      (void)read_recipe(directory.path() / "plans.toml");
      ADD_FAILURE() << to << ": accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input) << to;
      EXPECT_NE(std::string(error.what()).find("plans.toml:"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << to << ": " << error.what();
    }
  };
  refuses("\"auction\"", "\"auctions\"", "auctions");
  refuses("\"tiny\"", "\"huge\"", "size \"huge\" is not known");
  refuses("\"paper\"", "\"papers\"", "no settings \"papers\"");
  refuses("\"gcnn\"", "\"cnn\"", "no network \"cnn\"");
  refuses("\"gcnn\"", "\"tgat\"", "tgat is given twice");
  refuses("[0, 1]", "[1, 1]", "none twice");
  for (const char* weights : {"[]", "[0, 0.0]", "[-1]", "[17]", "[nan]", "[\"0\"]", "2"}) refuses("seeds = [0, 1]", std::format("seeds = [0, 1]\npseudocosts = {}", weights), "pseudocosts: ");
  refuses("states = 24", "states = 15", "at least 16");
  refuses("window = 2", "window = 0", "window and episode_states");
  refuses("time_limit = 60", "time_limit = 0", "positive");
  refuses("time_limit = 60", "time_limit = 1e30", "positive");
  refuses("epochs = 1", "epochs = 1\nseed = 3", "seed is not set here");
  refuses("epochs = 1", "epoch = 1", "unknown key \"epoch\"");
  refuses("d = 16", "d = 20", "d = 20");
  refuses("[judge]", "[judges]", "no \"judge\"");
  refuses("200..201", "201..200", "smaller than the first");
  refuses("200..201", "30..31", "collect.train and choose share instances");
  refuses("300..305", "139..145", "collect.valid and judge share instances");
  refuses("[train]", "[train]\n[more]", "unknown key \"more\"");
  const std::string also = "window = 2\nalso = [{ settings = \"default\", instances = \"0..39\", states = 16 }]";
  const auto refuses_also = [&](const std::string& from, const std::string& to, const char* says) { refuses("window = 2", changed(also, from, to), says); };
  refuses_also("default", "paper", "settings \"paper\" are taken already");
  refuses_also("default", "defaults", "no settings \"defaults\"");
  refuses_also("0..39", "0..200", "collect.valid and collect.also share instances");
  refuses_also("states = 16", "states = 1", "at least 16");
  refuses_also("states = 16", "state = 16", "no \"states\"");
  refuses_also("states = 16 }", "states = 16 }, { settings = \"default\", instances = \"0..39\", states = 16 }", "settings \"default\" are taken already");
  refuses("[train]\nepochs = 1", also.substr(also.find("also")) + "\n[train]\nepochs = 1\nstates = 20", "would leave out collect.also");
}

// The shipped models' recipes: each is one, and makes every network.
TEST(Recipe, ThoseInTheTreeAreValid) {
  std::size_t n_recipes = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(BOUGH_SOURCE_DIR) / "models")) {
    if (entry.path().extension() != ".toml") continue;
    const Recipe recipe = read_recipe(entry.path());
    EXPECT_EQ(recipe.name, recipe.train.family) << entry.path();
    EXPECT_EQ(recipe.networks, (std::vector<std::string>{"gcnn", "gat", "tgat"})) << entry.path();
    ++n_recipes;
  }
  EXPECT_GE(n_recipes, 1U);
}

nlohmann::json candidates_asked(const fs::path& out, const std::string& set) {
  return nlohmann::json::parse(read_file(out / "sets" / set / "set.json"))["request"]["expert_candidates"];
}

TEST(Learn, FollowsARecipeAndKeepsTheBestSeedOfEachNetwork) {
  const TemporaryDirectory directory;
  const std::string text = changed(changed(recipe_text(), "[\"gcnn\", \"tgat\"]", "[\"tgat\"]"), "window = 2",
                                   "window = 2\nexpert_candidates = 4\nalso = [{ settings = \"default\", instances = \"0..39\", states = 16 }]");
  write_file(directory.path() / "plans.toml", text);
  EXPECT_EQ(run_program(words_of("bough learn plans.toml --budget 1h"), directory.path()).exit_code, 2) << "a recipe has no budget";
  const auto command = words_of("bough learn plans.toml -o out --workers 2 --json -q");
  const Finished run = run_program(command, directory.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(candidates_asked(directory.path() / "out", "train"), 4);
  EXPECT_TRUE(candidates_asked(directory.path() / "out", "valid").is_null()) << "accuracy is that among all candidates";
  const auto settings_of = [&](const std::string& set) { return nlohmann::json::parse(read_file(directory.path() / "out/sets" / set / "set.json"))["request"]["settings"].dump(); };
  EXPECT_NE(settings_of("train"), settings_of("train-default"));
  const fs::path models = directory.path() / "out/models";
  EXPECT_EQ(nlohmann::json::parse(read_model(models / "tgat-0.safetensors").training)["train"]["set"], "train + train-default");
  const std::string kept = read_file(models / "tgat.safetensors"), first = read_file(models / "tgat-0.safetensors"), second = read_file(models / "tgat-1.safetensors");
  EXPECT_NE(first, second);
  EXPECT_TRUE(kept == first || kept == second);
  EXPECT_EQ(run_program(command, directory.path()).out, run.out) << "done is done";
  write_file(directory.path() / "plans.toml", text + "# changed\n");
  const Finished other = run_program(command, directory.path());
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("different recipe"), std::string::npos) << other.err;
}

// Nothing is trained twice: candidates that differ in the weight of pseudocosts are one network, and the one kept says its own.
TEST(Learn, ChoosesHowMuchPseudocostsCount) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "plans.toml", changed(changed(recipe_text(), "[\"gcnn\", \"tgat\"]", "[\"gcnn\"]"), "seeds = [0, 1]", "seeds = [5]\npseudocosts = [0.5, 4]"));
  const Finished run = run_program(words_of("bough learn plans.toml -o out --workers 2"), directory.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::size_t training = run.err.find("training gcnn-5");
  EXPECT_NE(training, std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("training gcnn-5", training + 1), std::string::npos) << run.err;
  const fs::path out = directory.path() / "out";
  const Evaluation chosen = read_evaluation(out / "choose");
  ASSERT_EQ(chosen.policies.size(), 2U);
  EXPECT_EQ(chosen.policies[1].name, "gcnn-5-pseudocosts-4");
  EXPECT_EQ(chosen.policies[1].scip_parameters, (ScipParameters{{"branching/bough/pseudocosts", "4"}}));
  Model kept = read_model(out / "model.safetensors");
  EXPECT_NE(run.err.find(std::format("chosen: gcnn-5-pseudocosts-{}\n", kept.pseudocosts)), std::string::npos) << kept.pseudocosts << "\n" << run.err;
  kept.pseudocosts = 0;
  EXPECT_EQ(kept, read_model(out / "models/gcnn-5.safetensors"));
}

TEST(Learn, SaysWhenARecipesSeedsGiveTooFewStates) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "plans.toml", changed(recipe_text(), "\"0..39\", states = 24", "\"0..0\", states = 1000"));
  const Finished run = run_program(words_of("bough learn plans.toml -o out -q"), directory.path());
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_NE(run.err.find("collect.train together have fewer than 1000 states"), std::string::npos) << run.err;
}

/// What the command says of a folder of twelve files with this text.
Finished learn_from(const fs::path& directory, const std::string& lp) {
  fs::create_directories(directory / "plans");
  for (int k = 0; k < 12; ++k) write_file(directory / std::format("plans/p{}.lp", k), std::format("\\ plan {}\n", k) + lp);
  return run_program({"bough", "learn", "plans", "--budget", "10s", "-q"}, directory);
}

TEST(Learn, ExplainsWhatCannotBeLearnedFrom) {
  const TemporaryDirectory directory;
  const auto expect = [&](const std::string& name, const Finished& run, const char* says) {
    EXPECT_EQ(run.exit_code, 65) << name << ": " << run.err;
    EXPECT_NE(run.err.find(says), std::string::npos) << name << ": " << run.err;
  };
  expect("lp", learn_from(directory.path() / "lp", "Minimize\n obj: x + y\nSubject To\n c: x + 2 y >= 3\nEnd\n"), "these are linear programs");
  expect("feasibility", learn_from(directory.path() / "feasibility", "Minimize\n obj: 0 x\nSubject To\n c: 3 x + 5 y = 13\nGenerals\n x y\nEnd\n"), "pure feasibility problems");
  expect("trivial", learn_from(directory.path() / "trivial", "Minimize\n obj: x + y\nSubject To\n c: 2 x + 3 y >= 5\nGenerals\n x y\nEnd\n"), "it never branches");
  expect("infeasible", learn_from(directory.path() / "infeasible", "Minimize\n obj: x\nSubject To\n c: x >= 3\nBounds\n x <= 1\nGenerals\n x\nEnd\n"), "is infeasible");
  expect("malformed", learn_from(directory.path() / "malformed", "Minimize\n obj: x\nSubject To\n c: x >= >= 1\nEnd\n"), "cannot be solved");
  expect("mended", learn_from(directory.path() / "malformed", "Minimize\n obj: x + y\nSubject To\n c: 2 x + 3 y >= 5\nGenerals\n x y\nEnd\n"), "it never branches");
  fs::create_directories(directory.path() / "rough");
  ASSERT_EQ(run_program(words_of("bough generate setcover --size tiny --count 12 -o rough/plans -q"), directory.path()).exit_code, 0);
  write_file(directory.path() / "rough/rough.set", "limits/gap = 0.5\n");
  expect("rough", run_program({"bough", "learn", "plans", "--budget", "10s", "--settings", "rough.set", "-q"}, directory.path() / "rough"), "stopped at a gap-limit, which rough.set sets");
  write_file(directory.path() / "rough/plans/copy.mps.gz", read_file(directory.path() / "rough/plans/setcover-tiny-3.mps.gz"));  // compressed otherwise, or not at all: the same
  expect("copies", run_program({"bough", "learn", "plans", "-o", "copies", "-q"}, directory.path() / "rough"), "plans/copy.mps.gz and plans/setcover-tiny-3.mps.gz have the same content");
  EXPECT_FALSE(fs::exists(directory.path() / "rough/copies"));
  const Finished unset = run_program({"bough", "learn", "plans", "--settings", "papers", "-q"}, directory.path() / "lp");
  EXPECT_NE(unset.err.find("papers"), std::string::npos) << unset.err;
  EXPECT_EQ(run_program({"bough", "learn", "plans", "-o", "unset", "--settings", "papers", "-q"}, directory.path() / "lp").exit_code, unset.exit_code);
  EXPECT_FALSE(fs::exists(directory.path() / "lp/unset")) << "a directory that belongs to settings which do not exist";
  fs::create_directories(directory.path() / "few/plans");
  write_file(directory.path() / "few/plans/p.lp", "Minimize\n obj: x\nSubject To\n c: x >= 3\nEnd\n");
  expect("few", run_program({"bough", "learn", "plans", "-q"}, directory.path() / "few"), "1 instances are too few");
}

TEST(Learn, GoesFromAFolderToAModelAndAVerdictThroughAKillAndAStop) {
  const TemporaryDirectory directory;
  ASSERT_EQ(run_program(words_of("bough generate auction --size tiny --count 12 -o plans -q"), directory.path()).exit_code, 0);
  write_file(directory.path() / "plain.set", "separating/maxroundsroot = 0\nseparating/maxrounds = 0\npresolving/maxrounds = 0\n");  // trees of some dozens of nodes
  const auto command = words_of("bough learn plans -o out --budget 12s --settings plain.set --policy gcnn,tgat --workers 2 -q");
  const fs::path out = directory.path() / "out";
  const Finished killed = run_program(command, directory.path(), [&](int pid) {
    wait_for_file(out / "sets/train/set.json", pid);
    ::kill(pid, SIGKILL);
  });
  EXPECT_EQ(killed.exit_code, 128 + SIGKILL);
  const Finished stopped = run_program(command, directory.path(), [&](int pid) {
    wait_for_file(out / "models/train.toml", pid);
    ::kill(pid, SIGINT);
  });
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  const auto planned = [&] { return nlohmann::json::parse(read_file(out / "learn.json")).at("train_labels").get<std::int64_t>(); };
  const std::int64_t n_planned = planned();
  const Finished last = run_program(command, directory.path());
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_NE(last.out.find("held-out instances"), std::string::npos) << last.out;
  for (const char* file : {"model.safetensors", "report/index.html", "verdict.txt"}) EXPECT_TRUE(fs::exists(out / file)) << file;
  EXPECT_GE(n_planned, fewest_labels);
  EXPECT_EQ(planned(), n_planned) << "a run that goes on keeps to its plan";
  EXPECT_EQ(candidates_asked(out, "train"), 32);
  EXPECT_TRUE(candidates_asked(out, "valid").is_null());

  // Done is done: the same verdict at once.  Another budget is another experiment.
  EXPECT_EQ(run_program(command, directory.path()).out, last.out);
  auto other = command;
  *(std::ranges::find(other, "12s")) = "13s";
  EXPECT_EQ(run_program(other, directory.path()).exit_code, 2);
}

}  // namespace
}  // namespace bough::test
