// SPDX-License-Identifier: Apache-2.0
//
// Small suites, computed by hand above each test.  EXPECT_DOUBLE_EQ where logarithms cancel up to rounding (4 units in the last
// place), EXPECT_EQ where everything is exact.  Values are often 2^k - 1: their shifted logarithms add up in the head.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bough/evaluate/metrics.hpp"
#include "bough/evaluate/trace.hpp"

namespace bough {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Evaluation suite_of(const std::vector<std::string>& policies, double time_limit_s = 100) {
  Evaluation evaluation;
  evaluation.settings = "paper";
  evaluation.time_limit_s = time_limit_s;
  for (const std::string& name : policies) evaluation.policies.push_back({.name = name, .source = name, .network = {}, .accuracy = {}});
  return evaluation;
}

RunRecord run_of(const std::string& policy, const std::string& instance, std::uint32_t seed) {
  RunRecord run;
  run.group = "g";
  run.instance = instance;
  run.seed = seed;
  run.policy = policy;
  run.end = "done";
  return run;
}

RunRecord solved(const std::string& policy, const std::string& instance, std::uint32_t seed, double time_s, std::int64_t n_nodes = 1) {
  RunRecord run = run_of(policy, instance, seed);
  run.status = "optimal";
  run.proven = true;
  run.time_s = time_s;
  run.n_nodes = n_nodes;
  return run;
}

RunRecord unsolved(const std::string& policy, const std::string& instance, std::uint32_t seed, double time_s, double root_time_s = 0) {
  RunRecord run = run_of(policy, instance, seed);
  run.status = "time-limit";
  run.time_s = time_s;
  run.root_time_s = root_time_s;
  return run;
}

RunRecord without_result(const std::string& policy, const std::string& instance, std::uint32_t seed, const std::string& end) {
  RunRecord run = run_of(policy, instance, seed);
  run.end = end;
  return run;
}

// exp((log 1 + log 4) / 2) - 1 = 2 - 1.  Shift 10: sqrt(10 * 40) - 10 = 10.
TEST(MetricsMean, OfZeroAndThreeIsOne) {
  EXPECT_DOUBLE_EQ(shifted_geometric_mean(std::vector{0.0, 3.0}), 1);
  EXPECT_DOUBLE_EQ(shifted_geometric_mean(std::vector{0.0, 30.0}, 10), 10);
  EXPECT_TRUE(std::isnan(shifted_geometric_mean({})));
}

// All runs: sqrt[4](1 * 4 * 4 * 16) - 1 = 3.  Seed 0: sqrt(1 * 4) - 1 = 1; seed 1: sqrt(4 * 16) - 1 = 7; their sample deviation is
// sqrt(((1 - 4)^2 + (7 - 4)^2) / 1) = sqrt(18).
TEST(MetricsSummary, DeviationIsThatOfTheSeedsMeans) {
  Evaluation evaluation = suite_of({"a"});
  evaluation.runs = {solved("a", "i", 0, 0), solved("a", "i", 1, 3), solved("a", "j", 0, 3), solved("a", "j", 1, 15)};
  const PolicySummary a = summarise(evaluation, "g").at(0);
  EXPECT_EQ(a.policy, "a");
  EXPECT_EQ(a.n_runs, 4U);
  EXPECT_DOUBLE_EQ(a.time_s.mean, 3);
  EXPECT_DOUBLE_EQ(a.time_s.deviation, std::sqrt(18));
}

TEST(MetricsSummary, OneSeedHasNoDeviation) {
  Evaluation evaluation = suite_of({"a"});
  evaluation.runs = {solved("a", "i", 7, 0), solved("a", "j", 7, 3)};
  EXPECT_DOUBLE_EQ(summarise(evaluation, "g").at(0).time_s.mean, 1);
  EXPECT_TRUE(std::isnan(summarise(evaluation, "g").at(0).time_s.deviation));
}

// Limit 63.  Times 0 (solved), 63 (stopped at 20 by a node limit), 63 (overtime), 63, 63: (1 * 64^4)^(1/5) - 1 = 2^(24/5) - 1.
// After the root, at 32 and 0, ...: 0, 63 - 32 = 31, 63, 63, 63: (1 * 32 * 64^3)^(1/5) - 1 = 2^(23/5) - 1.
TEST(MetricsSummary, WhatIsNotSolvedCountsAtTheLimitHoweverItEnded) {
  Evaluation evaluation = suite_of({"a"}, 63);
  RunRecord overtime = without_result("a", "overtime", 0, "overtime");
  overtime.proven = true;  // must not help it: the run has no result
  evaluation.runs = {solved("a", "solved", 0, 0), unsolved("a", "node-limit", 0, 40, 32), overtime, without_result("a", "crashed", 0, "crashed"),
                     without_result("a", "failed", 0, "failed")};
  const PolicySummary a = summarise(evaluation, "g").at(0);
  EXPECT_EQ(a.n_runs, 5U);
  EXPECT_EQ(a.n_solved, 1U);
  EXPECT_DOUBLE_EQ(a.time_s.mean, std::exp2(24 / 5.0) - 1);
  EXPECT_DOUBLE_EQ(a.time_after_root_s.mean, std::exp2(23 / 5.0) - 1);
}

// Solved in 127 s, of which the root took 64, with a limit of 63: it counts as it is.  A root that ended a moment after the limit
// leaves 0, not a negative time.
TEST(MetricsSummary, ASolvedRunCountsWithItsTimeAndNoTimeIsNegative) {
  Evaluation evaluation = suite_of({"a", "b"}, 63);
  RunRecord late = solved("a", "i", 0, 127);
  late.root_time_s = 64;
  evaluation.runs = {late, unsolved("b", "i", 0, 63.02, 63.02)};
  const auto summaries = summarise(evaluation, "g");
  EXPECT_DOUBLE_EQ(summaries[0].time_s.mean, 127);
  EXPECT_DOUBLE_EQ(summaries[0].time_after_root_s.mean, 63);
  EXPECT_EQ(summaries[1].time_after_root_s.mean, 0);
}

// The limit of `ml4co` starts after the root: 15 + 16 s in all, 15 after the root.  At the limit alone, 15, it would beat a run that
// was solved after 20 s.
TEST(MetricsSummary, ALimitThatStartsAfterTheRootCountsFromThere) {
  Evaluation evaluation = suite_of({"a"}, 15);
  evaluation.settings = "ml4co";
  evaluation.runs = {unsolved("a", "i", 0, 31.01, 16)};
  EXPECT_DOUBLE_EQ(summarise(evaluation, "g").at(0).time_s.mean, 31);
  EXPECT_DOUBLE_EQ(summarise(evaluation, "g").at(0).time_after_root_s.mean, 15);
}

// It crashed, so it has no root time of its own: it takes the 16 s of the other, and is not faster than the one that was solved after 20 s.
TEST(MetricsSummary, ACrashUnderALimitAfterTheRootIsNoFasterThanTheLimit) {
  Evaluation evaluation = suite_of({"a", "b"}, 15);
  evaluation.settings = "ml4co";
  evaluation.runs = {without_result("a", "i", 0, "crashed"), solved("b", "i", 0, 20)};
  evaluation.runs.back().root_time_s = 16;
  const auto summaries = summarise(evaluation, "g");
  EXPECT_DOUBLE_EQ(summaries[0].time_s.mean, 31);
  EXPECT_DOUBLE_EQ(summaries[0].time_after_root_s.mean, 15);
  EXPECT_DOUBLE_EQ(summaries[1].time_s.mean, 20);
}

// i: a.  j: a tie.  k: b alone solves it, after the limit at which the others count.  l: nobody.
TEST(MetricsSummary, OnlyTheStrictlyFastestSolvedRunWins) {
  Evaluation evaluation = suite_of({"a", "b", "c"}, 10);
  evaluation.runs = {solved("a", "i", 0, 1),   solved("b", "i", 0, 2),      solved("c", "i", 0, 2),
                     solved("a", "j", 0, 3),   solved("b", "j", 0, 3),      solved("c", "j", 0, 4),
                     unsolved("a", "k", 0, 5), solved("b", "k", 0, 10.01),  without_result("c", "k", 0, "crashed"),
                     unsolved("a", "l", 0, 9), unsolved("b", "l", 0, 10), unsolved("c", "l", 0, 10)};
  const auto summaries = summarise(evaluation, "g");
  EXPECT_EQ(summaries[0].n_wins, 1U);
  EXPECT_EQ(summaries[1].n_wins, 1U);
  EXPECT_EQ(summaries[2].n_wins, 0U);
}

// a solves i, j, k; b solves i, k; c solves none and does not count.  Common: i and k.  Nodes of a: sqrt(2 * 8) - 1 = 3, of b:
// sqrt(4 * 64) - 1 = 15.  j, which b did not solve, would show as 999 nodes.
TEST(MetricsSummary, NodesAreThoseOfRunsThatAllWhoSolveAnythingSolved) {
  Evaluation evaluation = suite_of({"a", "b", "c"});
  RunRecord first = solved("a", "i", 0, 1, 1);
  RunRecord last = solved("a", "k", 0, 1, 7);
  first.n_fair_nodes = 3;  // sqrt(4 * 16) - 1 = 7
  last.n_fair_nodes = 15;
  first.n_lp_iterations = 15;  // sqrt(16 * 64) - 1 = 31
  last.n_lp_iterations = 63;
  evaluation.runs = {first,                        solved("b", "i", 0, 1, 3),  unsolved("c", "i", 0, 100),
                     solved("a", "j", 0, 1, 999), unsolved("b", "j", 0, 100), unsolved("c", "j", 0, 100),
                     last,                         solved("b", "k", 0, 1, 63), unsolved("c", "k", 0, 100)};
  const auto summaries = summarise(evaluation, "g");
  for (const PolicySummary& summary : summaries) EXPECT_EQ(summary.n_common, 2U);
  EXPECT_DOUBLE_EQ(summaries[0].nodes.mean, 3);
  EXPECT_DOUBLE_EQ(summaries[0].fair_nodes.mean, 7);
  EXPECT_DOUBLE_EQ(summaries[0].lp_iterations.mean, 31);
  EXPECT_DOUBLE_EQ(summaries[1].nodes.mean, 15);
  EXPECT_TRUE(std::isnan(summaries[2].nodes.mean));
  EXPECT_TRUE(std::isnan(summaries[2].fair_nodes.mean));
  EXPECT_TRUE(std::isnan(summaries[2].lp_iterations.mean));
}

TEST(MetricsSummary, NothingIsCommonIfNobodySolvesAnything) {
  Evaluation evaluation = suite_of({"a", "b"});
  evaluation.runs = {unsolved("a", "i", 0, 100), unsolved("b", "i", 0, 100)};
  for (const PolicySummary& summary : summarise(evaluation, "g")) {
    EXPECT_EQ(summary.n_common, 0U);
    EXPECT_TRUE(std::isnan(summary.nodes.mean));
  }
}

// b has no record of (i, 1) yet, nor of j; another group and a policy that the suite does not know are there as well.  What is left
// is (i, 0) and (k, 1): times 3 and 15, sqrt(4 * 16) - 1 = 7.
TEST(MetricsSummary, AnInterruptedEvaluationComparesWhatEveryPolicyHasRun) {
  Evaluation evaluation = suite_of({"a", "b"});
  RunRecord elsewhere = solved("b", "j", 0, 1);
  elsewhere.group = "other";
  evaluation.runs = {solved("a", "i", 0, 3),    solved("b", "i", 0, 1),      solved("a", "i", 1, 99), solved("a", "j", 0, 99),
                     elsewhere, solved("unknown", "j", 0, 1), solved("a", "k", 1, 15), solved("b", "k", 1, 1)};
  const auto summaries = summarise(evaluation, "g");
  ASSERT_EQ(summaries.size(), 2U);
  EXPECT_EQ(summaries[0].n_runs, 2U);
  EXPECT_EQ(summaries[1].n_runs, 2U);
  EXPECT_DOUBLE_EQ(summaries[0].time_s.mean, 7);
  EXPECT_EQ(summarise(evaluation, "nothing").at(0).n_runs, 0U);
  EXPECT_TRUE(std::isnan(summarise(evaluation, "nothing").at(0).time_s.mean));
  EXPECT_EQ(compare(evaluation, "g", "a", "b", Figure::time)->n_instances, 2U);
}

// (1 + 2) s of 4 + 8 s (the unsolved run counts as it was, not at the limit); 5 + 6 decisions; 1 + 2 + 4 fallbacks.
TEST(MetricsSummary, TheSharesOfAPolicyAreSums) {
  Evaluation evaluation = suite_of({"a"});
  RunRecord first = solved("a", "i", 0, 4);
  first.policy_time_s = 1;
  first.n_decisions = 5;
  first.fallbacks = {{"no-candidates", 1}, {"non-finite", 2}};
  RunRecord second = unsolved("a", "j", 0, 8);
  second.policy_time_s = 2;
  second.n_decisions = 6;
  second.fallbacks = {{"non-finite", 4}};
  evaluation.runs = {first, second};
  const PolicySummary a = summarise(evaluation, "g").at(0);
  EXPECT_DOUBLE_EQ(a.policy_share, 0.25);
  EXPECT_EQ(a.n_decisions, 11);
  EXPECT_EQ(a.n_fallbacks, 7);
  evaluation.runs = {without_result("a", "i", 0, "crashed")};
  EXPECT_EQ(summarise(evaluation, "g").at(0).policy_share, 0);
}

// a: sqrt(4 * 16) - 1 = 7, b: sqrt(2 * 8) - 1 = 3.  The ratio of means is 7/3.  Each instance alone: 3/1 and 15/7; a resample is
// one of 15/7 (probability 1/4), 7/3 (1/2) and 3 (1/4), so the interval is [15/7, 3].  Both differences are log 2: p = 2 * 1/4.
TEST(MetricsCompare, RatioOfMeansWithItsIntervalAndTest) {
  Evaluation evaluation = suite_of({"a", "b"});
  evaluation.runs = {solved("a", "i", 0, 3), solved("b", "i", 0, 1), solved("a", "j", 0, 15), solved("b", "j", 0, 7)};
  const auto ratio = compare(evaluation, "g", "a", "b", Figure::time);
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->ratio, 7 / 3.0);
  EXPECT_DOUBLE_EQ(ratio->low, 15 / 7.0);
  EXPECT_DOUBLE_EQ(ratio->high, 3);
  EXPECT_EQ(ratio->p_value, 0.5);
  EXPECT_EQ(ratio->n_instances, 2U);
}

