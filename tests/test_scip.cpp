// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "bough/branch/rule.hpp"
#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/scip/problem.hpp"
#include "bough/scip/run.hpp"
#include "bough/scip/settings.hpp"
#include "bough/scip/solution.hpp"
#include "tests/milps.hpp"

namespace bough::test {
namespace {

/// max 5x + 4y + 3z,  2x + 3y + z <= 5,  4x + y + 2z <= 11,  3x + 4y + 2z <= 8,  x, y, z >= 0  (Chvatal 1983, chapter 2):
/// the LP optimum is 13 at (2, 0, 1), which is integral.
Milp chvatal() {
  Milp milp;
  milp.name = "chvatal";
  milp.maximize = true;
  for (const auto& [name, objective] : {std::pair{"x", 5.0}, {"y", 4.0}, {"z", 3.0}}) {
    milp.add_variable({name, objective, 0, Milp::infinity, Milp::VarType::integer});
  }
  const double rows[3][4] = {{2, 3, 1, 5}, {4, 1, 2, 11}, {3, 4, 2, 8}};
  for (int i = 0; i < 3; ++i) {
    milp.add_row("c" + std::to_string(i + 1), -Milp::infinity, rows[i][3]);
    for (int j = 0; j < 3; ++j) milp.add_entry(j, rows[i][j]);
  }
  return milp;
}

std::string parameter(SCIP* scip, const char* name) { return parameter_text(SCIPgetParam(scip, name)); }

TEST(Check, ThrowsWithWhatScipSaidAndTheRelativePlaceOfTheCall) {
  const ScipPtr scip = create_scip();
  try {
    check(SCIPsetIntParam(scip.get(), "no/such/parameter", 1));
    FAIL() << "SCIP has no such parameter";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::failure);
    const std::string what = error.what();
    EXPECT_NE(what.find("no/such/parameter"), std::string::npos) << what;
    EXPECT_NE(what.find("tests/test_scip.cpp:"), std::string::npos) << what;
    EXPECT_EQ(what.find(BOUGH_SOURCE_DIR), std::string::npos) << "a message shall not depend on where the tree lies: " << what;
  }
  EXPECT_EQ(take_scip_errors(), "") << "what was reported is not reported twice";
}

TEST(ScopedParam, GivesTheOldValueBack) {
  const ScipPtr scip = create_scip();
  const std::string before = parameter(scip.get(), "limits/gap");
  {
    const ScopedParam gap(scip.get(), "limits/gap", "0.25");
    EXPECT_EQ(parameter(scip.get(), "limits/gap"), "0.25");
  }
  EXPECT_EQ(parameter(scip.get(), "limits/gap"), before);
}

TEST(SetParameter, ParsesEveryTypeAndRefusesTheRest) {
  const ScipPtr scip = create_scip();
  for (const auto& [name, value] : {std::pair{"randomization/permutevars", "TRUE"}, {"separating/maxrounds", "7"}, {"limits/nodes", "5000000000"},
                                    {"limits/gap", "0.125"}, {"estimation/restarts/restartpolicy", "n"}, {"visual/vbcfilename", "tree.vbc"}}) {
    set_parameter(scip.get(), name, value);
    EXPECT_EQ(parameter(scip.get(), name), value) << name;
  }
  for (const auto& [name, value] : {std::pair{"randomization/permutevars", "maybe"}, {"separating/maxrounds", "7.5"}, {"separating/maxrounds", "-2"},
                                    {"limits/nodes", "many"}, {"limits/gap", "1e"}, {"limits/gap", "nan"}, {"estimation/restarts/restartpolicy", "nn"},
                                    {"estimation/restarts/restartpolicy", "?"}, {"maxrounds", "1"}, {"", "1"}}) {
    EXPECT_THROW(set_parameter(scip.get(), name, value), Error) << name << " = " << value;
  }
}

TEST(Settings, PaperMeansRootCutsNoRestartsWallClockAndAPermutation) {
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), chvatal());
  apply_settings(scip.get(), {.preset = "paper"});
  const std::map<std::string, std::string> expected{{"estimation/restarts/restartpolicy", "n"}, {"misc/catchctrlc", "FALSE"},
                                                    {"presolving/maxrestarts", "0"},            {"randomization/permutevars", "TRUE"},
                                                    {"separating/maxrounds", "0"}};
  EXPECT_EQ(changed_parameters(scip.get()), expected);
  EXPECT_EQ(parameter(scip.get(), "timing/clocktype"), "2");
}

TEST(Settings, DefaultIsScipAsShipped) {
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), chvatal());
  apply_settings(scip.get(), {});
  EXPECT_EQ(changed_parameters(scip.get()), (std::map<std::string, std::string>{{"misc/catchctrlc", "FALSE"}}));
}

