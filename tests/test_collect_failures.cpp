// SPDX-License-Identifier: Apache-2.0
//
// An instance that cannot be read, that crashes, or that is gone costs itself and nothing else.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <format>
#include <memory>
#include <thread>

#include "bough/branch/policies.hpp"
#include "bough/collect/collect.hpp"
#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/instance/write.hpp"
#include "bough/rng.hpp"
#include "tests/process.hpp"
#include "tests/sets.hpp"

namespace bough::test {
namespace {

namespace fs = std::filesystem;

/// A folder with two good instances and, between them by name, a damaged one.
fs::path folder_with_a_bad_instance(const fs::path& parent) {
  const Family& family = family_by_name("loadbalance");
  const fs::path folder = parent / "instances";
  fs::create_directory(folder);
  write_milp(generate_instance(family, resolve_parameters(family, Size::tiny), 1), folder / "a.mps.gz");
  write_file(folder / "b.mps", "NAME broken\nROWS\n N obj\n L c1\nCOLUMNS\n x obj\n");
  write_milp(generate_instance(family, resolve_parameters(family, Size::tiny), 2), folder / "c.lp");
  write_file(folder / "notes.txt", "not an instance");
  return folder;
}

TEST(InstancesIn, FindsEndingsInCapitalsToo) {
  const TemporaryDirectory directory;
  for (const char* name : {"a.mps", "B.MPS", "c.LP.gz", "D.CIP.GZ", "e.txt", "f.gz"}) write_file(directory.path() / name, "");
  std::vector<std::string> names;
  for (const Instance& instance : instances_in(directory.path())) names.push_back(instance.name);
  EXPECT_EQ(names, (std::vector<std::string>{"B.MPS", "D.CIP.GZ", "a.mps", "c.LP.gz"}));
}

TEST(InstancesIn, RefusesNamesThatNoRecordCanHold) {
  const TemporaryDirectory directory;
  const fs::path folder = directory.path() / "caf\xe9";  // Latin-1, not UTF-8
  fs::create_directory(folder);
  write_file(folder / "a.mps", "");
  const Finished run = run_program({"bough", "collect", "--instances", folder.string(), "-o", (directory.path() / "set").string(), "-q"});
  EXPECT_EQ(run.exit_code, 65) << run.err;
  EXPECT_NE(run.err.find("not valid UTF-8"), std::string::npos) << run.err;
  EXPECT_FALSE(fs::exists(directory.path() / "set")) << "nothing was begun";
}

/// Takes the instance's file away in the middle of its solve.
class Removing final : public Policy {
 public:
  void score(SCIP* /*scip*/, const Candidates& /*candidates*/, std::span<double> scores) override {
    fs::remove(file);
    scores[0] = 1;
  }
  fs::path file;
};

TEST(Collect, AnInstanceThatIsGoneAfterItWasReadHasItsEpisode) {
  const TemporaryDirectory directory;
  const fs::path folder = directory.path() / "instances";
  fs::create_directory(folder);
  const Family& family = family_by_name("loadbalance");
  write_milp(generate_instance(family, resolve_parameters(family, Size::tiny), 0), folder / "a.mps");
  const std::string sha256 = sha256_of_file(folder / "a.mps");
  CollectRequest request = small_request(directory.path() / "set", "loadbalance");
  request.instances = folder;
  request.sampling.follow = Follow::explorer;
  request.explorer = "removing";
  request.make_explorer = [&](std::uint64_t) {
    auto policy = std::make_unique<Removing>();
    policy->file = folder / "a.mps";
    return policy;
  };
  const CollectSummary summary = collect(request);
  EXPECT_FALSE(fs::exists(folder / "a.mps"));
  ASSERT_EQ(summary.episodes.size(), 1U);
  EXPECT_EQ(summary.episodes[0].instance_sha256, sha256);
}

TEST(Collect, NeitherBytesThatAreNoTextNorHiddenFilesEndIt) {
  const TemporaryDirectory directory;
  const fs::path folder = folder_with_a_bad_instance(directory.path());
  write_file(folder / "b.mps", "NAME x\nROWS\n N obj\n L c\nCOLUMNS\n x obj 1 r\xfc" "ck 1\nRHS\n RHS c 1\nENDATA\n");  // SCIP's complaint quotes it
  write_file(folder / ".hidden.mps", "not for us");
  std::vector<std::string> words = words_of("bough collect --window 2 --start first --episode-states 4 --scip separating/maxroundsroot=0 -q --json --instances");
  words.insert(words.end(), {folder.string(), "-o", (directory.path() / "set").string()});
  const Finished run = run_program(words);
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["episodes"], 2);
  fs::rename(folder / "c.lp", folder / (std::string(201, 'c') + ".lp"));
  EXPECT_EQ(run_program(words).exit_code, 65) << "a shard could not have this name";
}

TEST(Collect, AnUnreadableInstanceIsQuarantinedAndTheRestIsCollected) {
  const TemporaryDirectory directory;
  const fs::path folder = folder_with_a_bad_instance(directory.path());
  std::vector<std::string> words = words_of("bough collect --window 2 --start first --episode-states 4 --scip separating/maxroundsroot=0 -q --json --instances");
  words.insert(words.end(), {folder.string(), "-o", (directory.path() / "set").string()});
  const Finished run = run_program(words);
  EXPECT_EQ(run.exit_code, 3) << run.err;
  const auto summary = nlohmann::json::parse(run.out);
  EXPECT_EQ(summary["episodes"], 2);
  EXPECT_EQ(summary["labels"], 8);
  ASSERT_EQ(summary["quarantined"].size(), 1U);
  EXPECT_EQ(summary["quarantined"][0]["instance"], "b.mps");
  EXPECT_NE(summary["quarantined"][0]["message"].get<std::string>().find("b.mps"), std::string::npos);
  EXPECT_EQ(run_program(words).exit_code, 3) << "still so the second time";

  fs::copy_file(folder / "c.lp", folder / "b.mps", fs::copy_options::overwrite_existing);
  fs::remove(folder / "b.mps");
  write_milp(generate_instance(family_by_name("loadbalance"), resolve_parameters(family_by_name("loadbalance"), Size::tiny), 3), folder / "b.mps");
  words.push_back("--retry");
  const Finished mended = run_program(words);
  EXPECT_EQ(mended.exit_code, 0) << mended.err;
  EXPECT_EQ(nlohmann::json::parse(mended.out)["episodes"], 3);

  write_milp(generate_instance(family_by_name("loadbalance"), resolve_parameters(family_by_name("loadbalance"), Size::tiny), 4), folder / "b.mps");
  const Finished changed = run_program(words);
  EXPECT_EQ(changed.exit_code, 65) << "an instance that changes under a set would make it a lie";
  EXPECT_NE(changed.err.find("b.mps has changed"), std::string::npos) << changed.err;
}

/// Crashes in one instance's solve, as a bug in a solver would.
class Crashing final : public Policy {
 public:
  void score(SCIP* scip, const Candidates& /*candidates*/, std::span<double> scores) override {
    if (std::string(SCIPgetProbName(scip)).find(culprit) != std::string::npos) {
      std::signal(SIGSEGV, SIG_DFL);
      (void)::raise(SIGSEGV);
    }
    scores[0] = 1;
  }
  std::string culprit;
};

TEST(Collect, ThreeCrashesQuarantineAnInstanceAndTheRestIsCollected) {
  const TemporaryDirectory directory;
  CollectRequest request = small_request(directory.path() / "set", "loadbalance", 3);
  request.sampling.follow = Follow::explorer;
  request.explorer = "crashing";
  const Family& family = family_by_name("loadbalance");
  fs::create_directory(directory.path() / "instances");
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Milp milp = generate_instance(family, resolve_parameters(family, Size::tiny), seed);
    milp.name = std::format("number{}", seed);
    write_milp(milp, directory.path() / "instances" / std::format("{}.mps", seed));
  }
  request.instances = directory.path() / "instances";
  request.make_explorer = [](std::uint64_t) {
    auto policy = std::make_unique<Crashing>();
    policy->culprit = "number1";
    return policy;
  };
  const CollectSummary summary = collect(request);
  EXPECT_EQ(summary.episodes.size(), 2U);
  ASSERT_EQ(summary.quarantined.size(), 1U);
  EXPECT_EQ(summary.quarantined[0].instance, "1.mps");
  EXPECT_NE(summary.quarantined[0].message.find("signal 11"), std::string::npos) << summary.quarantined[0].message;
  EXPECT_EQ(collect(request).n_new_episodes, 0) << "it stays in quarantine";
}