// b takes 1 s everywhere, a 15 s on four instances and 0 s on four.  A resample with the slow ones k times has the ratio
// 2^(4k/8) - 1 over 2 - 1; k is binomial(8, 1/2): at most 0 with probability 0.004, at most 1 with 0.035.  2.5 % are thus reached at
// k = 1 and, by symmetry, 97.5 % at k = 7 (a 90 % interval would end at 2 and 6).  10,000 resamples know 0.035 to +-0.002.
TEST(MetricsCompare, TheIntervalLeavesOutTwoAndAHalfPerCentOnEitherSide) {
  Evaluation evaluation = suite_of({"a", "b"});
  for (int i = 0; i < 8; ++i) {
    evaluation.runs.push_back(solved("a", "i" + std::to_string(i), 0, i < 4 ? 15 : 0));
    evaluation.runs.push_back(solved("b", "i" + std::to_string(i), 0, 1));
  }
  const auto ratio = compare(evaluation, "g", "a", "b", Figure::time);
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->ratio, 3);
  EXPECT_DOUBLE_EQ(ratio->low, std::exp2(0.5) - 1);
  EXPECT_DOUBLE_EQ(ratio->high, std::exp2(3.5) - 1);
}

// 20 different times against 10 s: every resample has a ratio of its own, so another stream would give another interval.
TEST(MetricsCompare, TheIntervalIsTheSameEveryTimeAndHoldsTheRatio) {
  Evaluation evaluation = suite_of({"a", "b"});
  for (int i = 0; i < 20; ++i) {
    evaluation.runs.push_back(solved("a", "i" + std::to_string(i), 0, 5 + 0.5 * i));
    evaluation.runs.push_back(solved("b", "i" + std::to_string(i), 0, 10));
  }
  const auto once = compare(evaluation, "g", "a", "b", Figure::time);
  const auto again = compare(evaluation, "g", "a", "b", Figure::time);
  ASSERT_TRUE(once && again);
  EXPECT_EQ(once->low, again->low);
  EXPECT_EQ(once->high, again->high);
  EXPECT_LT(once->low, once->ratio);
  EXPECT_GT(once->high, once->ratio);
}