TEST(Settings, OneSeedSetsAllThreeAndThePermutation) {
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), chvatal());
  apply_settings(scip.get(), {.seed = 17});
  for (const char* name : {"randomization/randomseedshift", "randomization/permutationseed", "randomization/lpseed"}) {
    EXPECT_EQ(parameter(scip.get(), name), "17") << name;
  }
  EXPECT_EQ(parameter(scip.get(), "randomization/permutevars"), "TRUE");
}

TEST(Settings, FollowTheOrderPresetFileOverridesLimits) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "my.set";
  write_file(file, "# mine\nlimits/gap = 0.5   # wide\nvisual/vbcfilename = \"a b\"\n\nlimits/nodes = 10\n");
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), chvatal());
  apply_settings(scip.get(), {.preset = file.string(), .overrides = {{"limits/nodes", "20"}, {"limits/time", "1"}}, .time_limit_s = 30});
  EXPECT_EQ(parameter(scip.get(), "limits/gap"), "0.5");
  EXPECT_EQ(parameter(scip.get(), "visual/vbcfilename"), "a b");
  EXPECT_EQ(parameter(scip.get(), "limits/nodes"), "20");
  EXPECT_EQ(parameter(scip.get(), "limits/time"), "30");
}

TEST(Problem, LoadedIntoScipAndTakenOutAgainIsTheSame) {
  const Milp in = chvatal();
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), in);
  const Milp out = to_milp(scip.get());
  EXPECT_EQ(out.maximize, in.maximize);
  ASSERT_EQ(out.variables.size(), in.variables.size());
  ASSERT_EQ(out.rows.size(), in.rows.size());
  for (std::size_t j = 0; j < in.variables.size(); ++j) {
    EXPECT_EQ(out.variables[j].name, in.variables[j].name);
    EXPECT_EQ(out.variables[j].upper, Milp::infinity);
    EXPECT_EQ(out.variables[j].type, Milp::VarType::integer);
  }
  EXPECT_EQ(out.rows[1].lhs, -Milp::infinity);
  EXPECT_EQ(out.rows[1].rhs, 11);
}

TEST(ReadProblem, AcceptsASecondFreeRowAndRefusesAnUndeclaredOne) {  // min x,  x >= 2 (c1); the row `note` is free: optimum 2
  const TemporaryDirectory directory;
  const auto read = [&](const std::string& row, const std::string& head = "NAME p\n", const std::string& blanks = " ") {
    const auto file = directory.path() / "p.mps";
    write_file(file, head + "ROWS\n N obj\n" + blanks + "N note\n G c1\nCOLUMNS\n x obj 1 c1 1\n x " + row + " 5\nRHS\n RHS c1 2\nBOUNDS\nENDATA\n");
    const ScipPtr scip = create_scip();
    read_problem(scip.get(), file);
    check(SCIPsolve(scip.get()));
    return SCIPgetPrimalbound(scip.get());
  };
  EXPECT_EQ(read("note"), 2);
  EXPECT_EQ(read("note", "*COLUMNS: 1\nNAME COLUMNS\n"), 2) << "a comment and a name say nothing about sections";
  EXPECT_EQ(read("note", "NAME p\n", "  \t"), 2);
  EXPECT_THROW(read("nota"), Error);
}

TEST(LpOptimum, IsTheTextbooks) {
  EXPECT_DOUBLE_EQ(lp_optimum(chvatal()).value(), 13);
}

TEST(LpOptimum, IgnoresIntegrality) {  // max x, 2x <= 3: 1.5, not 1
  Milp milp;
  milp.maximize = true;
  milp.add_variable({"x", 1, 0, 10, Milp::VarType::integer});
  milp.add_row("c", -Milp::infinity, 3);
  milp.add_entry(0, 2);
  EXPECT_DOUBLE_EQ(lp_optimum(milp).value(), 1.5);
}

TEST(LpOptimum, IsEmptyWithoutAnOptimum) {
  Milp milp = chvatal();
  milp.add_row("impossible", 100, Milp::infinity);
  milp.add_entry(0, 1);
  EXPECT_EQ(lp_optimum(milp), std::nullopt);
}

/// A policy that fails after some decisions, as one with a bug would.
class Failing final : public Policy {
 public:
  void score(SCIP*, const Candidates&, std::span<double>) override { throw Error(ExitCode::failure, "the policy's own complaint"); }
};

/// A policy whose every answer is useless.
class NotANumber final : public Policy {
 public:
  void score(SCIP*, const Candidates&, std::span<double> scores) override {
    for (double& score : scores) score = std::nan("");
  }
};

