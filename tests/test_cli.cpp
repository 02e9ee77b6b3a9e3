// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <format>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "bough/branch/policies.hpp"
#include "bough/branch/solve_json.hpp"
#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/instance/write.hpp"
#include "bough/rng.hpp"
#include "tests/process.hpp"

namespace bough::test {
namespace {

using nlohmann::json;

Finished bough_in(const std::filesystem::path& directory, const std::string& arguments) {
  return run_program(words_of("bough " + arguments), directory);
}

std::vector<json> lines_of(const std::filesystem::path& path) {
  std::istringstream in(read_file(path));
  std::vector<json> records;
  for (std::string line; std::getline(in, line);) records.push_back(json::parse(line));
  return records;
}

class Solve : public testing::Test {
 protected:
  Solve() {
    const Family& family = family_by_name("setcover");
    write_milp(generate_instance(family, resolve_parameters(family, Size::tiny), 3), at_ / "tiny.mps.gz");
  }
  void add_long_instance() const {
    const Family& family = family_by_name("setcover");
    write_milp(generate_instance(family, resolve_parameters(family, Size::hard), 0), at_ / "long.mps.gz");
  }
  TemporaryDirectory directory_;
  std::filesystem::path at_ = directory_.path();
};

TEST_F(Solve, GivesEveryFigureAndItsProvenanceAsJson) {
  const Finished finished = bough_in(at_, "solve tiny.mps.gz --policy pscost --settings paper --seed 5 --json");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const json result = json::parse(finished.out);  // nothing but the result is on stdout
  EXPECT_EQ(result.at("status"), "optimal");
  EXPECT_EQ(result.at("proven"), true);
  EXPECT_EQ(result.at("primal_bound"), result.at("dual_bound"));
  EXPECT_EQ(result.at("gap"), 0);
  EXPECT_GE(result.at("nodes"), 1);
  EXPECT_GT(result.at("lp_iterations"), 0);
  EXPECT_GE(result.at("time").at("total"), result.at("time").at("root"));
  EXPECT_EQ(result.at("policy"), "pscost");
  EXPECT_EQ(result.at("settings").at("preset"), "paper");
  EXPECT_EQ(result.at("settings").at("seed"), 5);
  EXPECT_EQ(result.at("settings").at("changed_parameters").at("randomization/lpseed"), "5");
  EXPECT_EQ(result.at("instance").at("sha256"), sha256_of_file(at_ / "tiny.mps.gz"));
  EXPECT_TRUE(result.at("versions").contains("commit"));
  EXPECT_EQ(result.at("solution_check").at("feasible"), true);
  // The check adds up the values of the solution, which are integral only to SCIP's tolerance.
  EXPECT_NEAR(result.at("solution_check").at("objective").get<double>(), result.at("primal_bound").get<double>(), 1e-6);
  EXPECT_TRUE(result.at("scip_statistics").contains("lp"));
}

TEST_F(Solve, IsReproducibleForAPolicyThatDrawsRandomNumbers) {
  const auto nodes = [&](int seed) {
    const auto finished = bough_in(at_, std::format("solve tiny.mps.gz --policy random --settings paper --seed {} --json -q", seed));
    const json result = json::parse(finished.out);
    return std::pair(result.at("nodes").get<int>(), result.at("lp_iterations").get<int>());
  };
  EXPECT_EQ(nodes(1), nodes(1));
  EXPECT_NE(nodes(1), nodes(2));
}

TEST_F(Solve, GivesValidJsonForAnyFileName) {
  const std::string name = "caf\xe9 \"quoted\".mps.gz";  // Latin-1, not UTF-8
  std::filesystem::copy_file(at_ / "tiny.mps.gz", at_ / name);
  const Finished finished = run_program({"bough", "solve", name, "--json", "-q"}, at_);
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(json::parse(finished.out).at("status"), "optimal");
}

TEST_F(Solve, SaysTheSameInWords) {
  const Finished finished = bough_in(at_, "solve tiny.mps.gz");
  EXPECT_EQ(finished.exit_code, 0);
  for (const char* word : {"status", "optimal", "objective", "bound", "gap", "nodes", "LP iterations", "time", "root", "checked against the file"}) {
    EXPECT_NE(finished.out.find(word), std::string::npos) << word;
  }
  EXPECT_NE(finished.err.find("SCIP Status"), std::string::npos) << "SCIP's own log goes to stderr";
  EXPECT_EQ(bough_in(at_, "solve tiny.mps.gz -q").err, "");
}

TEST_F(Solve, WritesSolutionTraceAndLog) {
  const Finished finished = bough_in(at_, "solve tiny.mps.gz --json -q --solution out.sol --trace out.jsonl --log out.log");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const json result = json::parse(finished.out);

  std::istringstream solution(read_file(at_ / "out.sol"));
  std::string line;
  std::getline(solution, line);
  EXPECT_EQ(line, "solution status: optimal");
  std::getline(solution, line);
  EXPECT_EQ(line, std::format("objective value: {}", result.at("primal_bound").get<double>()));
  const Finished scip = run_program({"scip", "-c", "read tiny.mps.gz", "-c", "read out.sol", "-c", "quit"}, at_);
  EXPECT_NE(scip.out.find("out.sol> was accepted as candidate"), std::string::npos) << "SCIP reads our .sol: " << scip.out;
  EXPECT_EQ(scip.out.find("unknown variable"), std::string::npos) << scip.out;

  const auto trace = lines_of(at_ / "out.jsonl");
  ASSERT_GE(trace.size(), 2U);
  for (const json& record : trace) {
    for (const char* field : {"time", "primal_bound", "dual_bound", "gap", "nodes"}) EXPECT_TRUE(record.contains(field)) << field;
  }
  EXPECT_EQ(trace.back().at("final"), true);
  EXPECT_EQ(trace.back().at("status"), "optimal");
  EXPECT_EQ(trace.back().at("primal_bound"), result.at("primal_bound"));
  EXPECT_NE(read_file(at_ / "out.log").find("SCIP Status"), std::string::npos);
}

TEST_F(Solve, FollowsTheUsersParameters) {
  const Finished finished = bough_in(at_, "solve tiny.mps.gz -q --json --scip limits/nodes=1 --scip separating/maxroundsroot=0 --scip heuristics/emphasis=off");
  EXPECT_EQ(finished.exit_code, 2) << "'emphasis' is no parameter: " << finished.out;
  const Finished limited = bough_in(at_, "solve tiny.mps.gz -q --json --scip limits/solutions=1");
  EXPECT_EQ(json::parse(limited.out).at("status"), "solution-limit");
}

TEST_F(Solve, KeepsItsResultsWhenInterrupted) {
  add_long_instance();
  // The signal comes when the trace shows that an incumbent exists; nothing here depends on how fast the machine is.
  const auto interrupt = [&](int pid) {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (!std::filesystem::exists(at_ / "t.jsonl")) continue;
      const std::string text = read_file(at_ / "t.jsonl");
      if (text.find("\"primal_bound\":") != std::string::npos && text.rfind("\"primal_bound\":null") < text.rfind("\"primal_bound\":")) break;
      if (::kill(pid, 0) != 0) break;
    }
    ::kill(pid, SIGINT);
  };
  const Finished finished = run_program(words_of("bough solve long.mps.gz -q --json --trace t.jsonl --solution s.sol"), at_, interrupt);
  ASSERT_EQ(finished.exit_code, 130) << finished.err;
  const json result = json::parse(finished.out);
  EXPECT_EQ(result.at("status"), "interrupted");
  EXPECT_EQ(result.at("proven"), false);
  EXPECT_EQ(result.at("solution_check").at("feasible"), true);
  EXPECT_TRUE(read_file(at_ / "s.sol").starts_with("solution status: interrupted"));
  const auto trace = lines_of(at_ / "t.jsonl");
  EXPECT_EQ(trace.back().at("final"), true);
  EXPECT_EQ(trace.back().at("status"), "interrupted");
}

TEST_F(Solve, LeavesWholeFilesOrNoneWheneverASignalComes) {
  add_long_instance();
  Rng rng("signals", 0);
  for (int trial = 0; trial < 12; ++trial) {
    const int signal = trial % 2 == 0 ? SIGINT : SIGTERM;
    const auto delay = std::chrono::microseconds(rng.below(600'000));
    const bool twice = trial % 3 == 0;  // the second one ends the process at once
    const auto send = [&](int pid) {
      std::this_thread::sleep_for(delay);
      ::kill(pid, signal);
      if (twice) {
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
        ::kill(pid, signal);
      }
    };
    const Finished finished = run_program(words_of("bough solve long.mps.gz -q --solution s.sol"), at_, send);
    EXPECT_EQ(finished.exit_code, 128 + signal) << "after " << delay.count() << " us: " << finished.err;
    EXPECT_EQ(finished.err, "");
    for (const auto& entry : std::filesystem::directory_iterator(at_)) {
      const std::string name = entry.path().filename().string();
      EXPECT_TRUE(name == "long.mps.gz" || name == "tiny.mps.gz" || name == "s.sol") << "left behind: " << name;
      EXPECT_TRUE(name != "s.sol" || read_file(entry.path()).ends_with("\n")) << "half a solution";
    }
    std::filesystem::remove(at_ / "s.sol");
  }
}

TEST(Generate, GivesTheSameBytesForASeedWhateverTheCount) {
  const TemporaryDirectory directory;
  for (const Family& family : families()) {
    const auto make = [&](const std::string& arguments) {
      const Finished finished = bough_in(directory.path(), std::format("generate {} --size tiny {}", family.name, arguments));
      ASSERT_EQ(finished.exit_code, 0) << finished.err;
    };
    make("--count 3 --seed 10 -o many");
    make("--count 1 --seed 12 -o one");
    const std::string name = std::format("{}-tiny-12.mps.gz", family.name);
    EXPECT_EQ(sha256_of_file(directory.path() / "many" / name), sha256_of_file(directory.path() / "one" / name)) << name;
  }
}

TEST(Generate, ListsWhatItWrote) {
  const TemporaryDirectory directory;
  const Finished finished = bough_in(directory.path(), "generate setcover --rows 50 --columns 100 --density 0.1 --count 2 --format lp -o d --json");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const json list = json::parse(finished.out);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1].at("file"), "d/setcover-easy-columns=100-density=0.1-rows=50-1.lp") << "other parameters, another instance, another name";
  EXPECT_EQ(list[1].at("rows"), 50);
  EXPECT_EQ(list[1].at("columns"), 100);
  EXPECT_EQ(list[1].at("nonzeros"), 500);
  EXPECT_TRUE(std::filesystem::exists(directory.path() / list[1].at("file").get<std::string>()));
}

TEST(Generate, BuildsTheModelOfAPublishedFile) {  // 2 rows, 3 columns: rows {1,2} and {2,3}, costs 3 2 4; column 2 covers both
  const TemporaryDirectory directory;
  write_file(directory.path() / "scp.txt", "2 3\n 3 2 4\n2\n 1 2\n2\n 2 3\n");
  ASSERT_EQ(bough_in(directory.path(), "generate setcover --from scp.txt -o d --format mps").exit_code, 0);
  const Finished solved = bough_in(directory.path(), "solve d/scp.mps --json -q");
  EXPECT_EQ(json::parse(solved.out).at("primal_bound"), 2);
}

// min x + y, x + y >= 2.5, whole numbers: 3.  Nothing is better than 2.9, and nothing is known of what is worse.
TEST(SolveLimits, AnObjectiveLimitThatNothingKeepsIsNoSolution) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "min.lp", "Minimize\n obj: x + y\nSubject To\n c: x + y >= 2.5\nBounds\n x <= 9\n y <= 9\nGenerals\n x y\nEnd\n");
  write_file(directory.path() / "max.lp", "Maximize\n obj: - x - y\nSubject To\n c: x + y >= 2.5\nBounds\n x <= 9\n y <= 9\nGenerals\n x y\nEnd\n");
  for (const char* command : {"solve min.lp --objective-limit 2.9 --json -q", "solve max.lp --objective-limit -2.9 --json -q"}) {
    const json result = json::parse(bough_in(directory.path(), command).out);
    EXPECT_EQ(result.at("status"), "objective-limit") << command;
    EXPECT_EQ(result.at("proven"), true);
    EXPECT_TRUE(result.at("primal_bound").is_null()) << result.at("primal_bound");
    EXPECT_TRUE(result.at("solution_check").is_null());
  }
  const json kept = json::parse(bough_in(directory.path(), "solve min.lp --objective-limit 3.5 --json -q").out);
  EXPECT_EQ(kept.at("status"), "optimal");
  EXPECT_EQ(kept.at("primal_bound"), 3);
}