// Two instances with two seeds each; within an instance the seeds are ten times apart in opposite directions.  Drawn run by run, the
// interval would reach far to both sides; drawn by instance, every resample has the ratio 1.
TEST(MetricsCompare, TheSeedsOfAnInstanceAreDrawnTogether) {
  Evaluation evaluation = suite_of({"a", "b"});
  for (const char* instance : {"i", "j"}) {
    evaluation.runs.push_back(solved("a", instance, 0, 1));
    evaluation.runs.push_back(solved("b", instance, 0, 10));
    evaluation.runs.push_back(solved("a", instance, 1, 10));
    evaluation.runs.push_back(solved("b", instance, 1, 1));
  }
  const auto ratio = compare(evaluation, "g", "a", "b", Figure::time);
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->n_instances, 2U);
  EXPECT_DOUBLE_EQ(ratio->low, 1);
  EXPECT_DOUBLE_EQ(ratio->high, 1);
  EXPECT_EQ(ratio->p_value, 1);
}

TEST(MetricsCompare, OneInstanceHasAnIntervalWithoutWidth) {
  Evaluation evaluation = suite_of({"a", "b"});
  for (std::uint32_t seed = 0; seed < 3; ++seed) {
    evaluation.runs.push_back(solved("a", "i", seed, 2 + seed));
    evaluation.runs.push_back(solved("b", "i", seed, 1 + 3 * seed));
  }
  const auto ratio = compare(evaluation, "g", "a", "b", Figure::time);
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->low, ratio->ratio);
  EXPECT_EQ(ratio->high, ratio->ratio);
  EXPECT_EQ(ratio->p_value, 1);
}