/// A set-covering instance that needs branching under any rule: no cuts, no heuristics, no presolving.
TEST(Settings, AFileThatIsPinnedMayNotBecomeAnotherOne) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "my.set";
  write_file(file, "limits/nodes = 5\n");
  const Settings settings = pinned({.preset = file.string()});
  EXPECT_EQ(settings.file_sha256, sha256_of_file(file));
  try_settings(settings);
  const auto refused = [&] {
    try {
      try_settings(settings);
      return false;
    } catch (const Error& error) {
      return error.code() == ExitCode::usage && std::string(error.what()).ends_with("my.set was changed while it was in use");
    }
  };
  write_file(file, "limits/nodes = 6\n");
  EXPECT_TRUE(refused());
  std::filesystem::remove(file);
  EXPECT_TRUE(refused()) << "gone is changed";
  EXPECT_EQ(pinned({.preset = "paper"}).file_sha256, "");
  EXPECT_THROW((void)pinned({.preset = (directory.path() / "caf\xe9.set").string()}), Error) << "no record could hold the name";
}

ScipPtr branching_instance() {
  ScipPtr scip = create_scip();
  const Family& family = family_by_name("setcover");
  load_problem(scip.get(), generate_instance(family, resolve_parameters(family, Size::tiny), 3));
  check(SCIPsetPresolving(scip.get(), SCIP_PARAMSETTING_OFF, TRUE));
  check(SCIPsetSeparating(scip.get(), SCIP_PARAMSETTING_OFF, TRUE));
  check(SCIPsetHeuristics(scip.get(), SCIP_PARAMSETTING_OFF, TRUE));
  return scip;
}

RunStatistics run_with(Policy& policy, BranchingCounts& counts) {
  std::exception_ptr error;
  const ScipPtr scip = branching_instance();
  include_rule(scip.get(), {.counts = &counts, .error = &error});
  use_policy(scip.get(), policy);
  return run(scip.get(), {}, error);
}

TEST(Guarded, CarriesAPolicysExceptionThroughScip) {
  BranchingCounts counts;
  Failing policy;
  try {
    run_with(policy, counts);
    FAIL() << "the exception was lost";
  } catch (const Error& caught) {
    EXPECT_STREQ(caught.what(), "the policy's own complaint");
  }
}

TEST(Rule, LeavesANodeToScipWhenAScoreIsNotFiniteAndCountsIt) {
  BranchingCounts counts;
  NotANumber policy;
  EXPECT_EQ(run_with(policy, counts).status, "optimal");
  EXPECT_EQ(counts.n_decisions, 0);
  EXPECT_GT(counts.n_fallbacks, 0);
}

TEST(Run, ReportsEveryImprovementOfABoundInOrder) {
  std::exception_ptr error;
  std::vector<TracePoint> trace;
  const ScipPtr scip = branching_instance();
  const RunStatistics statistics = run(scip.get(), {.on_progress = [&](const TracePoint& p) { trace.push_back(p); }}, error);
  ASSERT_GE(trace.size(), 2U);
  for (std::size_t i = 1; i < trace.size(); ++i) {
    EXPECT_GE(trace[i].time_s, trace[i - 1].time_s);
    EXPECT_GE(trace[i].n_nodes, trace[i - 1].n_nodes);
    EXPECT_LE(trace[i].primal_bound, trace[i - 1].primal_bound);
    EXPECT_GE(trace[i].dual_bound, trace[i - 1].dual_bound - 1e-9);
    EXPECT_TRUE(trace[i].primal_bound != trace[i - 1].primal_bound || trace[i].dual_bound != trace[i - 1].dual_bound);
  }
  EXPECT_TRUE(statistics.proven);
  EXPECT_GT(statistics.n_nodes, 1);
  EXPECT_GT(statistics.n_lp_iterations, 0);
  EXPECT_LE(statistics.root_time_s, statistics.time_s);
  EXPECT_GT(statistics.lp_time_s.value(), 0);
  EXPECT_EQ(statistics.heuristics_time_s, 0) << "they are off";
  EXPECT_LE(statistics.lp_time_s.value() + statistics.branching_time_s + statistics.heuristics_time_s, statistics.time_s + 0.01) << "parts of the whole, each clock with its own rounding";
}

// SCIP restarts out of the tree after 20 nodes, in which the bounds' listener has slept: that is no time of a root node.
TEST(Run, ATreeThatIsLeftForARestartIsNoRootNode) {
  std::exception_ptr error;
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), generate_instance(family_by_name("auction"), resolve_parameters(family_by_name("auction"), Size::easy, {}), 0));
  apply_settings(scip.get(), {.preset = "paper", .overrides = {{"estimation/restarts/restartpolicy", "a"}, {"estimation/restarts/minnodes", "20"}, {"estimation/restarts/hitcounterlim", "1"},
                                                               {"estimation/restarts/restartlimit", "1"}, {"presolving/maxrestarts", "-1"}, {"limits/totalnodes", "40"}}});
  bool slept = false;
  const RunStatistics statistics = run(scip.get(), {.on_progress = [&](const TracePoint& point) {
    if (point.n_nodes > 2 && !std::exchange(slept, true)) std::this_thread::sleep_for(std::chrono::seconds(1));
  }}, error);
  ASSERT_TRUE(slept);
  ASSERT_EQ(statistics.n_runs, 2);
  EXPECT_GT(statistics.root_time_s, 0);
  EXPECT_LT(statistics.root_time_s, statistics.time_s - 0.99);
}