TEST(SolveFiles, ASolveThatCannotBeginLeavesThemAsTheyAre) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "old.jsonl", "of yesterday");
  EXPECT_EQ(bough_in(directory.path(), "solve missing.mps --trace old.jsonl --log new.log -q").exit_code, 66);
  EXPECT_EQ(read_file(directory.path() / "old.jsonl"), "of yesterday");
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "new.log"));
  write_file(directory.path() / "x.lp", "Minimize\n obj: x\nSubject To\n c: x >= 2.5\nGenerals\n x\nEnd\n");
  EXPECT_EQ(bough_in(directory.path(), "solve x.lp --trace old.jsonl -q").exit_code, 0);
  EXPECT_EQ(read_file(directory.path() / "old.jsonl").find("yesterday"), std::string::npos);
}

TEST(Policies, AreListedInWordsAndAsJson) {
  const json list = json::parse(bough_in(".", "policies --json").out);
  ASSERT_EQ(list.size(), policy_kinds().size());
  const std::string text = bough_in(".", "policies").out;
  for (const PolicyKind& kind : policy_kinds()) EXPECT_NE(text.find(kind.name), std::string::npos);
}

TEST(Demo, RacesTheModelAgainstTheRulesAndEndsWithAPage) {
  const TemporaryDirectory directory;
  std::filesystem::copy_file(std::filesystem::path(BOUGH_SOURCE_DIR) / "models/setcover-tgat.safetensors", directory.path() / "tgat.safetensors");
  const std::string command = "demo --size tiny --count 2 --model tgat.safetensors -o show";
  for (const char* time : {"first", "second"}) {  // a second demo overwrites the first
    const Finished finished = bough_in(directory.path(), command);
    EXPECT_EQ(finished.exit_code, 0) << time << ": " << finished.err;
    for (const char* word : {"pscost", "relpscost", "tgat", "setcover-tiny-30001", "show/report/index.html"}) {
      EXPECT_NE(finished.out.find(word), std::string::npos) << word;
    }
    EXPECT_TRUE(std::filesystem::exists(directory.path() / "show/report/index.html"));
    if (time == std::string("first")) write_file(directory.path() / "show/notes.txt", "not to be lost");
  }
  EXPECT_EQ(read_file(directory.path() / "show/notes.txt"), "not to be lost");
  std::filesystem::create_directory(directory.path() / "mine");
  write_file(directory.path() / "mine/thesis.txt", "not to be lost");
  const Finished refused = bough_in(directory.path(), "demo --size tiny --count 1 -o mine");
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_EQ(read_file(directory.path() / "mine/thesis.txt"), "not to be lost");
}

