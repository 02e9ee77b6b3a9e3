// SPDX-License-Identifier: Apache-2.0
//
// The tables of a report, on evaluations whose means can be computed by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "bough/file.hpp"
#include "bough/report/paper.hpp"
#include "bough/report/headlines.hpp"
#include "bough/report/tables.hpp"
#include "tests/process.hpp"

namespace bough::test {
namespace {

RunRecord solved_run(const std::string& group, const std::string& instance, std::uint32_t seed, const std::string& policy, double time_s, std::int64_t n_nodes) {
  RunRecord run{.group = group, .instance = instance, .seed = seed, .policy = policy, .end = "done", .message = "", .status = "optimal", .proven = true, .primal_bound = 20, .dual_bound = 20, .time_s = time_s, .n_nodes = n_nodes, .n_fair_nodes = n_nodes, .n_lp_iterations = 10 * n_nodes, .fallbacks = {}, .trace = {}};
  run.trace = {{0, 20, 10, 1}, {time_s, 20, 20, n_nodes}};
  return run;
}

// Times and nodes of tgat: 1, 7 (seed 0) and 3, 15 (seed 1).  1-shifted geometric means: (2 * 8)^(1/2) - 1 = 3 and (4 * 16)^(1/2) - 1 = 7,
// all: (2 * 8 * 4 * 16)^(1/4) - 1 = 4.657; the deviation of 3 and 7 is 2.828.
// relpscost takes 3, 15, 7, 31, (t + 1) twice as much: 7, 15, all 10.314, deviation 5.657; always 99 nodes.
Evaluation small_evaluation(const std::string& family = "setcover", const std::string& size = "easy") {
  Evaluation evaluation{.name = "small", .note = "Two instances instead of twenty", .settings = "paper", .time_limit_s = 3600, .seeds = {0, 1}, .groups = {{family + "-" + size, family, size, {"a", "b"}}}, .policies = {{"relpscost", "relpscost", "", {}}, {"tgat", "tgat.safetensors", "tgat", {}}}, .machine = {}, .references = {}, .n_planned = 8, .runs = {}, .explained = {}, .calibrations = {}};
  const std::map<std::pair<std::string, std::uint32_t>, double> times{{{"a", 0}, 1}, {{"b", 0}, 7}, {{"a", 1}, 3}, {{"b", 1}, 15}};
  for (const std::string instance : {"a", "b"}) {
    for (const std::uint32_t seed : {0U, 1U}) {
      const double time = times.at({instance, seed});
      evaluation.runs.push_back(solved_run(evaluation.groups[0].name, instance, seed, "relpscost", 2 * time + 1, 99));
      evaluation.runs.push_back(solved_run(evaluation.groups[0].name, instance, seed, "tgat", time, static_cast<std::int64_t>(time)));
      evaluation.runs.back().n_decisions = 10;
      evaluation.runs.back().policy_time_s = 0.02;
    }
  }
  return evaluation;
}

// `n` instances; relpscost takes 3 s, tgat `fast` s on even ones and `slow` s on odd ones.
Evaluation race(int n, double fast, double slow) {
  Evaluation evaluation = small_evaluation();
  evaluation.seeds = {0};
  evaluation.groups[0].instances.resize(static_cast<std::size_t>(n));
  evaluation.n_planned = 2 * static_cast<std::size_t>(n);
  evaluation.runs.clear();
  for (int i = 0; i < n; ++i) {
    evaluation.runs.push_back(solved_run("setcover-easy", std::to_string(i), 0, "relpscost", 3, 9));
    evaluation.runs.push_back(solved_run("setcover-easy", std::to_string(i), 0, "tgat", i % 2 == 0 ? fast : slow, 5));
  }
  return evaluation;
}

std::vector<std::string> texts(const Row& row) {
  std::vector<std::string> found;
  for (const Cell& cell : row.cells) found.push_back((cell.best ? "*" : "") + cell.text);
  return found;
}

std::vector<std::string> headings(const Table& table) {
  std::vector<std::string> found;
  for (const Column& column : table.columns) found.push_back(column.group + ":" + column.heading);
  return found;
}

using Texts = std::vector<std::string>;

TEST(MainTable, HasSizesBesideEachOtherOnlyUnderTheSameSettings) {
  std::vector<Evaluation> evaluations{race(6, 1, 1), race(6, 1, 1)};
  Evaluation& medium = evaluations[1];
  medium.name = "medium";
  medium.groups[0].name = "setcover-medium";
  medium.groups[0].size = "medium";
  for (RunRecord& run : medium.runs) run.group = "setcover-medium";
  EXPECT_EQ(main_table(evaluations).sections.size(), 1U);
  medium.scip_parameters = {{"presolving/maxrestarts", "0"}};
  const Table table = main_table(evaluations);
  ASSERT_EQ(table.sections.size(), 2U);
  EXPECT_NE(table.sections[1].heading.find("with presolving/maxrestarts = 0"), std::string::npos) << table.sections[1].heading;
  EXPECT_NE(table.note.find("with presolving/maxrestarts = 0"), std::string::npos) << table.note;
}

TEST(MainTable, HasTheMeansOfHandmadeRunsAndTheBestInBold) {
  const std::vector<Evaluation> evaluations{small_evaluation()};
  const Table table = main_table(evaluations);
  EXPECT_EQ(headings(table), (Texts{":policy", "Easy:time", "Easy:wins", "Easy:nodes"}));
  ASSERT_EQ(table.sections.size(), 1U);
  EXPECT_EQ(table.sections[0].heading, "Set Covering");
  ASSERT_EQ(table.sections[0].rows.size(), 2U);
  EXPECT_EQ(texts(table.sections[0].rows[0]), (Texts{"relpscost", "10.31 ± 5.66", "0/4", "99 ± 0"}));
  EXPECT_EQ(texts(table.sections[0].rows[1]), (Texts{"tgat", "*4.66 ± 2.83", "*4/4", "*4.7 ± 2.8"}));
  EXPECT_NEAR(table.sections[0].rows[1].cells[1].value.value(), std::pow(1024.0, 0.25) - 1, 1e-12) << "rounding of exp and log";
  EXPECT_NE(table.note.find("small: settings paper, limit 3600 s, 2 instances × 2 seeds. Two instances instead of twenty. Definitions: docs/metrics.md."), std::string::npos) << table.note;
}

TEST(MainTable, PutsTheSizesOfAFamilySideBySideWhereverTheyComeFrom) {
  Evaluation hard = small_evaluation("setcover", "hard"), folder = small_evaluation("", "");
  folder.groups[0].name = "mine";
  for (RunRecord& run : folder.runs) run.group = "mine";
  const std::vector<Evaluation> evaluations{hard, small_evaluation(), folder, small_evaluation("auction")};
  const Table table = main_table(evaluations);
  EXPECT_EQ(headings(table), (Texts{":policy", "Easy:time", "Easy:wins", "Easy:nodes", "Hard:time", "Hard:wins", "Hard:nodes", "All:time", "All:wins", "All:nodes"}));
  ASSERT_EQ(table.sections.size(), 3U);
  EXPECT_EQ(table.sections[0].heading, "Set Covering");
  EXPECT_EQ(texts(table.sections[0].rows[1]), (Texts{"tgat", "*4.66 ± 2.83", "*4/4", "*4.7 ± 2.8", "*4.66 ± 2.83", "*4/4", "*4.7 ± 2.8", "", "", ""}));
  EXPECT_EQ(table.sections[1].heading, "mine");
  EXPECT_EQ(texts(table.sections[1].rows[0]), (Texts{"relpscost", "", "", "", "", "", "", "10.31 ± 5.66", "0/4", "99 ± 0"}));
  EXPECT_EQ(table.sections[2].heading, "Combinatorial Auctions");
}

TEST(MainTable, CallsAGroupByTheNameThatItsSuiteGave) {
  Evaluation own = small_evaluation("setcover", "");
  own.groups[0].name = "OR-Library";
  for (RunRecord& run : own.runs) run.group = "OR-Library";
  const std::vector<Evaluation> evaluations{small_evaluation(), own};
  const Table table = main_table(evaluations);
  ASSERT_EQ(table.sections.size(), 2U);
  EXPECT_EQ(table.sections[0].heading, "Set Covering");
  EXPECT_EQ(table.sections[1].heading, "Set Covering: OR-Library");
}

// The same family and sizes, drawn otherwise: two sections, whose titles say what differs.
TEST(MainTable, DoesNotMixInstancesOfOtherParameters) {
  std::vector<Evaluation> evaluations{small_evaluation("auction", "easy"), small_evaluation("auction", "medium")};
  evaluations[1].groups[0].parameters = {{"gasse-compat", 1}};
  const Table table = main_table(evaluations);
  ASSERT_EQ(table.sections.size(), 2U);
  EXPECT_EQ(table.sections[0].heading, "Combinatorial Auctions");
  EXPECT_EQ(table.sections[1].heading, "Combinatorial Auctions (gasse-compat = 1)");
}

TEST(MainTable, DoesNotMixSettings) {
  Evaluation other = small_evaluation("setcover", "hard");
  other.settings = "default";
  other.name = "other";
  const std::vector<Evaluation> evaluations{small_evaluation(), other};
  const Table table = main_table(evaluations);
  ASSERT_EQ(table.sections.size(), 2U);
  EXPECT_EQ(table.sections[0].heading, "Set Covering (small, settings paper)");
  EXPECT_EQ(table.sections[1].heading, "Set Covering (other, settings default)");
}

// tgat solves nothing: its time is the limit, and it has no nodes to average; those of relpscost stand alone.
TEST(MainTable, SaysWhatIsUnsolvedAndWhatFellBack) {
  Evaluation evaluation = small_evaluation();
  for (RunRecord& run : evaluation.runs) {
    if (run.policy != "tgat") continue;
    run.proven = false;
    run.status = "time-limit";
    run.time_s = 3600;
    run.dual_bound = 19;
    run.fallbacks = {{"not-finite", 2}};
  }
  evaluation.n_planned = 10;
  const std::vector<Evaluation> evaluations{evaluation};
  const Table table = main_table(evaluations);
  EXPECT_EQ(texts(table.sections[0].rows[0]), (Texts{"relpscost", "*10.31 ± 5.66", "*4/4", "99 ± 0"}));
  EXPECT_EQ(texts(table.sections[0].rows[1]), (Texts{"tgat (8 fallbacks)", "3,600 ± 0 (4 unsolved)", "0/4", "n/a"}));
  EXPECT_NE(table.note.find("Unfinished: 8 of 10 runs."), std::string::npos) << table.note;

  for (RunRecord& run : evaluation.runs) run.n_nodes = 99, run.proven = true;
  EXPECT_FALSE(main_table(std::span(&evaluation, 1)).sections[0].rows[0].cells[3].best) << "all have 99 nodes, which is no merit";
}

TEST(MainTable, SaysWhatSpeaksAgainstItsFigures) {
  Evaluation evaluation = small_evaluation();
  EXPECT_EQ(main_table(std::span(&evaluation, 1)).note.find("contradict"), std::string::npos);
  EXPECT_EQ(main_table(std::span(&evaluation, 1)).note.find("steady"), std::string::npos);
  evaluation.groups.push_back({"auction-hard", "auction", "hard", std::vector<std::string>(7)});
  evaluation.runs[1].primal_bound = evaluation.runs[1].dual_bound = 21;  // tgat: another optimum than relpscost's
  for (const double time_s : {1.0, 1.0, 1.0, 1.5, 1.5, 1.5}) evaluation.calibrations.push_back({time_s, 0});
  const std::string note = main_table(std::span(&evaluation, 1)).note;
  EXPECT_NE(note.find("limit 3600 s, instances: 2 of setcover-easy, 7 of auction-hard, × 2 seeds."), std::string::npos) << note;
  EXPECT_NE(note.find("Results that contradict each other: "), std::string::npos) << note;
  evaluation.groups.back().seeds = {evaluation.seeds.front()};
  EXPECT_NE(main_table(std::span(&evaluation, 1)).note.find("limit 3600 s, instances × seeds: 2 × 2 of setcover-easy, 7 × 1 of auction-hard."), std::string::npos);
  EXPECT_NE(note.find("The machine was not steady: repeated solves differ by a factor of 1.50."), std::string::npos) << note;
}

TEST(DetailTable, HasWhatADecisionCosts) {
  std::vector<Evaluation> evaluations{small_evaluation()};
  RunRecord alone = *std::ranges::find(evaluations[0].runs, "tgat", &RunRecord::policy);  // no complete case: it does not count
  alone.seed = 99;
  alone.policy_time_s = 1000;
  evaluations[0].runs.push_back(alone);
  const Table table = detail_table(evaluations);
  ASSERT_EQ(table.sections.size(), 1U);
  EXPECT_EQ(table.sections[0].heading, "Set Covering, easy");
  const Texts rule = texts(table.sections[0].rows[0]), learned = texts(table.sections[0].rows[1]);
  ASSERT_EQ(learned.size(), table.columns.size());
  EXPECT_EQ(rule[1], "4/4");
  EXPECT_EQ(rule[4], "99 ± 0");
  EXPECT_EQ(rule[6], "990 ± 0");
  EXPECT_EQ(Texts(rule.begin() + 7, rule.end()), (Texts{"", "", "", ""})) << "a rule of SCIP makes no decisions that we count";
  // 4 * 0.02 s of 26 s, 40 decisions of 2 ms
  EXPECT_EQ(Texts(learned.begin() + 7, learned.end()), (Texts{"0.3", "40", "2.00", "0"}));
}

TEST(RatioTable, ComparesWithTheBase) {
  const std::vector<Evaluation> evaluations{race(6, 1, 1)};
  const Table table = ratio_table(evaluations);
  ASSERT_EQ(table.sections.size(), 1U);
  EXPECT_EQ(table.sections[0].heading, "Set Covering, easy: over tgat");
  EXPECT_EQ(headings(table), (Texts{":policy", "time:over the base's", "time:p", "time after root:over the base's", "time after root:p", "nodes:over the base's", "nodes:p"}));
  // 3 s over 1 s and 9 nodes over 5 on every one of six instances: p = 2 / 2^6
  EXPECT_EQ(texts(table.sections[0].rows[0]), (Texts{"relpscost", "3.00 [3.00, 3.00]", "0.031", "3.00 [3.00, 3.00]", "0.031", "1.80 [1.80, 1.80]", "0.031"}));
  EXPECT_EQ(texts(table.sections[0].rows[1]), (Texts{"tgat", "1", "", "1", "", "1", ""}));
  EXPECT_EQ(ratio_table(evaluations, "no-such").sections[0].heading, "Set Covering, easy: over tgat") << "the last policy";
  EXPECT_EQ(texts(ratio_table(evaluations, "relpscost").sections[0].rows[1])[1], "0.33 [0.33, 0.33]");
}

TEST(Paper, HasEveryRowOfItsTables) {
  EXPECT_EQ(paper_results().size(), 4U * 10);
  EXPECT_EQ(paper_rewards().size(), 2U * 7);
  // Every column's wins are those of 100 runs, but for one misprint of the paper's.
  std::map<std::pair<std::string_view, std::size_t>, int> wins;
  for (const PaperResult& result : paper_results()) {
    for (std::size_t i = 0; i < 3; ++i) wins[{result.family, i}] += result.by_size[i].n_wins;
  }
  ASSERT_EQ(wins.size(), 12U);
  for (const auto& [column, n] : wins) EXPECT_EQ(n, column.first == "auction" && column.second == 1 ? 102 : 100) << column.first << " " << paper_sizes[column.second];
  // The integral of a bound grows about as its limit does.
  for (const PaperReward& reward : paper_rewards()) {
    for (std::size_t i = 0; i < 8; ++i) {
      if (!reward.by_limit[i]) continue;
      const double bound = *reward.by_limit[i] / paper_time_limits_s[i], last_bound = *reward.by_limit[7] / 3600;
      EXPECT_NEAR(bound / last_bound, 1, 0.14) << reward.family << " " << reward.policy << " " << paper_time_limits_s[i];
    }
  }
}

TEST(Paper, IsQuotedAsPrinted) {
  EXPECT_EQ(paper_figures("setcover", "easy", "relpscost")->time_s, 11.9);
  EXPECT_EQ(paper_figures("setcover", "hard", "pscost")->nodes, 83329);
  EXPECT_EQ(paper_figures("indset", "medium", "tgat")->n_wins, 95);
  EXPECT_EQ(paper_figures("facility", "hard", "gat")->time_deviation_s, 8);
  EXPECT_FALSE(paper_figures("indset", "hard", "fullstrong")->nodes) << "not available";
  EXPECT_FALSE(paper_figures("setcover", "tiny", "tgat"));
  EXPECT_FALSE(paper_figures("maritime", "easy", "tgat"));
  EXPECT_EQ(paper_rewards()[6].by_limit[7], 2529981);
  EXPECT_EQ(paper_rewards()[13].by_limit[1], std::nullopt);
}

TEST(Paper, KnowsAPolicyByWhatItIs) {
  EXPECT_EQ(paper_name({"tgat-concat", "x.safetensors", "tgat", {}}), "tgat");
  EXPECT_EQ(paper_name({"reliability", "relpscost", "", {}}), "relpscost");
  EXPECT_EQ(paper_name({"svmrank", "x.bin", "", {}}), "svmrank");
  EXPECT_EQ(paper_name({"mine", "inference", "", {}}), "mine");
  EXPECT_EQ(paper_name({"tuned", "relpscost", "", {}, {{"branching/relpscost/maxlookahead", "4"}}}), "tuned");
}

TEST(PaperTable, SetsThePapersRatiosBesideOurs) {
  Evaluation evaluation = race(6, 1, 1);
  evaluation.policies[1].name = "tgat-concat";
  for (RunRecord& run : evaluation.runs) run.policy = run.policy == "tgat" ? "tgat-concat" : run.policy;
  const std::vector<Evaluation> evaluations{evaluation};
  const Table table = paper_table(evaluations);
  EXPECT_EQ(headings(table), (Texts{":policy", "Paper (SCIP 7, V100):easy", "Here:easy"}));
  ASSERT_EQ(table.sections.size(), 1U);
  ASSERT_EQ(table.sections[0].rows.size(), 1U) << "relpscost over itself says nothing";
  // 11.9 s / 6.8 s
  EXPECT_EQ(texts(table.sections[0].rows[0]), (Texts{"tgat-concat", "1.75", "3.00 [3.00, 3.00]"}));
  EXPECT_NE(table.note.find("Seyfi, Banitalebi-Dehkordi, Zhou, Zhang"), std::string::npos);
}

// The paper's auctions are Gasse's; with 2,000 rows a set covering is not the paper's easy one.
TEST(PaperTable, LeavesOutInstancesThatAreNotThePapers) {
  Evaluation auction = small_evaluation("auction"), rows = small_evaluation();
  auction.groups[0].parameters = {{"gasse-compat", 1}};
  rows.groups[0].parameters = {{"rows", 2000}};
  EXPECT_EQ(paper_table(std::span(&auction, 1)).sections.size(), 1U);
  EXPECT_TRUE(paper_table(std::span(&rows, 1)).sections.empty());
}

TEST(PaperTable, IsEmptyWithoutAnythingToCompare) {
  Evaluation no_rule = small_evaluation();
  no_rule.policies[0] = {"relpscost-like", "pscost", "", {}};
  for (const Evaluation& evaluation : {small_evaluation("setcover", "tiny"), small_evaluation("maritime"), no_rule}) EXPECT_TRUE(paper_table(std::span(&evaluation, 1)).sections.empty());
}

TEST(RewardTable, IsOnlyForItsFamiliesAndSettings) {
  Evaluation ml4co = small_evaluation();
  ml4co.settings = "ml4co";
  const Evaluation plain = small_evaluation(), maritime = small_evaluation("maritime");
  EXPECT_FALSE(reward_table(std::span(&plain, 1)));
  EXPECT_TRUE(reward_table(std::span(&ml4co, 1)));
  EXPECT_TRUE(reward_table(std::span(&maritime, 1)));
}

// Three instances, minimisation, optimum 20.  The dual bound is 10 at once and 20 after 30 s with tgat, after 90 s with relpscost.
// Integrals: tgat 60 s: 10 * 30 + 20 * 30 = 900; 100 s: 1700.  relpscost 60 s: 600; 100 s: 10 * 90 + 20 * 10 = 1100.
// Equation 10 subtracts 1200 and 2000: -300, -300 and -600, -900.  Instance c crashed with tgat and counts for neither.
TEST(RewardTable, IntegratesTheDualBound) {
  Evaluation evaluation = small_evaluation("loadbalance");
  evaluation.time_limit_s = 100;
  evaluation.runs.clear();
  for (const std::string instance : {"a", "b", "c"}) {
    for (const std::string policy : {"relpscost", "tgat"}) {
      RunRecord run = solved_run("loadbalance-easy", instance, 0, policy, policy == "tgat" ? 30 : 90, 5);
      if (instance == "c" && policy == "tgat") run.end = "crashed", run.trace.clear();
      evaluation.runs.push_back(run);
    }
  }
  const auto table = reward_table(std::span(&evaluation, 1));
  ASSERT_TRUE(table);
  EXPECT_EQ(headings(*table), (Texts{":policy", "Time limit:60 s", "Time limit:100 s"}));
  ASSERT_EQ(table->sections.size(), 3U);
  EXPECT_EQ(table->sections[0].heading, "Load Balancing, easy: as ML4CO computes it (2 runs)");
  EXPECT_EQ(texts(table->sections[0].rows[0]), (Texts{"relpscost", "600", "1,100"}));
  EXPECT_EQ(texts(table->sections[0].rows[1]), (Texts{"tgat", "*900", "*1,700"}));
  EXPECT_EQ(table->sections[1].heading, "Load Balancing, easy: equation 10 of the paper (2 runs with a known optimum)");
  EXPECT_EQ(texts(table->sections[1].rows[0]), (Texts{"relpscost", "-600", "-900"}));
  EXPECT_EQ(texts(table->sections[1].rows[1]), (Texts{"tgat", "*-300", "*-300"}));
  EXPECT_EQ(table->sections[2].heading, "Load Balancing: the paper's own figures (ML4CO's instances, SCIP 7, V100)");
  EXPECT_EQ(texts(table->sections[2].rows[0]), (Texts{"fullstrong", "*42,236", ""}));

  evaluation.time_limit_s = 40;
  EXPECT_EQ(headings(*reward_table(std::span(&evaluation, 1))), (Texts{":policy", "Time limit:10 s", "Time limit:20 s", "Time limit:30 s", "Time limit:40 s"}));
}

// A suite may send a slow rule to some of its groups only; the others are complete without it.
TEST(ReportTables, OfAGroupHaveThePoliciesThatTakePartInIt) {
  Evaluation evaluation = small_evaluation("loadbalance");
  evaluation.policies.insert(evaluation.policies.begin(), {"fullstrong", "fullstrong", "", {}});
  evaluation.groups[0].policies = {"relpscost", "tgat"};
  const Section main = main_table(std::span(&evaluation, 1)).sections.at(0);
  ASSERT_EQ(main.rows.size(), 2U);
  EXPECT_EQ(main.rows[1].cells[0].text, "tgat");
  EXPECT_EQ(main.rows[1].cells[2].text, "4/4");
  EXPECT_EQ(ratio_table(std::span(&evaluation, 1), "tgat").sections.at(0).rows.size(), 2U);
  EXPECT_EQ(reward_table(std::span(&evaluation, 1)).value().sections.at(0).rows.size(), 2U);
  evaluation.groups[0].policies.clear();  // all: fullstrong has no record, so nothing is complete
  EXPECT_EQ(main_table(std::span(&evaluation, 1)).sections.at(0).rows.at(2).cells.at(2).text, "");
}

TEST(Headlines, SayWhoIsFasterByHowMuch) {
  const Evaluation faster = race(6, 1, 1);
  const std::vector<Headline> found = headlines(std::span(&faster, 1));
  ASSERT_EQ(found.size(), 1U) << "there is no pscost";
  EXPECT_EQ(found[0].policy, "tgat");
  EXPECT_EQ(found[0].base, "relpscost");
  EXPECT_EQ(found[0].group, "setcover-easy");
  EXPECT_EQ(found[0].verdict, Verdict::faster);
  EXPECT_EQ(found[0].sentence, "tgat is 3.00 times as fast as relpscost [3.00, 3.00]");

  Evaluation slower = race(6, 6, 6);
  slower.runs[1].fallbacks = {{"not-finite", 1}};
  EXPECT_EQ(headlines(std::span(&slower, 1)).at(0).verdict, Verdict::slower);
  EXPECT_EQ(headlines(std::span(&slower, 1)).at(0).sentence, "tgat is not faster than relpscost: 0.50 times as fast [0.50, 0.50]; it left 1 node to SCIP's own rules");
}

TEST(Headlines, ClaimNothingThatCannotBeTold) {
  const Evaluation mixed = race(8, 1, 7);  // (2 * 8)^(1/2) - 1 = 3
  const Headline headline = headlines(std::span(&mixed, 1)).at(0);
  EXPECT_EQ(headline.verdict, Verdict::unclear);
  EXPECT_LT(headline.time.low, 1);
  EXPECT_GT(headline.time.high, 1);
  EXPECT_TRUE(headline.sentence.starts_with("no difference between tgat and relpscost can be told: 1.00 times as fast [0.")) << headline.sentence;

  const Evaluation few = race(5, 1, 1);
  EXPECT_EQ(headlines(std::span(&few, 1)).at(0).verdict, Verdict::unclear);
  EXPECT_EQ(headlines(std::span(&few, 1)).at(0).sentence, "no difference between tgat and relpscost can be told: 3.00 times as fast [3.00, 3.00]; 5 instances are too few");
}

TEST(Headlines, TakeTheFirstNetworkWhereThereIsNoTgatAndNoneOfRulesAlone) {
  Evaluation evaluation = race(6, 1, 1);
  evaluation.policies[1] = {"mine", "mine.safetensors", "gat", {}};
  for (RunRecord& run : evaluation.runs) run.policy = run.policy == "tgat" ? "mine" : run.policy;
  EXPECT_EQ(headlines(std::span(&evaluation, 1)).at(0).policy, "mine");
  evaluation.policies.push_back({"tgat", "tgat.safetensors", "tgat", {}});
  evaluation.groups[0].policies = {"relpscost", "mine"};
  EXPECT_EQ(headlines(std::span(&evaluation, 1)).at(0).policy, "mine") << "the suite has a tgat, this group has not";
  evaluation.policies.pop_back();
  evaluation.policies[1].network.clear();
  EXPECT_TRUE(headlines(std::span(&evaluation, 1)).empty());
}

TEST(ReportTables, AreAllCompiledByPlainPdflatex) {
  Evaluation loadbalance = small_evaluation("loadbalance", "hard");
  loadbalance.name = "50 % of #1_{x} & \\y";
  const std::vector<Evaluation> evaluations{small_evaluation(), race(6, 1, 7), loadbalance};
  std::string document = "\\documentclass{article}\n\\begin{document}\n";
  std::vector<std::string> ids;
  for (const Table& table : report_tables(evaluations)) {
    ids.push_back(table.id);
    document += latex(table);
  }
  EXPECT_EQ(ids, (Texts{"table-main", "table-ratio", "table-detail", "table-paper", "table-reward"}));
  const TemporaryDirectory directory;
  write_file(directory.path() / "tables.tex", document + "\\end{document}\n");
  const Finished finished = run_program({"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"}, directory.path());
  EXPECT_EQ(finished.exit_code, 0) << finished.out;
  EXPECT_TRUE(std::filesystem::exists(directory.path() / "tables.pdf")) << finished.out;
}

TEST(ReportTables, OfNothingAreNone) {
  EXPECT_TRUE(report_tables({}).empty());
  EXPECT_TRUE(headlines({}).empty());
  Evaluation unstarted = small_evaluation("loadbalance");
  unstarted.runs.clear();
  for (const Table& table : report_tables(std::span(&unstarted, 1))) EXPECT_NE(table.id, "table-reward");
}

}  // namespace
}  // namespace bough::test
