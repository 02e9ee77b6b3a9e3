// SPDX-License-Identifier: Apache-2.0
//
// A suite's records depend on the suite alone, whatever happens on the way.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <format>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <thread>
#include <utility>

#include "bough/error.hpp"
#include "bough/evaluate/evaluate.hpp"
#include "bough/evaluate/metrics.hpp"
#include "bough/evaluate/trace.hpp"
#include "bough/file.hpp"
#include "bough/journal.hpp"
#include "bough/rng.hpp"
#include "tests/evaluations.hpp"
#include "tests/process.hpp"

namespace bough::test {
namespace {

namespace fs = std::filesystem;

/// Everything of a record that does not depend on the clock, by run.
std::map<std::string, std::string> timeless(const fs::path& directory) {
  std::map<std::string, std::string> found;
  for (const RunRecord& run : read_evaluation(directory).runs) {
    found[std::format("{}/{}/{}/{}", run.group, run.instance, run.seed, run.policy)] =
        std::format("{} {} {} {} nodes {} fair {} LP {} strong {} decisions {} fallbacks {}", run.end, run.status, run.primal_bound, run.dual_bound, run.n_nodes, run.n_fair_nodes, run.n_lp_iterations,
                    run.n_strong_branching_iterations, run.n_decisions, run.n_fallbacks());
  }
  return found;
}

TEST(Evaluate, RecordsHoldNoPathOfTheirMachine) {
  const TemporaryDirectory directory;
  fs::copy_file(fs::path(BOUGH_SOURCE_DIR) / "models/auction-gcnn.safetensors", directory.path() / "gcnn.safetensors");
  EvaluateRequest request;
  request.suite = read_suite(suite_file(directory.path(),
                                        "time_limit = 60\ncalibration = false\nstatistics = false\npolicies = [\"pscost\", { name = \"gcnn\", model = \"gcnn.safetensors\" }]\n"
                                        "[[group]]\nfamily = \"auction\"\nsize = \"tiny\"\ninstances = \"20000\"\n"));
  ASSERT_TRUE(fs::path(request.suite.policies[1].source).is_absolute());
  request.output = directory.path() / "runs";
  ASSERT_TRUE(evaluate(request));
  for (const char* file : {"suite.json", "runs.jsonl"}) {
    const std::string text = read_file(request.output / file);
    EXPECT_NE(text.find("gcnn.safetensors"), std::string::npos) << file;
    EXPECT_EQ(text.find(directory.path().string()), std::string::npos) << file;
  }
}

// A run that nobody would wait for without a word: it ends only when its name, its time and its gap have been told.
TEST(Evaluate, TellsWhatRunsForHowLongAndWithWhichGap) {
  const TemporaryDirectory directory;
  EvaluateRequest request;
  request.suite = read_suite(suite_file(directory.path(), "time_limit = 60\ncalibration = false\npolicies = [\"pscost\"]\n[[group]]\nfamily = \"auction\"\nsize = \"tiny\"\ninstances = \"20000\"\n"));
  request.output = directory.path() / "runs";
  const fs::path told = directory.path() / "told";
  request.solve = [&](const SolveRequest& solve) {
    solve.on_progress({.time_s = 0, .primal_bound = 50, .dual_bound = 40, .gap = 0.25, .n_nodes = 1});  // |50 - 40| / 50
    while (!fs::exists(told)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return solve_file(solve);
  };
  std::set<std::size_t> n_done;
  request.on_progress = [&](const EvaluateProgress& now) {
    n_done.insert(now.n_done);
    EXPECT_EQ(now.n_runs, 1U);
    if (std::regex_match(now.detail, std::regex(R"(pscost auction-tiny-20000 seed 0 for \d+ s, gap 20\.0 %)"))) write_file(told, "");
  };
  ASSERT_TRUE(evaluate(request));
  EXPECT_EQ(n_done, (std::set<std::size_t>{0, 1}));
  EXPECT_EQ(read_evaluation(request.output).runs.front().end, "done");
}

// Somebody holds the terminal while 100,000 bounds improve, more than a pipe takes: SCIP and its clock do not wait for it.
TEST(Evaluate, ASolveDoesNotWaitForWhoeverReadsItsProgress) {
  const TemporaryDirectory directory;
  EvaluateRequest request;
  request.suite = read_suite(suite_file(directory.path(), "time_limit = 60\ncalibration = false\npolicies = [\"pscost\"]\n[[group]]\nfamily = \"auction\"\nsize = \"tiny\"\ninstances = \"20000\"\n"));
  request.output = directory.path() / "runs";
  const fs::path held = directory.path() / "held", through = directory.path() / "through";
  const auto wait_for = [](const fs::path& file) {
    for (int k = 0; k < 6000 && !fs::exists(file); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return fs::exists(file);
  };
  request.solve = [&](const SolveRequest& solve) {
    (void)wait_for(held);
    for (int k = 0; k < 100'000; ++k) solve.on_progress({.time_s = 0, .primal_bound = 50, .dual_bound = k * 1e-4, .gap = 1, .n_nodes = k});
    write_file(through, "");
    return solve_file(solve);
  };
  request.on_progress = [&](const EvaluateProgress& now) {
    if (now.n_done > 0 || now.detail.empty()) return;  // it does not run now
    write_file(held, "");
    EXPECT_TRUE(wait_for(through));
  };
  EXPECT_TRUE(evaluate(request));
}

// Half-way somebody trains into the same file: the records hold runs of the old model only, and the rest waits for it.
TEST(Evaluate, StopsWhenAModelIsChangedMeanwhile) {
  const TemporaryDirectory directory;
  const fs::path model = directory.path() / "net.safetensors";
  const auto shipped = [](const char* name) { return fs::path(BOUGH_SOURCE_DIR) / "models" / name; };
  fs::copy_file(shipped("auction-gcnn.safetensors"), model);
  EvaluateRequest request;
  request.suite = read_suite(suite_file(directory.path(), "time_limit = 60\ncalibration = false\npolicies = [{ name = \"net\", model = \"net.safetensors\" }]\n"
                                                          "[[group]]\nfamily = \"auction\"\nsize = \"tiny\"\ninstances = \"20000..20001\"\n"));
  request.output = directory.path() / "runs";
  request.solve = [&](const SolveRequest& solve) {
    if (solve.instance.string().contains("20001")) fs::copy_file(shipped("auction-gat.safetensors"), model, fs::copy_options::overwrite_existing);
    return solve_file(solve);
  };
  try {
    (void)evaluate(request);
    FAIL() << "runs of two models would stand under one name";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("net.safetensors was changed while net was evaluated"), std::string::npos) << error.what();
  }
  EXPECT_EQ(read_journal(request.output / "runs.jsonl").size(), 1U);
  fs::copy_file(shipped("auction-gcnn.safetensors"), model, fs::copy_options::overwrite_existing);
  request.solve = solve_file;
  EXPECT_TRUE(evaluate(request));
  EXPECT_EQ(read_journal(request.output / "runs.jsonl").size(), 2U);
}

TEST(Evaluate, RefusesToGoOnWithAFileThatWasChanged) {
  const TemporaryDirectory directory;
  fs::create_directories(directory.path() / "plans");
  const auto write = [&](int demand) { write_file(directory.path() / "plans/a.lp", std::format("Minimize\n obj: x + y\nSubject To\n c: 2 x + 3 y >= {}\nGenerals\n x y\nEnd\n", demand)); };
  write(5);
  EvaluateRequest request;
  request.suite = read_suite(suite_file(directory.path(), "time_limit = 60\npolicies = [\"pscost\"]\ncalibration = false\n[[group]]\nfolder = \"plans\"\n"));
  request.output = directory.path() / "runs";
  ASSERT_TRUE(evaluate(request));
  ASSERT_TRUE(evaluate(request)) << "the same file";
  write(7);
  try {
    (void)evaluate(request);
    FAIL() << "runs of two different files would stand under one name";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("plans/a.lp was changed"), std::string::npos) << error.what();
  }
}

// It leaves the suite, its file becomes another model, and it comes back: the old runs are not the new model's.
TEST(Evaluate, APolicyThatComesBackHasToBeTheSame) {
  const TemporaryDirectory directory;
  const fs::path model = directory.path() / "net.safetensors";
  const auto ship = [&](const char* name) { fs::copy_file(fs::path(BOUGH_SOURCE_DIR) / "models" / name, model, fs::copy_options::overwrite_existing); };
  const auto evaluate_with = [&](const std::string& policies) {
    EvaluateRequest request;
    request.suite = read_suite(suite_file(directory.path(), std::format("time_limit = 60\ncalibration = false\npolicies = [\"pscost\"{}]\n[[group]]\nfamily = \"auction\"\nsize = \"tiny\"\ninstances = \"20000\"\n", policies)));
    request.output = directory.path() / "runs";
    return evaluate(request);
  };
  const std::string net = ", { name = \"net\", model = \"net.safetensors\" }";
  ship("auction-gcnn.safetensors");
  ASSERT_TRUE(evaluate_with(net));
  ASSERT_TRUE(evaluate_with(""));
  ship("auction-gat.safetensors");
  for (int call = 0; call < 2; ++call) {
    try {
      (void)evaluate_with(net);
      FAIL() << "runs of gcnn would stand under gat";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find("sha256 of the policy net"), std::string::npos) << error.what();
    }
  }
  ship("auction-gcnn.safetensors");
  EXPECT_TRUE(evaluate_with(net));
  const fs::path journal = directory.path() / "runs/runs.jsonl";
  const std::vector<std::string> lines = read_journal(journal);
  ASSERT_EQ(lines.size(), 2U) << "nothing runs twice";
  write_file(journal, lines[lines[0].contains("\"policy\":\"net\"") ? 1 : 0] + "\n");  // as if it had been stopped before net ran
  ship("auction-gat.safetensors");
  EXPECT_TRUE(evaluate_with(net)) << "without runs it may be another model";
  EXPECT_EQ(read_journal(journal).size(), 2U);
}

// Three rows and columns; the optimum is 2, and 4 with the other costs.
TEST(Evaluate, PublishedDataThatWasChangedIsNotMixedWithOldRuns) {
  const TemporaryDirectory directory;
  fs::create_directories(directory.path() / "data");
  const auto write = [&](const char* costs) { write_file(directory.path() / "data/scp1.txt", std::format(" 3 3\n {}\n 2\n 1 2\n 2\n 2 3\n 2\n 1 3\n", costs)); };
  const auto evaluate_with = [&](const std::string& seeds) {
    EvaluateRequest request;
    request.suite = read_suite(suite_file(directory.path(), std::format("time_limit = 60\ncalibration = false\nseeds = {}\npolicies = [\"pscost\"]\n[[group]]\nfamily = \"setcover\"\ndata = \"data\"\n", seeds)));
    request.output = directory.path() / "runs";
    request.solve = [&](const SolveRequest& solve) {
      write_file(directory.path() / "solved", "");
      return solve_file(solve);
    };
    return evaluate(request);
  };
  write("1 1 1");
  ASSERT_TRUE(evaluate_with("[0]"));
  ASSERT_TRUE(evaluate_with("[0, 1]"));
  ASSERT_TRUE(evaluate_with("[0, 1]"));
  EXPECT_TRUE(fs::exists(directory.path() / "runs/instances/setcover-scp1.mps.gz")) << "nothing was to be done, and the records name it";
  ASSERT_TRUE(fs::remove(directory.path() / "solved"));
  write("2 2 2");
  try {
    (void)evaluate_with("[0, 1, 2]");
    FAIL() << "two instances would bear one name";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("scp1.txt was changed"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(fs::exists(directory.path() / "solved")) << "that is known before an hour of solving";
  EXPECT_EQ(read_journal(directory.path() / "runs/runs.jsonl").size(), 2U);
}

TEST(Evaluate, ExplainedDecisionsAreThoseThatTheSuiteAsksFor) {
  const TemporaryDirectory directory;
  EvaluateRequest request;
  request.suite = read_suite(suite_file(directory.path(), "time_limit = 60\ncalibration = false\npolicies = [\"random\"]\nexplain = { policy = \"random\", decisions = 2 }\n[[group]]\nfamily = \"auction\"\nsize = \"tiny\"\ninstances = \"20000\"\n"));
  request.output = directory.path() / "runs";
  ASSERT_TRUE(evaluate(request));
  EXPECT_EQ(read_evaluation(request.output).explained.size(), 1U);
  const int n = std::exchange(request.suite.n_explained, 0);
  ASSERT_TRUE(evaluate(request));
  EXPECT_EQ(read_evaluation(request.output).explained.size(), 0U);
  request.suite.n_explained = n;
  ASSERT_TRUE(evaluate(request));
  EXPECT_EQ(read_evaluation(request.output).explained.size(), 1U);
  EXPECT_EQ(read_journal(request.output / "runs.jsonl").size(), 2U) << "nothing runs twice";
}

// The competition's bound is the optimum, 3: nobody finds anything better, and nobody says that there is no solution.
TEST(Evaluate, ABoundBesideAnInstanceIsItsObjectiveLimit) {
  const TemporaryDirectory directory;
  fs::create_directories(directory.path() / "plans");
  write_file(directory.path() / "plans/a.v2.lp", "Minimize\n obj: x + y\nSubject To\n c: x + y >= 2.5\nBounds\n x <= 9\n y <= 9\nGenerals\n x y\nEnd\n");
  write_file(directory.path() / "plans/a.v2.json", R"({"primal_bound": 3})");
  EvaluateRequest request;
  request.suite = read_suite(suite_file(directory.path(), "settings = \"ml4co\"\ntime_limit = 60\npolicies = [\"pscost\", \"relpscost\"]\ncalibration = false\n[[group]]\nfolder = \"plans\"\n"));
  request.output = directory.path() / "runs";
  ASSERT_TRUE(evaluate(request));
  const Evaluation evaluation = read_evaluation(request.output);
  for (const RunRecord& run : evaluation.runs) EXPECT_EQ(run.status, "objective-limit");
  EXPECT_TRUE(disagreements(evaluation).empty());
}

TEST(Evaluate, GivesTheSameRecordsForOneAndTwoWorkersAndGrows) {
  const TemporaryDirectory directory;
  EvaluateRequest request;
  request.suite = read_suite(suite_file(directory.path()));
  std::map<std::string, std::string> first;
  for (const int n_workers : {1, 2}) {
    request.output = directory.path() / std::to_string(n_workers);
    request.n_workers = n_workers;
    EXPECT_TRUE(evaluate(request));
    const auto records = timeless(request.output);
    EXPECT_EQ(records.size(), 2U * 2 * 3 + 2 * 2 * 2);
    if (first.empty()) first = records;
    EXPECT_EQ(records, first);
  }
  const Evaluation evaluation = read_evaluation(request.output);
  EXPECT_EQ(evaluation.n_planned, evaluation.runs.size());
  EXPECT_EQ(evaluation.explained.size(), 2U);
  EXPECT_EQ(evaluation.explained[0]["group"], "setcover-tiny");
  EXPECT_EQ(evaluation.explained[0]["decisions"].size(), 2U);
  EXPECT_GE(evaluation.calibrations.size(), 3U);
  EXPECT_TRUE(disagreements(evaluation).empty());
  for (const RunRecord& run : evaluation.runs) {
    EXPECT_EQ(run.status, "optimal");
    EXPECT_GT(run.heuristics_time_s, 0);
    EXPECT_LT(run.heuristics_time_s, run.time_s);
    ASSERT_FALSE(run.trace.empty());
    EXPECT_EQ(run.trace.back().primal, run.primal_bound);
    EXPECT_EQ(run.maximise, run.group == "auction-tiny");
    EXPECT_EQ(run.n_decisions > 0, run.policy == "random" && run.n_nodes > 1) << run.policy << " " << run.instance;
  }

  // Another instance: what is there stays, only the new one runs.
  const auto n_lines = read_journal(request.output / "runs.jsonl").size();
  std::string larger(small_suite);
  larger.replace(larger.rfind("20000..20001"), 12, "20000..20002");
  request.suite = read_suite(suite_file(directory.path(), larger));
  EXPECT_TRUE(evaluate(request));
  EXPECT_EQ(read_evaluation(request.output).runs.size(), first.size() + 4);
  EXPECT_LE(read_journal(request.output / "runs.jsonl").size(), n_lines + 4 + 3) << "something ran twice";
}

TEST(Evaluate, RunsEveryInstanceOnceBeforeAnyTwice) {
  const TemporaryDirectory directory;
  EvaluateRequest request;
  request.suite = read_suite(suite_file(directory.path()));
  request.suite.groups.pop_back();
  request.suite.n_explained = 0;
  request.output = directory.path() / "runs";
  ASSERT_TRUE(evaluate(request));
  std::vector<std::string> order;
  for (const std::string& line : read_journal(request.output / "runs.jsonl")) {
    const auto record = nlohmann::json::parse(line);
    if (!record.contains("run")) continue;
    std::string block = std::format("{} seed {}", record["run"]["instance"].get<std::string>(), record["run"]["seed"].get<int>());
    if (order.empty() || order.back() != block) order.push_back(std::move(block));
  }
  EXPECT_EQ(order, (std::vector<std::string>{"setcover-tiny-20000 seed 0", "setcover-tiny-20001 seed 0", "setcover-tiny-20000 seed 1", "setcover-tiny-20001 seed 1"}));
}

TEST(Evaluate, KilledTenTimesItGivesTheRecordsOfAnUndisturbedRun) {
  const TemporaryDirectory directory;
  const std::string suite = suite_file(directory.path()).string();
  const auto command = [&](const fs::path& output) { return std::vector<std::string>{"bough", "evaluate", suite, "-o", output.string(), "-q", "--workers", "2"}; };
  const Finished calm = run_program(command(directory.path() / "calm"));
  ASSERT_EQ(calm.exit_code, 0) << calm.err;
  Rng rng("kills", 2);
  const fs::path output = directory.path() / "killed";
  int n_killed = 0;
  for (int round = 0; round < 10; ++round) {
    const Finished run = run_program(command(output), ".", [&](int pid) {
      std::this_thread::sleep_for(std::chrono::milliseconds(rng.integer(500, 1100)));
      ::kill(pid, SIGKILL);
    });
    n_killed += run.exit_code == 128 + SIGKILL ? 1 : 0;
  }
  EXPECT_GE(n_killed, 3);
  const Finished last = run_program(command(output));
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(timeless(output), timeless(directory.path() / "calm"));
  const Evaluation a = read_evaluation(output);
  const Evaluation b = read_evaluation(directory.path() / "calm");
  EXPECT_EQ(read_journal(output / "runs.jsonl").size(), read_journal(directory.path() / "calm" / "runs.jsonl").size()) << "something ran twice";
  for (const GroupInfo& group : a.groups) {
    const auto here = summarise(a, group.name);
    const auto there = summarise(b, group.name);
    ASSERT_EQ(here.size(), there.size());
    for (std::size_t k = 0; k < here.size(); ++k) {
      EXPECT_EQ(here[k].policy, there[k].policy);
      EXPECT_EQ(here[k].nodes.mean, there[k].nodes.mean);
      EXPECT_EQ(here[k].lp_iterations.mean, there[k].lp_iterations.mean);
      EXPECT_EQ(here[k].n_solved, there[k].n_solved);
    }
  }
}

TEST(Evaluate, AStopSignalKeepsWhatIsDoneAndTheSameCommandGoesOn) {
  const TemporaryDirectory directory;
  const fs::path output = directory.path() / "runs";
  const std::vector<std::string> command{"bough", "evaluate", suite_file(directory.path()).string(), "-o", output.string(), "-q"};
  const Finished stopped = run_program(command, ".", [&](int pid) {
    wait_for_file(output / "runs.jsonl", pid);
    ::kill(pid, SIGINT);
  });
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_NE(stopped.err.find("the same command goes on"), std::string::npos) << stopped.err;
  EXPECT_EQ(run_program(command).exit_code, 0);
  EXPECT_EQ(timeless(output).size(), 20U);
}

/// solve_file() with another end for one policy.
EvaluateRequest tampered(const fs::path& directory, const std::string& policy, const std::function<void(SolveResult&)>& change) {
  EvaluateRequest request;
  request.suite = read_suite(suite_file(directory));
  request.suite.groups.resize(1);
  request.suite.seeds = {0};
  request.suite.n_explained = 0;
  request.output = directory / "runs";
  request.solve = [=](const SolveRequest& solve) {
    SolveResult result = solve_file(solve);
    if (solve.policy == policy) change(result);
    return result;
  };
  return request;
}

// 41 seeds of 2 instances are 82 blocks, every second of which begins with a calibration; 2 seeds are 4 blocks that all do.
TEST(Evaluate, WhatASuiteGrowsByIsCalibratedToo) {
  const TemporaryDirectory directory;
  EvaluateRequest request = tampered(directory.path(), "", {});
  request.suite.policies.resize(1);
  request.suite.groups.resize(1);
  request.suite.groups[0].policies = {request.suite.policies[0].name};
  request.suite.calibration = true;
  request.solve = [](const SolveRequest&) {
    SolveResult nothing;
    nothing.statistics.scip_statistics = "null";
    return nothing;
  };
  const auto calibrated = [&](std::uint32_t n_seeds) {
    request.suite.seeds.clear();
    for (std::uint32_t seed = 0; seed < n_seeds; ++seed) request.suite.seeds.push_back(seed);
    EXPECT_TRUE(evaluate(request));
    return read_evaluation(request.output).calibrations.size();
  };
  EXPECT_EQ(calibrated(2), 5U) << "and one at the end";
  EXPECT_EQ(calibrated(41), 5U + 39) << "blocks 6, 8, ... 80 and the end";
}

TEST(Evaluate, APolicyThatReturnsAWrongOptimumIsCaught) {
  const TemporaryDirectory directory;
  EvaluateRequest request = tampered(directory.path(), "pscost", [](SolveResult& result) { result.statistics.primal_bound = result.statistics.dual_bound += 1; });
  EXPECT_TRUE(evaluate(request));
  const auto wrong = disagreements(read_evaluation(request.output));
  ASSERT_EQ(wrong.size(), 2U) << "both instances are wrong";
  EXPECT_NE(wrong[0].text.find("pscost"), std::string::npos) << wrong[0].text;
}

TEST(Evaluate, AReferenceThatNobodyReachesIsExitCode1AndTheFirstThingThatIsSaid) {
  const TemporaryDirectory directory;
  std::string text(small_suite);
  text.replace(text.find("instances = \"20000..20001\""), 26, "instances = \"20000..20001\"\noptima = { setcover-tiny-20000 = 1 }");
  const Finished run = run_program({"bough", "evaluate", suite_file(directory.path(), text).string(), "-o", (directory.path() / "runs").string(), "-q"});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_TRUE(run.out.starts_with("DISAGREEMENT")) << run.out;
  EXPECT_NE(run.err.find("setcover-tiny-20000"), std::string::npos) << run.err;
}

TEST(Evaluate, ASolutionThatDoesNotHoldInTheFileIsNoResultAndADisagreement) {
  const TemporaryDirectory directory;
  EvaluateRequest request = tampered(directory.path(), "random", [](SolveResult& result) { result.solution_check = SolutionCheck{false, 0, "row cover1 is violated"}; });
  EXPECT_TRUE(evaluate(request));
  for (const RunRecord& run : read_evaluation(request.output).runs) {
    EXPECT_EQ(run.solved(), run.policy != "random");
    EXPECT_EQ(run.message.find("cover1") != std::string::npos, run.policy == "random");
  }
  const auto wrong = disagreements(read_evaluation(request.output));
  ASSERT_EQ(wrong.size(), 2U) << "one for each instance";
  EXPECT_NE(wrong[0].text.find("random (seed 0): the solution does not hold in the file: row cover1"), std::string::npos) << wrong[0].text;
}

TEST(Evaluate, ASolutionThatCouldNotBeCheckedIsNoResultAndNoContradiction) {
  const TemporaryDirectory directory;
  EvaluateRequest request = tampered(directory.path(), "random", [](SolveResult& result) { result.solution_check = SolutionCheck{.complaint = "the file is gone", .readable = false}; });
  EXPECT_TRUE(evaluate(request));
  for (const RunRecord& run : read_evaluation(request.output).runs) EXPECT_EQ(run.end, run.policy == "random" ? "failed" : "done");
  EXPECT_TRUE(disagreements(read_evaluation(request.output)).empty());
}

TEST(Evaluate, ARunPastItsLimitIsEndedAndOneThatCrashesCostsItself) {
  const TemporaryDirectory directory;
  EvaluateRequest request = tampered(directory.path(), "", {});
  request.suite.settings.time_limit_s = 1;
  request.overtime_slack_s = 1;
  request.n_workers = 3;
  request.solve = [](const SolveRequest& solve) {
    if (solve.policy == "random") std::abort();
    if (solve.policy == "pscost") std::this_thread::sleep_for(std::chrono::hours(1));
    return solve_file(solve);
  };
  EXPECT_TRUE(evaluate(request));
  std::map<std::string, std::set<std::string>> ends;
  for (const RunRecord& run : read_evaluation(request.output).runs) ends[run.policy].insert(run.end);
  EXPECT_EQ(ends, (std::map<std::string, std::set<std::string>>{{"pscost", {"overtime"}}, {"random", {"crashed"}}, {"relpscost", {"done"}}}));

  request.solve = solve_file;
  request.retry = true;
  EXPECT_TRUE(evaluate(request));
  for (const RunRecord& run : read_evaluation(request.output).runs) EXPECT_EQ(run.end, run.policy == "pscost" ? "overtime" : "done") << "a crash is tried again, overtime is a result";
}

TEST(Evaluate, RefusesToMixRunsOfOtherConditions) {
  const TemporaryDirectory directory;
  EvaluateRequest request = tampered(directory.path(), "", {});
  request.solve = solve_file;
  EXPECT_TRUE(evaluate(request));
  const auto expect_refusal = [&](const std::string& of) {
    try {
      (void)evaluate(request);
      ADD_FAILURE() << "accepted, and should say: " << of;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find(of), std::string::npos) << error.what();
    }
  };
  request.suite.settings.time_limit_s = 30;
  expect_refusal("time_limit = 60.0; now it is 30.0");
  request.suite.settings.time_limit_s = 60;
  request.suite.name = "another";
  expect_refusal(R"(suite = "suite"; now it is "another")");
  request.suite.name = "suite";
  request.suite.policies[0].source = "fullstrong";
  expect_refusal("source of the policy");
}

TEST(Evaluate, ADamagedLineIsNamed) {
  const TemporaryDirectory directory;
  EvaluateRequest request = tampered(directory.path(), "", {});
  request.solve = solve_file;
  EXPECT_TRUE(evaluate(request));
  const fs::path journal = request.output / "runs.jsonl";
  const std::string text = read_file(journal);
  write_file(journal, text.substr(0, text.size() - 40));  // cut off by a crash: the line does not count
  EXPECT_EQ(read_evaluation(request.output).runs.size(), 6U) << "the last line is a calibration";
  for (const std::string line : {R"({"run": 3, "end": "done"})", R"({"explained": {"group": 5}, "decisions": []})"}) {
    write_file(journal, line + "\n" + text);
    try {
      (void)read_evaluation(request.output);
      FAIL() << "it was read: " << line;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_NE(std::string(error.what()).find("runs.jsonl:1"), std::string::npos) << error.what();
    }
  }
  std::string run = text.substr(text.find("{\"run\""));
  run.resize(run.find('\n') + 1);
  run.replace(run.find("\"end\":\"done\""), 12, "\"end\":[]");
  write_file(journal, run);
  try {
    (void)evaluate(request);
    FAIL() << "it went on with it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input) << error.what();
  }
}

TEST(Trace, KeepsFewPointsAndTheLastBoundOfEveryStretch) {
  Trace trace;
  constexpr int n = 20'000;
  for (int k = 0; k < n; ++k) trace.add({0.01 * k, 1e6, static_cast<double>(k), k});
  trace.add_last({0.01 * n, 1e6, n, n});
  const auto points = trace.points();
  EXPECT_LE(points.size(), Trace::most_points + 1);
  EXPECT_GE(points.size(), Trace::most_points / 4);
  EXPECT_EQ(points.front().dual, 0);
  EXPECT_EQ(points.back().dual, n);
  double late = 0;  // the true bound at time t is t / 0.01
  for (std::size_t i = 1; i < points.size(); ++i) late = std::max(late, points[i].time_s - points[i - 1].time_s);
  EXPECT_LE(late, 2.0) << "200 s in some 500 points";
}

TEST(Trace, GoesToJsonAndBackWithItsInfinities) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<BoundPoint> minimise{{0.5, infinity, -infinity, 0}, {1, 10, 3, 7}};
  EXPECT_EQ(trace_from_json(trace_to_json(minimise), false), minimise);
  const std::vector<BoundPoint> maximise{{0.5, -infinity, infinity, 0}, {1, 3, 10, 7}};
  EXPECT_EQ(trace_from_json(trace_to_json(maximise), true), maximise);
}

}  // namespace
}  // namespace bough::test