// Limit 31.  i: a 7 of which 4 before the root's end, b 1; j: a unsolved, b 3.  Time: sqrt(8 * 32) - 1 = 15 over sqrt(2 * 4) - 1.
// After the root: sqrt(4 * 32) - 1 over the same.  Counts, over i alone: nodes 6 / 3, iterations 50 / 5; c, unsolved, has no say.
TEST(MetricsCompare, TimesAreOverAllRunsAndCountsOverThoseThatBothSolved) {
  Evaluation evaluation = suite_of({"a", "b", "c"}, 31);
  RunRecord fast = solved("a", "i", 0, 7, 6);
  fast.root_time_s = 4;
  fast.n_lp_iterations = 50;
  RunRecord other = solved("b", "i", 0, 1, 3);
  other.n_lp_iterations = 5;
  evaluation.runs = {fast, other, unsolved("c", "i", 0, 31), unsolved("a", "j", 0, 31), solved("b", "j", 0, 3, 1000), unsolved("c", "j", 0, 31)};
  const double base = std::sqrt(8) - 1;
  EXPECT_DOUBLE_EQ(compare(evaluation, "g", "a", "b", Figure::time)->ratio, 15 / base);
  EXPECT_DOUBLE_EQ(compare(evaluation, "g", "a", "b", Figure::time_after_root)->ratio, (std::sqrt(128) - 1) / base);
  const auto nodes = compare(evaluation, "g", "a", "b", Figure::nodes);
  ASSERT_TRUE(nodes);
  EXPECT_DOUBLE_EQ(nodes->ratio, 2);
  EXPECT_EQ(nodes->n_instances, 1U);
  EXPECT_DOUBLE_EQ(compare(evaluation, "g", "a", "b", Figure::lp_iterations)->ratio, 10);
  EXPECT_FALSE(compare(evaluation, "g", "a", "c", Figure::nodes)) << "c solved nothing";
  EXPECT_FALSE(compare(evaluation, "g", "a", "unknown", Figure::time));
  EXPECT_FALSE(compare(evaluation, "nothing", "a", "b", Figure::time));
}