/// Crashes after a while.
class SlowlyCrashing final : public Policy {
 public:
  void score(SCIP* /*scip*/, const Candidates& /*candidates*/, std::span<double> /*scores*/) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::signal(SIGSEGV, SIG_DFL);
    (void)::raise(SIGSEGV);
  }
};

// The second of three instances crashes in its first pass and would not in its second, which other workers finish long before it is given up.
TEST(Collect, WhoIsQuarantinedHasNoLaterPassForAnyNumberOfWorkers) {
  const TemporaryDirectory directory;
  std::map<std::string, std::string> first;
  for (const int n_workers : {1, 3}) {
    CollectRequest request = small_request(directory.path() / std::to_string(n_workers), "loadbalance", 3);
    request.n_passes = 2;
    request.n_workers = n_workers;
    request.sampling.follow = Follow::explorer;
    request.explorer = "random";
    Rng seeds("collect loadbalance-tiny-1", request.seed);  // as collect() draws them
    (void)seeds.below(1U << 31U);
    request.make_explorer = [unlucky = seeds.next()](std::uint64_t seed) -> std::unique_ptr<Policy> {
      if (seed == unlucky) return std::make_unique<SlowlyCrashing>();
      return make_policy("random", seed);
    };
    const CollectSummary summary = collect(request);
    EXPECT_EQ(summary.episodes.size(), 4U) << n_workers;
    ASSERT_EQ(summary.quarantined.size(), 1U) << n_workers;
    EXPECT_EQ(summary.quarantined[0].pass, 0);
    const auto bytes = contents(request.output);
    if (first.empty()) first = bytes;
    EXPECT_TRUE(bytes == first) << n_workers << " workers";
  }
}

TEST(Collect, ASetDoesNotLoseTheEpisodesOfInstancesThatAreGone) {
  const TemporaryDirectory directory;
  const fs::path folder = directory.path() / "instances";
  fs::create_directory(folder);
  const Family& family = family_by_name("loadbalance");
  for (std::uint64_t seed = 0; seed < 2; ++seed) write_milp(generate_instance(family, resolve_parameters(family, Size::tiny), seed), folder / std::format("{}.mps", seed));
  CollectRequest request = small_request(directory.path() / "set", "loadbalance");
  request.instances = folder;
  ASSERT_EQ(collect(request).episodes.size(), 2U);
  const auto before = contents(request.output);
  fs::rename(folder / "1.mps", folder / "2.mps");
  EXPECT_THROW((void)collect(request), Error);
  EXPECT_TRUE(contents(request.output) == before);
  fs::rename(folder / "2.mps", folder / "1.mps");
  EXPECT_EQ(collect(request).n_new_episodes, 0);
}

}  // namespace
}  // namespace bough::test