TEST(Help, HasExamplesAndTheVersionNamesTheCommit) {
  for (const char* command : {"--help", "solve --help", "generate --help", "generate setcover --help", "policies --help", "demo --help", "evaluate --help", "report --help"}) {
    EXPECT_EQ(bough_in(".", command).exit_code, 0) << command;
  }
  EXPECT_NE(bough_in(".", "solve --help").out.find("Examples:"), std::string::npos);
  EXPECT_TRUE(bough_in(".", "--version").out.starts_with("bough "));
}

// A log that nobody can read any more: the result is what counts, and an error keeps its code.
TEST(Output, ALogThatCannotBeWrittenEndsNothing) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "small.lp", "Maximize\n obj: 3 x + 2 y\nSubject To\n c: 2 x + 2 y <= 5\nGenerals\n x y\nEnd\n");  // x = 2: 6
  for (const char* nobody : {"2> /dev/full", "2>&-"}) {
    const Finished solved = run_program({"sh", "-c", std::format("'{}' solve small.lp --json {}", BOUGH_EXECUTABLE, nobody)}, directory.path());
    EXPECT_EQ(solved.exit_code, 0) << nobody;
    EXPECT_EQ(nlohmann::json::parse(solved.out).at("primal_bound"), 6) << nobody;
    ASSERT_EQ(run_program({"sh", "-c", std::format("'{}' solve small.lp --solution small.sol {}", BOUGH_EXECUTABLE, nobody)}, directory.path()).exit_code, 0) << nobody;
    EXPECT_TRUE(read_file(directory.path() / "small.sol").starts_with("solution status: optimal")) << nobody << ": the log is in the solution";
    EXPECT_EQ(run_program({"sh", "-c", std::format("'{}' solve missing.lp {}", BOUGH_EXECUTABLE, nobody)}, directory.path()).exit_code, 66) << nobody;
  }
}