// Everything ends at the root: 0 over 0 is a tie.  Then a branches for 3 s on one of the two: 1 over 0.
TEST(MetricsCompare, AMeanOfZeroIsATieOrInfinitelyFarAway) {
  Evaluation evaluation = suite_of({"a", "b"});
  for (const char* policy : {"a", "b"}) {
    for (const char* instance : {"i", "j"}) {
      evaluation.runs.push_back(solved(policy, instance, 0, 2));
      evaluation.runs.back().root_time_s = 2;
    }
  }
  const auto tie = compare(evaluation, "g", "a", "b", Figure::time_after_root);
  ASSERT_TRUE(tie);
  EXPECT_EQ(tie->ratio, 1);
  EXPECT_EQ(tie->low, 1);
  EXPECT_EQ(tie->high, 1);
  evaluation.runs[0].time_s = 5;
  const auto far = compare(evaluation, "g", "a", "b", Figure::time_after_root);
  ASSERT_TRUE(far);
  EXPECT_EQ(far->ratio, infinity);
  EXPECT_EQ(far->low, 1) << "a quarter of the resamples has only the tie";
  EXPECT_EQ(far->high, infinity);
}

// Five signs, all positive: 1 of 32 choices in either direction, 2/32.  The smallest alone negative: sums 0 and 1, 2 choices, 4/32.
// Ranks 2 and 3 negative (sum 5): of 0..5 there are 1, 1, 1, 2, 2, 3 choices, 10 in all, 20/32.
TEST(MetricsSignedRank, IsExactForFewDifferences) {
  EXPECT_EQ(signed_rank_p_value(std::vector{1.0, 2.0, 3.0, 4.0, 5.0}), 2 / 32.0);
  EXPECT_EQ(signed_rank_p_value(std::vector{-1.0, -2.0, -3.0, -4.0, -5.0}), 2 / 32.0);
  EXPECT_EQ(signed_rank_p_value(std::vector{3.0, -1.0, 4.0, 5.0, 2.0}), 4 / 32.0);
  EXPECT_EQ(signed_rank_p_value(std::vector{1.0, -2.0, -3.0, 4.0, 5.0}), 20 / 32.0);
}