TEST(Run, StartsTheTimeLimitAfterTheRootIfAsked) {
  std::exception_ptr error;
  const ScipPtr scip = branching_instance();
  const RunStatistics statistics = run(scip.get(), {.on_progress = {}, .time_limit_after_root_s = 0.0}, error);
  EXPECT_EQ(statistics.status, "time-limit");
  EXPECT_EQ(statistics.n_nodes, 1) << "the root is finished, nothing after it";
}

// Full strong branching takes time at every node that it branches at: at the root, and after it.
TEST(Run, TellsTheRootNodesOwnTimeFromWhatItsBranchingTook) {
  std::exception_ptr error;
  const ScipPtr scip = branching_instance();
  set_parameter(scip.get(), "branching/vanillafullstrong/priority", "1000000");
  const RunStatistics all = run(scip.get(), {}, error);
  ASSERT_GT(all.n_nodes, 2);
  EXPECT_GT(all.root_branching_time_s, 0);
  EXPECT_LT(all.root_branching_time_s, all.branching_time_s) << "the root is not the only node";
  EXPECT_LE(all.root_branching_time_s, all.root_time_s);
  EXPECT_LT(all.root_time_s, all.time_s);

  const ScipPtr one = branching_instance();
  set_parameter(one.get(), "branching/vanillafullstrong/priority", "1000000");
  set_parameter(one.get(), "limits/nodes", "1");
  const RunStatistics root = run(one.get(), {}, error);
  EXPECT_GT(root.root_branching_time_s, 0);
  EXPECT_EQ(root.root_branching_time_s, root.branching_time_s) << "there is no other node";
}

class CheckSolution : public testing::Test {
 protected:
  CheckSolution() { write_file(file_, "Minimize\n obj: 2 x + 3 y\nSubject To\n c: x + y >= 3\nBounds\n x <= 2\nGenerals\n x\nEnd\n"); }
  TemporaryDirectory directory_;
  std::filesystem::path file_ = directory_.path() / "p.lp";
};

TEST_F(CheckSolution, AcceptsTheOptimum) {  // x at its bound 2, y = 1: 2*2 + 3*1 = 7
  const SolutionCheck result = check_solution(file_, {7, {{"x", 2}, {"y", 1}}});
  EXPECT_TRUE(result.feasible) << result.complaint;
  EXPECT_EQ(result.objective, 7);
}

TEST_F(CheckSolution, RefusesEveryKindOfWrongOne) {
  EXPECT_FALSE(check_solution(file_, {4, {{"x", 2}, {"y", 0}}}).feasible) << "violates c";
  EXPECT_FALSE(check_solution(file_, {6, {{"x", 3}, {"y", 0}}}).feasible) << "violates x <= 2";
  EXPECT_FALSE(check_solution(file_, {7.5, {{"x", 1.5}, {"y", 1.5}}}).feasible) << "x must be integral";
  EXPECT_FALSE(check_solution(file_, {6.5, {{"x", 2}, {"y", 1}}}).feasible) << "the objective is 7";
  EXPECT_FALSE(check_solution(file_, {7, {{"x", 2}, {"y", 1}, {"w", 1}}}).feasible) << "there is no w";
  EXPECT_NE(check_solution(file_, {4, {{"x", 2}, {"y", 0}}}).complaint, "");
  const Solution rough{7 + 4e-5, {{"x", 2 + 2e-5}, {"y", 1}}};
  EXPECT_FALSE(check_solution(file_, rough).feasible) << "x <= 2";
  EXPECT_TRUE(check_solution(file_, rough, 1e-4).feasible) << "as the solve was allowed to be";
}

TEST(CreateScip, TwoInstancesKeepTheirLogsApart) {
  std::string first;
  std::string second;
  const ScipPtr a = create_scip([&](std::string_view text) { first += text; });
  const ScipPtr b = create_scip([&](std::string_view text) { second += text; });
  load_problem(a.get(), chvatal());
  check(SCIPsolve(a.get()));
  EXPECT_NE(first.find("SCIP Status"), std::string::npos);
  EXPECT_EQ(second, "");
}

}  // namespace
}  // namespace bough::test