TEST(Output, AFileOnTheWayThatCannotBeWrittenCostsTheExitCodeAndNotTheResult) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "small.lp", "Maximize\n obj: 3 x + 2 y\nSubject To\n c: 2 x + 2 y <= 5\nGenerals\n x y\nEnd\n");  // x = 2: 6
  for (const std::string file : {"--log /dev/full", "--trace /dev/full"}) {
    const Finished finished = bough_in(directory.path(), "solve small.lp -q --json --solution small.sol " + file);
    EXPECT_EQ(finished.exit_code, 73) << file << finished.err;
    EXPECT_NE(finished.err.find("cannot write /dev/full"), std::string::npos) << file << finished.err;
    EXPECT_EQ(nlohmann::json::parse(finished.out).at("primal_bound"), 6) << file;
    EXPECT_TRUE(std::filesystem::remove(directory.path() / "small.sol")) << file;
  }
  const Finished finished = bough_in(directory.path(), "solve small.lp -q --json --solution /dev/full");
  EXPECT_EQ(finished.exit_code, 73) << finished.err;
  EXPECT_TRUE(finished.err.starts_with("bough: cannot write /dev/full: No space left on device")) << finished.err;
  EXPECT_EQ(nlohmann::json::parse(finished.out).at("primal_bound"), 6);

  const Finished both = bough_in(directory.path(), "solve small.lp -q --json --solution /dev/full --trace /dev/full");
  EXPECT_EQ(both.exit_code, 73);
  const auto first = both.err.find("cannot write /dev/full");
  ASSERT_NE(first, std::string::npos) << both.err;
  EXPECT_NE(both.err.find("cannot write /dev/full", first + 1), std::string::npos) << "two files, two messages: " << both.err;
}