// 1 and -2, 3 and 3: ranks 1, 2, 3.5, 3.5, the negative one is 2.  Sums up to 2: {}, {1}, {2}: 3 of 16 choices, 6/16.
// Five equal ones: every rank is 3; all positive is 1 choice of 32, one negative 1 + 5.
TEST(MetricsSignedRank, TiesShareTheirRankAndStayExact) {
  EXPECT_EQ(signed_rank_p_value(std::vector{1.0, -2.0, 3.0, 3.0}), 6 / 16.0);
  EXPECT_EQ(signed_rank_p_value(std::vector{4.0, 4.0, 4.0, 4.0, 4.0}), 2 / 32.0);
  EXPECT_EQ(signed_rank_p_value(std::vector{4.0, 4.0, -4.0, 4.0, 4.0}), 12 / 32.0);
}

// Two of opposite signs and equal size: both sums are the mean, and twice the half is more than 1.
TEST(MetricsSignedRank, ZerosAreLeftOutAndNothingIsMoreProbableThanOne) {
  EXPECT_EQ(signed_rank_p_value(std::vector{0.0, 1.0, 2.0, 0.0, 3.0, 4.0, 5.0}), 2 / 32.0);
  EXPECT_EQ(signed_rank_p_value(std::vector{0.0, 0.0}), 1);
  EXPECT_EQ(signed_rank_p_value({}), 1);
  EXPECT_EQ(signed_rank_p_value(std::vector{3.0, -3.0}), 1);
}

// 26 of different sizes, the 10 smallest negative: W- = 55, mean 26 * 27 / 4 = 175.5, variance 26 * 27 * 53 / 24 = 1550.25,
// z = (120.5 - 0.5) / 39.3732 = 3.04775, p = erfc(3.04775 / sqrt 2) = 0.0023.
// 26 of equal size, 8 negative: all ranks are 13.5, W- = 108, variance 1550.25 - (26^3 - 26) / 48 = 1184.625,
// z = (67.5 - 0.5) / 34.4184 = 1.94663, p = 0.0516.
TEST(MetricsSignedRank, IsNormalBeyondTwentyFiveDifferences) {
  std::vector<double> differences;
  for (int i = 1; i <= 26; ++i) differences.push_back(i <= 10 ? -i : i);
  EXPECT_DOUBLE_EQ(signed_rank_p_value(differences), std::erfc(120 / std::sqrt(1550.25) / std::sqrt(2)));
  EXPECT_NEAR(signed_rank_p_value(differences), 0.0023, 0.00005) << "the last digit above";
  for (double& difference : differences) difference = difference < 0 && difference >= -8 ? -1 : 1;
  EXPECT_DOUBLE_EQ(signed_rank_p_value(differences), std::erfc(67 / std::sqrt(1184.625) / std::sqrt(2)));
  EXPECT_NEAR(signed_rank_p_value(differences), 0.0516, 0.00005) << "the last digit above";
}

// 25, the last exact ones, the 12 smallest negative: W- = 78, mean 162.5, variance 25 * 26 * 51 / 24 = 1381.25, z = 84 / 37.165.  Exact
// and approximate p differ there, by a few per cent (a tenth is allowed): larger jumps would be a mistake in one of them.
TEST(MetricsSignedRank, TheApproximationContinuesTheExactValues) {
  std::vector<double> differences;
  for (int i = 1; i <= 25; ++i) differences.push_back(i <= 12 ? -i : i);
  const double approximation = std::erfc(84 / std::sqrt(1381.25) / std::sqrt(2));
  EXPECT_NE(signed_rank_p_value(differences), approximation);
  EXPECT_NEAR(signed_rank_p_value(differences), approximation, 0.1 * approximation);
}

RunRecord traced(std::vector<BoundPoint> trace, bool maximise = false) {
  RunRecord run = unsolved("a", "i", 0, 100);
  run.trace = std::move(trace);
  run.maximise = maximise;
  return run;
}

// No dual bound until 1, then 4; from 3 on 6; the solve ends at 5 with 7, optimum 8.  With T = 10: 4 * 3 + 6 * 2 + 7 * 5 = 59, minus
// 80.  With T = 4, in the middle of a step: 4 * 3 + 6 * 1 - 32.
TEST(MetricsDualIntegral, IsTheAreaUnderTheStepsMinusThatOfTheOptimum) {
  const RunRecord run = traced({{0.5, 20, -infinity, 0}, {1, 20, 4, 1}, {3, 12, 6, 5}, {5, 10, 7, 9}});
  EXPECT_EQ(dual_integral_reward(run, 10, 8), 59 - 80);
  EXPECT_EQ(dual_integral_reward(run, 4, 8), 18 - 32);
}

