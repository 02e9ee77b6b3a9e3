// SPDX-License-Identifier: Apache-2.0
//
// Every kind of contradiction between run records, in a suite of one instance with the optimum 10, and what must not be taken for one.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bough/evaluate/agreement.hpp"

namespace bough {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

RunRecord run_of(const std::string& policy, std::uint32_t seed, const std::string& status, double primal, double dual) {
  RunRecord run;
  run.group = "g";
  run.instance = "i";
  run.seed = seed;
  run.policy = policy;
  run.end = "done";
  run.status = status;
  run.proven = status != "time-limit";
  run.primal_bound = primal;
  run.dual_bound = dual;
  return run;
}
RunRecord optimal(const std::string& policy, std::uint32_t seed, double optimum) { return run_of(policy, seed, "optimal", optimum, optimum); }
RunRecord stopped(const std::string& policy, std::uint32_t seed, double primal, double dual) { return run_of(policy, seed, "time-limit", primal, dual); }

std::vector<std::string> texts_of(const std::vector<RunRecord>& runs, const std::map<std::string, double>& references = {}) {
  Evaluation evaluation;
  evaluation.runs = runs;
  evaluation.references = references;
  std::vector<std::string> texts;
  for (const Disagreement& found : disagreements(evaluation)) texts.push_back(found.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(AgreementOfRecords, ACleanSuiteHasNoDisagreements) {
  EXPECT_EQ(texts_of({optimal("a", 0, 10), optimal("b", 0, 10), stopped("a", 1, 12, 8), stopped("b", 1, infinity, -infinity), stopped("c", 1, 10, 10)},
                     {{"g/i", 10}, {"other/i", 99}}),
            Texts{});
}

TEST(AgreementOfRecords, DifferentProvenOptimaDisagree) {
  EXPECT_EQ(texts_of({optimal("relpscost", 0, 10), optimal("tgat", 3, 12.5)}),
            Texts{"tgat (seed 3) proved the optimum 12.5; relpscost (seed 0) proved the optimum 10"});
  EXPECT_EQ(texts_of({optimal("relpscost", 0, 10), optimal("tgat", 3, 7)}),
            Texts{"tgat (seed 3) proved the optimum 7; relpscost (seed 0) proved the optimum 10"});
}

// One wrong run among six is one line.
TEST(AgreementOfRecords, EveryWrongRunIsNamedOnce) {
  EXPECT_EQ(texts_of({optimal("a", 0, 10), optimal("b", 0, 10), optimal("c", 0, 11), optimal("a", 1, 10), optimal("b", 1, 10), optimal("c", 1, 10)}).size(), 1U);
}

TEST(AgreementOfRecords, AProvenOptimumDisagreesWithTheReference) {
  EXPECT_EQ(texts_of({optimal("a", 0, 12), optimal("b", 0, 10)}, {{"g/i", 10}}), Texts{"a (seed 0) proved the optimum 12; the reference optimum is 10"});
}

TEST(AgreementOfRecords, ProvenInfeasibleDisagreesWithASolution) {
  const RunRecord infeasible = run_of("a", 0, "infeasible", infinity, infinity);
  EXPECT_EQ(texts_of({infeasible, stopped("b", 0, 12, 8)}),
            Texts{"a (seed 0) proved that the instance is infeasible; b (seed 0) found a solution of value 12"});
  EXPECT_EQ(texts_of({infeasible, optimal("b", 0, 10)}), Texts{"a (seed 0) proved that the instance is infeasible; b (seed 0) proved the optimum 10"});
  EXPECT_EQ(texts_of({infeasible}, {{"g/i", 10}}), Texts{"a (seed 0) proved that the instance is infeasible; the reference optimum is 10"});
  EXPECT_EQ(texts_of({infeasible, run_of("b", 0, "infeasible", infinity, infinity), stopped("c", 0, infinity, 3)}), Texts{});
}

TEST(AgreementOfRecords, ProvenUnboundedDisagreesWithAnOptimumOnly) {
  for (const std::string status : {"unbounded", "infeasible-or-unbounded"}) {
    const RunRecord unbounded = run_of("a", 0, status, -infinity, -infinity);
    EXPECT_EQ(texts_of({unbounded, optimal("b", 0, 10)}), Texts{"a (seed 0) proved that the instance is " + status + "; b (seed 0) proved the optimum 10"});
    EXPECT_EQ(texts_of({unbounded, stopped("b", 0, 10, -infinity)}), Texts{});
  }
}

TEST(AgreementOfRecords, ADualBoundDisagreesWithASolutionThatItExcludes) {
  EXPECT_EQ(texts_of({stopped("a", 0, 20, 11), stopped("b", 1, 10, 5), stopped("c", 1, 15, 5)}),
            Texts{"a (seed 0) ended with the dual bound 11; b (seed 1) found a solution of value 10"});
  EXPECT_EQ(texts_of({stopped("a", 0, 20, 11), optimal("b", 1, 10)}), Texts{"a (seed 0) ended with the dual bound 11; b (seed 1) proved the optimum 10"});
  EXPECT_EQ(texts_of({stopped("a", 0, infinity, 11)}, {{"g/i", 10}}), Texts{"a (seed 0) ended with the dual bound 11; the reference optimum is 10"});
}

TEST(AgreementOfRecords, ASolutionDisagreesWithAnOptimumThatItBeats) {
  EXPECT_EQ(texts_of({optimal("a", 0, 10), stopped("b", 0, 9, 5)}), Texts{"b (seed 0) found a solution of value 9; a (seed 0) proved the optimum 10"});
  EXPECT_EQ(texts_of({stopped("b", 0, 9, 5)}, {{"g/i", 10}}), Texts{"b (seed 0) found a solution of value 9; the reference optimum is 10"});
}

// Maximised, a solution of 9 and a dual bound of 11 are what an optimum of 10 allows; 11 and 9 are not.
TEST(AgreementOfRecords, AMaximisationIsReadTheOtherWayRound) {
  std::vector<RunRecord> runs{optimal("a", 0, 10), stopped("b", 0, 9, 11)};
  for (RunRecord& run : runs) run.maximise = true;
  EXPECT_EQ(texts_of(runs), Texts{});
  runs[1].primal_bound = 11;
  EXPECT_EQ(texts_of(runs), Texts{"b (seed 0) found a solution of value 11; a (seed 0) proved the optimum 10"});
  runs[1].primal_bound = -infinity;
  runs[1].dual_bound = 9;
  EXPECT_EQ(texts_of(runs), Texts{"b (seed 0) ended with the dual bound 9; a (seed 0) proved the optimum 10"});
}

// 1e-6 of the larger value, and of 1 for smaller ones: 1e6 and 1e6 + 0.9 agree, 1e6 and 1e6 + 1.1 do not; 0 and 0.9e-6, 0 and 1.1e-6.
TEST(AgreementOfRecords, ValuesAreEqualUpToTheTolerance) {
  EXPECT_EQ(texts_of({optimal("a", 0, 1e6), optimal("b", 0, 1e6 + 0.9)}).size(), 0U);
  EXPECT_EQ(texts_of({optimal("a", 0, 1e6), optimal("b", 0, 1e6 + 1.1)}).size(), 1U);
  EXPECT_EQ(texts_of({optimal("a", 0, 0), optimal("b", 0, 0.9e-6)}).size(), 0U);
  EXPECT_EQ(texts_of({optimal("a", 0, 0), optimal("b", 0, 1.1e-6)}).size(), 1U);
  for (const double difference : {0.9, 1.1}) {
    const std::size_t n_expected = difference > 1 ? 1 : 0;
    EXPECT_EQ(texts_of({optimal("a", 0, -1e6), stopped("b", 0, -1e6 - difference, -2e6)}).size(), n_expected);
    EXPECT_EQ(texts_of({optimal("a", 0, -1e6), stopped("b", 0, infinity, -1e6 + difference)}).size(), n_expected);
  }
}

// The bounds of a run without a result are zeros that nobody found.
TEST(AgreementOfRecords, RunsWithoutAResultSayNothing) {
  for (const char* end : {"crashed", "failed", "overtime"}) {
    RunRecord run = stopped("b", 0, 0, 0);
    run.end = end;
    EXPECT_EQ(texts_of({run, optimal("a", 0, -5)}), Texts{}) << end;
    run.primal_bound = -9;
    EXPECT_EQ(texts_of({run, optimal("a", 0, -5)}), Texts{}) << end;
  }
}

// Instances with the same name in two groups are two instances; z comes first because it does in the suite.
TEST(AgreementOfRecords, InstancesAreKeptApartAndInTheSuitesOrder) {
  Evaluation evaluation;
  for (const char* group : {"z", "g"}) {
    for (const double optimum : {1.0, 2.0}) {
      evaluation.runs.push_back(optimal("a", 0, group == std::string("z") ? optimum : 5 * optimum));
      evaluation.runs.back().group = group;
    }
    evaluation.runs.push_back(optimal("a", 0, 7));
    evaluation.runs.back().group = group;
    evaluation.runs.back().instance = "alone";
  }
  evaluation.references = {{"g/i", 10}};
  const auto found = disagreements(evaluation);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].group, "z");
  EXPECT_EQ(found[0].instance, "i");
  EXPECT_EQ(found[0].text, "a (seed 0) proved the optimum 2; a (seed 0) proved the optimum 1");
  EXPECT_EQ(found[1].group, "g");
  EXPECT_EQ(found[1].text, "a (seed 0) proved the optimum 5; the reference optimum is 10");
}

}  // namespace
}  // namespace bough