// An hour of work, and meanwhile somebody has put the next night's file in its place, or none.
TEST(Output, AnInstanceThatIsGoneOrAnotherAfterTheSolveCostsTheCheckAndNotTheResult) {
  const TemporaryDirectory directory;
  const auto small = directory.path() / "small.lp";
  const auto problem = [](int capacity) { return std::format("Maximize\n obj: 3 x + 2 y\nSubject To\n c: 2 x + 2 y <= {}\nGenerals\n x y\nEnd\n", capacity); };
  const std::vector<std::pair<std::function<void()>, std::string>> meanwhile{{[&] { std::filesystem::remove(small); }, "the solution could not be checked: cannot read "},
                                                                             {[&] { write_file(small, problem(3)); }, std::format("the solution could not be checked: {} was changed while it was solved", small.string())}};
  for (const auto& [happens, verdict] : meanwhile) {
    write_file(small, problem(5));  // x = 2: 6, which a capacity of 3 does not allow
    const std::string sha256 = sha256_of_file(small);
    SolveRequest request;
    request.instance = small;
    request.log = [&](std::string_view) { happens(); };  // SCIP has read it when it begins to speak
    const SolveResult result = solve_file(request);
    EXPECT_DOUBLE_EQ(result.statistics.primal_bound, 6);
    EXPECT_EQ(result.instance_sha256, sha256);
    ASSERT_TRUE(result.solution_check);
    EXPECT_FALSE(result.solution_check->readable);
    EXPECT_FALSE(result.solution_check->feasible);
    EXPECT_TRUE(result.solution_check->verdict().starts_with(verdict)) << result.solution_check->verdict();
    const auto json = solve_json(request, result);
    EXPECT_TRUE(json.at("solution_check").at("feasible").is_null()) << "unknown is not false";
    EXPECT_EQ(json.at("instance").at("sha256"), sha256);
  }
}

TEST(Output, FairNodesCountTwiceWhatStrongBranchingFoundOut) {
  SolveResult result;
  result.statistics.n_nodes = 10;
  result.statistics.n_branching_reductions = 3;
  result.statistics.n_branching_cutoffs = 1;
  result.statistics.scip_statistics = "null";
  EXPECT_EQ(solve_json({}, result).at("fair_nodes"), 10 + 2 * (3 + 1));
}

TEST(Output, ANameThatCannotBeOneIsNoInternalError) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "small.lp", "Maximize\n obj: 3 x + 2 y\nSubject To\n c: 2 x + 2 y <= 5\nGenerals\n x y\nEnd\n");
  const std::string endless(300, 'n');
  const std::vector<std::pair<std::string, int>> commands{{"solve small.lp --trace " + endless, 73}, {"solve small.lp --settings " + endless, 2}, {"learn " + endless, 66}, {"demo -o " + endless, 73}};
  for (const auto& [command, exit_code] : commands) {
    const Finished finished = bough_in(directory.path(), command);
    EXPECT_EQ(finished.exit_code, exit_code) << command << finished.err;
    EXPECT_EQ(finished.err.find("internal"), std::string::npos) << finished.err;
  }
}

TEST(Output, ThatCannotBeWrittenIsAFailure) {
  const Finished finished = run_program({"sh", "-c", std::format("'{}' policies > /dev/full", BOUGH_EXECUTABLE)});
  EXPECT_EQ(finished.exit_code, 73);
  EXPECT_NE(finished.err.find("cannot write to standard output"), std::string::npos);
}

}  // namespace
}  // namespace bough::test