// The same problem with its objective negated, maximised: bounds come from above, the reward is the same.
TEST(MetricsDualIntegral, OfAMaximisationIsThatOfTheNegatedProblem) {
  const RunRecord run = traced({{0.5, -20, infinity, 0}, {1, -20, -4, 1}, {3, -12, -6, 5}, {5, -10, -7, 9}}, /*maximise=*/true);
  EXPECT_EQ(dual_integral_reward(run, 10, -8), 59 - 80);
  EXPECT_EQ(dual_integral_reward(run, 4, -8), 18 - 32);
}

// Solved at 2 with the optimum 8: (4 - 8) * 2, and nothing more is lost until T.
TEST(MetricsDualIntegral, ASolvedRunLosesNothingAfterItsEnd) {
  const RunRecord run = traced({{0, 20, 4, 0}, {2, 8, 8, 3}});
  EXPECT_EQ(dual_integral_reward(run, 2, 8), -8);
  EXPECT_EQ(dual_integral_reward(run, 1000, 8), -8);
}

// The root ends at 2, in the step of 4, and the window is [2, 6]: 4 * 1 + 6 * 2 + 7 * 1 = 23.
TEST(MetricsDualIntegral, OfTheCompetitionStartsAfterTheRoot) {
  RunRecord run = traced({{1, 20, 4, 1}, {3, 12, 6, 5}, {5, 10, 7, 9}});
  run.root_time_s = 2;
  EXPECT_EQ(dual_integral_ml4co(run, 4), 23);
  run.maximise = true;
  EXPECT_EQ(dual_integral_ml4co(run, 4), -23);
}

TEST(MetricsDualIntegral, DoesNotExistWithoutADualBound) {
  EXPECT_TRUE(std::isnan(dual_integral_reward(traced({}), 10, 8)));
  EXPECT_TRUE(std::isnan(dual_integral_reward(traced({{1, 20, -infinity, 1}}), 10, 8)));
  EXPECT_TRUE(std::isnan(dual_integral_ml4co(traced({{1, 20, -infinity, 1}}), 10)));
}

// |10 - 8| / 10; -8 and -10 likewise; 0 and 5: 5 / 5.
TEST(MetricsGap, HasItsCasesAtZeroInfinityAndOppositeSigns) {
  EXPECT_DOUBLE_EQ(primal_dual_gap(10, 8), 0.2);
  EXPECT_DOUBLE_EQ(primal_dual_gap(-8, -10), 0.2);
  EXPECT_DOUBLE_EQ(primal_dual_gap(8, 10), 0.2) << "a maximisation";
  EXPECT_EQ(primal_dual_gap(0, 0), 0);
  EXPECT_EQ(primal_dual_gap(5, 0), 1);
  EXPECT_EQ(primal_dual_gap(7, 7), 0);
  EXPECT_EQ(primal_dual_gap(1, -100), 1) << "opposite signs: the formula would give 1.01";
  EXPECT_EQ(primal_dual_gap(1e-12, -1e-12), 0) << "zero but for rounding";
  EXPECT_EQ(primal_dual_gap(infinity, 3), 1) << "no incumbent";
  EXPECT_EQ(primal_dual_gap(-infinity, 3), 1) << "no incumbent of a maximisation";
  EXPECT_EQ(primal_dual_gap(3, -infinity), 1) << "no dual bound";
  EXPECT_EQ(primal_dual_gap(infinity, -infinity), 1);
  EXPECT_EQ(primal_dual_gap(infinity, infinity), 0) << "proven infeasible";
}

// Infinite bounds are null in a record and come back as "no bound yet": what is proven is known from the run's end.
TEST(MetricsGap, IsZeroOnceARunIsSolvedWhateverItsBounds) {
  Evaluation evaluation = suite_of({"a"});
  RunRecord infeasible = solved("a", "i", 0, 4);
  infeasible.trace = trace_from_json(trace_to_json(std::vector<BoundPoint>{{1, infinity, 5, 1}, {4, infinity, infinity, 9}}), /*maximise=*/false);
  evaluation.runs = {infeasible};
  EXPECT_EQ(mean_gap(evaluation, "g", "a", std::vector{3.9, 4.0, 99.0}), (std::vector<double>{1, 0, 0}));
}

// i: gap 0.5 from 1 on, 0 from 4 on.  j: 0.25 from 2 on.  k crashed: 1 throughout.  Means at 0.5: 3/3; at 1: 2.5/3; at 3: 1.75/3; at 99:
// 1.25/3.  b's runs and the unfinished case l have no say.
TEST(MetricsGap, IsAveragedOverTheRunsAtEachTime) {
  Evaluation evaluation = suite_of({"a", "b"});
  RunRecord first = solved("a", "i", 0, 4);
  first.trace = {{1, 10, 5, 1}, {4, 8, 8, 9}};
  RunRecord second = unsolved("a", "j", 0, 100);
  second.trace = {{2, 4, 3, 1}};
  RunRecord incomplete = first;
  incomplete.instance = "l";
  evaluation.runs = {first, solved("b", "i", 0, 1), second, solved("b", "j", 0, 1), without_result("a", "k", 0, "crashed"), solved("b", "k", 0, 1),
                     incomplete};
  const std::vector<double> means = mean_gap(evaluation, "g", "a", std::vector{0.5, 1.0, 3.0, 99.0});
  ASSERT_EQ(means.size(), 4U);
  EXPECT_DOUBLE_EQ(means[0], 1);
  EXPECT_DOUBLE_EQ(means[1], 2.5 / 3);
  EXPECT_DOUBLE_EQ(means[2], 1.75 / 3);
  EXPECT_DOUBLE_EQ(means[3], 1.25 / 3);
  EXPECT_TRUE(std::isnan(mean_gap(evaluation, "nothing", "a", std::vector{1.0}).at(0)));
}

// Factors of a: i 1, j 3, k unsolved, l 1 (nobody solved m).  Of b: i 2, j 1, k 1, l unsolved, although it "ended" first.
TEST(MetricsProfile, CountsSolvedRunsWithinAFactorOfTheFastest) {
  Evaluation evaluation = suite_of({"a", "b"});
  evaluation.runs = {solved("a", "i", 0, 1),     solved("b", "i", 0, 2), solved("a", "j", 0, 9),   solved("b", "j", 0, 3),     unsolved("a", "k", 0, 100),
                     solved("b", "k", 0, 50),    solved("a", "l", 0, 5), unsolved("b", "l", 0, 1), unsolved("a", "m", 0, 100), unsolved("b", "m", 0, 100)};
  const std::vector factors{1.0, 2.0, 3.0, 1000.0};
  EXPECT_EQ(performance_profile(evaluation, "g", "a", factors), (std::vector{2 / 5.0, 2 / 5.0, 3 / 5.0, 3 / 5.0}));
  EXPECT_EQ(performance_profile(evaluation, "g", "b", factors), (std::vector{2 / 5.0, 3 / 5.0, 3 / 5.0, 3 / 5.0}));
  EXPECT_TRUE(std::isnan(performance_profile(evaluation, "nothing", "a", factors).at(0)));
}

// The clock shows 0 and 0.01 s: the same, as far as it can tell.  Without the floor, b would be infinitely slower.
TEST(MetricsProfile, TimesBelowTheClocksResolutionAreEqual) {
  Evaluation evaluation = suite_of({"a", "b"});
  evaluation.runs = {solved("a", "i", 0, 0), solved("b", "i", 0, 0.01)};
  EXPECT_EQ(performance_profile(evaluation, "g", "a", std::vector{1.0}), std::vector{1.0});
  EXPECT_EQ(performance_profile(evaluation, "g", "b", std::vector{1.0}), std::vector{1.0});
}

// 4, 1, 2, 3, 5 sorted: the 10th percentile is at position 0.4: 1.4, the 90th at 3.6: 4.6.  The other: 1.0, 1.1, 1.2: 1.18 / 1.02.
TEST(MetricsNoise, IsTheSpreadOfTheCalibrations) {
  Evaluation evaluation;
  for (const double time_s : {4.0, 1.0, 2.0, 3.0, 5.0}) evaluation.calibrations.push_back({time_s, 0});
  EXPECT_DOUBLE_EQ(noise(evaluation).spread, 4.6 / 1.4);
  EXPECT_TRUE(noise(evaluation).too_noisy);
  EXPECT_EQ(noise(evaluation).n_calibrations, 5U);
  evaluation.calibrations = {{1.2, 0}, {1.0, 0}, {1.1, 0}};
  EXPECT_DOUBLE_EQ(noise(evaluation).spread, 1.18 / 1.02);
  EXPECT_FALSE(noise(evaluation).too_noisy);
}

TEST(MetricsNoise, IsUnknownWithFewerThanThreeCalibrations) {
  Evaluation evaluation;
  evaluation.calibrations = {{1, 0}, {9, 0}};
  EXPECT_EQ(noise(evaluation).spread, 1);
  EXPECT_FALSE(noise(evaluation).too_noisy);
  EXPECT_EQ(noise(evaluation).n_calibrations, 2U);
}

}  // namespace
}  // namespace bough
