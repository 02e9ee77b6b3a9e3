// SPDX-License-Identifier: Apache-2.0
//
// The set that results depends on the request alone, whatever happens on the way.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <format>
#include <fstream>
#include <memory>
#include <set>
#include <thread>

#include "bough/branch/policies.hpp"
#include "bough/collect/collect.hpp"
#include "bough/dataset/inspect.hpp"
#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/instance/write.hpp"
#include "bough/journal.hpp"
#include "bough/observe/khalil_features.hpp"
#include "bough/rng.hpp"
#include "tests/nodes.hpp"
#include "tests/process.hpp"
#include "tests/sets.hpp"

namespace bough::test {
namespace {

namespace fs = std::filesystem;

/// The command line of small_request().
std::vector<std::string> command(const fs::path& output, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = words_of("bough collect --family loadbalance --size tiny --seeds 0..5 --window 3 --start first --episode-states 6 --scip separating/maxroundsroot=0 -q -o");
  words.push_back(output.string());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class CollectFamily : public testing::TestWithParam<std::string> {};

TEST_P(CollectFamily, GivesTheSameBytesFor1And2And4Workers) {
  const TemporaryDirectory directory;
  std::map<std::string, std::string> first;
  for (const int n_workers : {1, 2, 4}) {
    CollectRequest request = small_request(directory.path() / std::to_string(n_workers), GetParam(), 4);
    request.n_workers = n_workers;
    const CollectSummary summary = collect(request);
    EXPECT_TRUE(summary.complete);
    EXPECT_EQ(summary.episodes.size(), 4U);
    EXPECT_TRUE(summary.quarantined.empty());
    const auto bytes = contents(request.output);
    if (first.empty()) first = bytes;
    EXPECT_TRUE(bytes == first) << n_workers << " workers";
  }
  EXPECT_GT(first.size(), 2U) << "no episode has a state";
}
INSTANTIATE_TEST_SUITE_P(Families, CollectFamily, testing::ValuesIn(family_names()), [](const auto& name) { return name.param; });

using Contents = std::map<std::string, std::string>;

/// The names of the files that are not the same in both.
std::vector<std::string> differing(const Contents& a, const Contents& b) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : a) {
    if (const auto other = b.find(name); other == b.end() || other->second != bytes) names.push_back(name);
  }
  for (const auto& [name, bytes] : b) {
    if (!a.contains(name)) names.push_back(name);
  }
  return names;
}

/// Child processes of a process.
std::vector<int> children_of(int pid) {
  std::ifstream in(std::format("/proc/{0}/task/{0}/children", pid));
  return {std::istream_iterator<int>(in), {}};
}

TEST(Collect, KilledAgainAndAgainItGivesTheBytesOfAnUndisturbedRun) {
  const TemporaryDirectory directory;
  const auto large = [](const fs::path& output, const std::vector<std::string>& more) {
    std::vector<std::string> words = command(output, more);
    words[7] = "0..39";
    return words;
  };
  const Finished undisturbed = run_program(large(directory.path() / "calm", {}));
  ASSERT_EQ(undisturbed.exit_code, 0) << undisturbed.err;
  Rng rng("kills", 1);
  const fs::path set = directory.path() / "killed";
  int n_killed = 0;
  for (int round = 0; round < 8; ++round) {
    const Finished run = run_program(large(set, {"--workers", std::to_string(1 + round % 3)}), ".", [&](int pid) {
      std::this_thread::sleep_for(std::chrono::milliseconds(rng.integer(500, 700)));
      for (const int worker : children_of(pid)) ::kill(worker, SIGKILL);  // the parent starts them again
      std::this_thread::sleep_for(std::chrono::milliseconds(rng.integer(10, 200)));
      ::kill(pid, SIGKILL);  // its workers die with it
    });
    n_killed += run.exit_code == 128 + SIGKILL ? 1 : 0;
  }
  EXPECT_GE(n_killed, 3);
  const Finished last = run_program(large(set, {}));
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(differing(contents(set), contents(directory.path() / "calm")), std::vector<std::string>());
}

TEST(Collect, AStopSignalKeepsWhatIsDoneAndTheSameCommandGoesOn) {
  const TemporaryDirectory directory;
  const fs::path set = directory.path() / "set";
  std::vector<std::string> words = command(set, {"--workers", "1"});
  words[7] = "0..39";
  const Finished stopped = run_program(words, ".", [&](int pid) {
    wait_for_file(set / "manifest.jsonl", pid);
    ::kill(pid, SIGINT);
  });
  EXPECT_EQ(stopped.exit_code, 130) << stopped.out << stopped.err;
  EXPECT_NE(stopped.err.find("the same command goes on"), std::string::npos) << stopped.err;
  EXPECT_TRUE(inspect_set(set).damaged.empty());
  const auto n_kept = inspect_set(set).n_episodes;
  EXPECT_GE(n_kept, 1);
  EXPECT_LT(n_kept, 40);
  EXPECT_EQ(run_program(words).exit_code, 0);
  words.back() = "2";
  words[words.size() - 3] = (directory.path() / "calm").string();
  EXPECT_EQ(run_program(words).exit_code, 0);
  EXPECT_EQ(differing(contents(set), contents(directory.path() / "calm")), std::vector<std::string>());
}

TEST(Collect, NothingInASetSpeaksToTheTerminal) {
  const TemporaryDirectory directory;
  const fs::path set = directory.path() / "set";
  collect(small_request(set, "loadbalance", 1));
  std::string text = read_file(set / "set.json");
  text.replace(text.find("\"pscost\""), 8, R"("\u001b[2J\u0007")");
  write_file(set / "set.json", text);
  const Finished run = run_program({"bough", "inspect", set.string()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("?[2J?"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find('\x1b'), std::string::npos);
}

TEST(Collect, WhatIsRefusedHasNotGrown) {
  const TemporaryDirectory directory;
  const fs::path folder = directory.path() / "instances";
  fs::create_directory(folder);
  const Family& family = family_by_name("loadbalance");
  const auto write = [&](std::uint64_t seed) { write_milp(generate_instance(family, resolve_parameters(family, Size::tiny), seed), folder / "a.mps"); };
  write(0);
  CollectRequest request = small_request(directory.path() / "set");
  request.instances = folder;
  request.n_labels = 3;
  ASSERT_EQ(collect(request).episodes.size(), 1U);
  const auto before = contents(request.output);
  write(1);
  request.n_labels = 6;
  EXPECT_THROW((void)collect(request), Error) << "the instance has changed";
  EXPECT_TRUE(contents(request.output) == before);
}

TEST(Collect, RunAgainItHasNothingToDo) {
  const TemporaryDirectory directory;
  const CollectRequest request = small_request(directory.path() / "set");
  collect(request);
  const auto before = contents(request.output);
  const CollectSummary again = collect(request);
  EXPECT_EQ(again.n_new_episodes, 0);
  EXPECT_EQ(again.episodes.size(), 6U);
  EXPECT_TRUE(contents(request.output) == before);
}

TEST(Collect, TheSetIsTheShortestPrefixThatHasTheLabelsAskedForAndCanGrow) {
  const TemporaryDirectory directory;
  CollectRequest request = small_request(directory.path() / "set");
  request.n_workers = 3;
  request.n_labels = 10;
  const CollectSummary small = collect(request);
  EXPECT_TRUE(small.complete);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < small.episodes.size(); ++i) {
    EXPECT_LT(sum, 10) << "the prefix could be shorter";
    EXPECT_EQ(small.episodes[i].instance, std::format("loadbalance-tiny-{}", i));
    sum += small.episodes[i].n_labels;
  }
  EXPECT_GE(sum, 10);
  const auto before = contents(request.output);
  EXPECT_EQ(before.size(), 2 + small.episodes.size()) << "nothing else is left in the directory";

  request.n_labels = 20;
  const CollectSummary large = collect(request);
  EXPECT_TRUE(large.complete);
  EXPECT_GT(large.episodes.size(), small.episodes.size());
  const auto after = contents(request.output);
  for (const auto& [name, bytes] : before) {
    if (name.starts_with("shards/")) {
      EXPECT_TRUE(after.at(name) == bytes) << name;
    }
  }
  request.n_labels = 10;
  EXPECT_THROW(collect(request), Error) << "a set never shrinks by itself";
  request.n_labels = 1'000;
  EXPECT_FALSE(collect(request).complete) << "six instances have not that many";
}

TEST(Collect, ASecondPassSolvesEveryInstanceInAnotherOrderAndKeepsTheFirst) {
  const TemporaryDirectory directory;
  CollectRequest request = small_request(directory.path() / "set", "loadbalance", 2);
  collect(request);
  const auto once = contents(request.output);
  request.n_passes = 2;
  const CollectSummary twice = collect(request);
  EXPECT_EQ(twice.n_new_episodes, 2);
  ASSERT_EQ(twice.episodes.size(), 4U);
  EXPECT_EQ(twice.episodes[2].instance, twice.episodes[0].instance);
  EXPECT_EQ(twice.episodes[2].pass, 1);
  const auto now = contents(request.output);
  for (const auto& [name, bytes] : once) {
    if (name.ends_with(".zst")) {
      EXPECT_TRUE(now.at(name) == bytes) << name;
    }
  }
  const auto seed_of = [&](std::size_t episode) { return read_shard(request.output / "shards" / twice.episodes[episode].shard).metadata.at("scip_seed"); };
  EXPECT_NE(seed_of(0), seed_of(2));
  EXPECT_TRUE(inspect_set(request.output).damaged.empty());
  EXPECT_EQ(collect(request).n_new_episodes, 0);
  request.n_passes = 1;
  EXPECT_THROW((void)collect(request), Error) << "a set can only grow";
}

TEST(Collect, FewerLabelsThanAskedForIsAPartialResult) {
  const TemporaryDirectory directory;
  const Finished few = run_program(command(directory.path() / "set", {"--states", "1000"}));
  EXPECT_EQ(few.exit_code, 3);
  EXPECT_NE(few.err.find("of 1000 labels: there are no more instances"), std::string::npos) << few.err;
  EXPECT_TRUE(inspect_set(directory.path() / "set").damaged.empty());
}

TEST(Collect, AnotherRequestIsRefusedWithTheOptionThatDiffers) {
  const TemporaryDirectory directory;
  CollectRequest request = small_request(directory.path() / "set", "loadbalance", 2);
  collect(request);
  const auto before = contents(request.output);
  request.sampling.window = 2;
  try {
    collect(request);
    FAIL() << "the windows differ";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("window = 3; now it is 2"), std::string::npos) << error.what();
  }
  request.sampling.window = 3;
  request.explorer_sha256 = "of another model under the same name";
  EXPECT_THROW((void)collect(request), Error);
  EXPECT_TRUE(contents(request.output) == before);
}

/// The states of all episodes of a set.
std::vector<Episode> episodes_of(const CollectRequest& request) {
  std::vector<Episode> episodes;
  for (const ManifestEntry& entry : Manifest::read(request.output).entries()) {
    if (entry.n_states > 0) episodes.push_back(read_shard(request.output / "shards" / entry.shard));
  }
  return episodes;
}

TEST(Collect, WindowsFromTheRootAreConsecutiveDecisionsAllLabelled) {
  const TemporaryDirectory directory;
  const CollectRequest request = small_request(directory.path() / "set");
  collect(request);
  for (const Episode& episode : episodes_of(request)) {
    ASSERT_LE(episode.n_labels(), 6U);
    for (std::size_t s = 0; s < episode.states.size(); ++s) {
      EXPECT_EQ(episode.states[s].decision, static_cast<std::int64_t>(s)) << "from the root on, one after the other";
      ASSERT_TRUE(episode.states[s].label);
      EXPECT_EQ(episode.states[s].chosen, episode.states[s].label->choice) << "the expert is followed";
    }
    EXPECT_EQ(episode.states[0].depth, 0);
    for (std::size_t w = 0; w + 1 < episode.n_windows(); ++w) EXPECT_EQ(episode.window_start[w + 1] - episode.window_start[w], 3);
  }
}

// Whoever is asked about three candidates knows the best of the three, and what is branched on may be another.
TEST(Collect, TheExpertIsAskedAboutAsManyCandidatesAsWanted) {
  const TemporaryDirectory directory;
  CollectRequest request = small_request(directory.path() / "set", "loadbalance", 3);
  collect(request);
  std::vector<std::size_t> n_all;
  for (const Episode& episode : episodes_of(request)) n_all.push_back(episode.states.front().candidates.size());
  request.output = directory.path() / "few";
  request.sampling.max_candidates = 3;
  collect(request);
  const std::vector<Episode> few = episodes_of(request);
  ASSERT_EQ(few.size(), n_all.size());
  bool had_more = false;
  for (std::size_t e = 0; e < few.size(); ++e) {
    EXPECT_EQ(few[e].states.front().candidates.size(), std::min<std::size_t>(3, n_all[e])) << "the first decision of an episode is the same";
    had_more = had_more || n_all[e] > 3;
    for (const State& state : few[e].states) {
      ASSERT_TRUE(state.label);
      EXPECT_EQ(state.label->score.size(), state.candidates.size());
      EXPECT_EQ(state.label->score[static_cast<std::size_t>(state.label->choice)], std::ranges::max(state.label->score));
      EXPECT_EQ(state.chosen, state.label->choice) << "the expert is followed";
    }
  }
  EXPECT_TRUE(had_more) << "or nothing was tested";

  request.output = directory.path() / "explored";
  request.sampling.follow = Follow::explorer;
  collect(request);
  bool elsewhere = false;
  for (const Episode& episode : episodes_of(request)) {
    for (const State& state : episode.states) {
      EXPECT_LT(state.chosen, static_cast<std::int32_t>(state.candidates.size())) << "a place among those that are kept";
      elsewhere = elsewhere || state.chosen < 0;
    }
  }
  EXPECT_TRUE(elsewhere) << "the explorer chooses among all";
  request.sampling.follow = Follow::expert;
  request.output = directory.path() / "few";
  request.sampling.max_candidates = 4;
  EXPECT_THROW((void)collect(request), Error) << "another set";
}

TEST(Collect, WithLabelsLastOnlyTheNewestOfEachFullWindowIsLabelled) {
  const TemporaryDirectory directory;
  CollectRequest request = small_request(directory.path() / "set");
  request.sampling.labels = Labels::last;
  request.sampling.start = Start::anywhere;
  request.sampling.probability = 0.3;
  collect(request);
  std::size_t n_windows = 0;
  std::size_t n_chosen = 0;
  for (const Episode& episode : episodes_of(request)) {
    for (std::size_t w = 0; w < episode.n_windows(); ++w, ++n_windows) {
      const auto begin = static_cast<std::size_t>(episode.window_start[w]);
      ASSERT_EQ(episode.window_start[w + 1] - episode.window_start[w], 3);
      EXPECT_FALSE(episode.states[begin].label || episode.states[begin + 1].label);
      EXPECT_TRUE(episode.states[begin + 2].label);
      for (std::size_t s = begin; s < begin + 3; ++s) n_chosen += episode.states[s].chosen >= 0 ? 1 : 0;
    }
  }
  EXPECT_GT(n_windows, 5U);
  EXPECT_EQ(n_chosen, 3 * n_windows) << "what SCIP's own rule branched on is known too";
}

TEST(Collect, TheThreePartsOfAFolderShareNoInstanceAndMissNone) {
  std::set<std::string> seen;
  std::map<Split, int> sizes;
  for (int i = 0; i < 2000; ++i) ++sizes[split_of(std::format("plan-{}.mps", i))];
  EXPECT_NEAR(sizes[Split::train], 1600, 80) << "four standard deviations of a binomial";
  EXPECT_NEAR(sizes[Split::valid], 200, 54);
  EXPECT_NEAR(sizes[Split::test], 200, 54);
  const TemporaryDirectory directory;
  std::size_t n = 0;
  for (const Split split : {Split::train, Split::valid, Split::test}) {
    CollectRequest request = small_request(directory.path() / std::string(split_names[static_cast<std::size_t>(split)]), "loadbalance", 30);
    request.split = split;
    request.sampling.max_labels = 1;
    request.sampling.window = 1;
    for (const ManifestEntry& entry : collect(request).episodes) {
      seen.insert(entry.instance);
      ++n;
    }
  }
  EXPECT_EQ(n, 30U);
  EXPECT_EQ(seen.size(), 30U);
}

// Some of Khalil's features compare a candidate with all others of its node: those that the expert is not asked about count too.
TEST(Collect, KhalilsFeaturesAreTheSameForSomeOfTheCandidates) {
  const TemporaryDirectory directory;
  const auto root_of = [&](int max_candidates) {
    CollectRequest request = small_request(directory.path() / std::to_string(max_candidates), "setcover", 1);
    request.sampling.khalil = true;
    request.sampling.max_candidates = max_candidates;
    const CollectSummary summary = collect(request);
    return read_shard(request.output / "shards" / summary.episodes.at(0).shard).states.at(0);
  };
  const State all = root_of(0), some = root_of(2);
  ASSERT_GT(all.candidates.size(), 2U);
  ASSERT_EQ(some.candidates.size(), 2U);
  ASSERT_EQ(some.khalil.size(), 2 * n_khalil_features);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto place = static_cast<std::size_t>(std::ranges::find(all.candidates, some.candidates[k]) - all.candidates.begin());
    ASSERT_LT(place, all.candidates.size());
    for (std::size_t f = 0; f < n_khalil_features; ++f) EXPECT_EQ(some.khalil[k * n_khalil_features + f], all.khalil[place * n_khalil_features + f]) << khalil_feature_names[f];
  }
}

/// Scores that are no numbers.
class Clueless final : public Policy {
 public:
  void score(SCIP* /*scip*/, const Candidates& /*candidates*/, std::span<double> scores) override { std::ranges::fill(scores, std::nan("")); }
};

TEST(Collect, DecisionsThatTheExplorerCannotMakeAreCounted) {
  const TemporaryDirectory directory;
  CollectRequest request = small_request(directory.path() / "set", "loadbalance", 1);
  request.sampling.follow = Follow::explorer;
  request.explorer = "clueless";
  request.make_explorer = [](std::uint64_t) { return std::make_unique<Clueless>(); };
  const CollectSummary summary = collect(request);
  ASSERT_EQ(summary.episodes.size(), 1U);
  EXPECT_GT(summary.episodes[0].n_decisions, 0);
  EXPECT_EQ(summary.episodes[0].n_fallbacks, summary.episodes[0].n_decisions);
  EXPECT_EQ(Manifest::read(request.output).entries()[0].n_fallbacks, summary.episodes[0].n_fallbacks);
}

TEST(Collect, AFullDiskEndsWithAMessageAndTheSameCommandGoesOn) {
  const TemporaryDirectory directory;
  const fs::path set = directory.path() / "set";
  std::string line;
  for (const std::string& word : command(set)) line += "'" + (word == "bough" ? std::string(BOUGH_EXECUTABLE) : word) + "' ";
  // Files may not grow past 2 KB: a shard's write fails as it does on a full disk.
  const Finished full = run_program({"sh", "-c", "trap '' XFSZ; ulimit -f 4; exec " + line});
  EXPECT_EQ(full.exit_code, 73) << full.err;
  EXPECT_NE(full.err.find("cannot write"), std::string::npos) << full.err;
  EXPECT_EQ(run_program(command(set)).exit_code, 0);
  EXPECT_EQ(run_program(command(directory.path() / "calm")).exit_code, 0);
  EXPECT_EQ(differing(contents(set), contents(directory.path() / "calm")), std::vector<std::string>());
}

TEST(Collect, ADamagedShardIsNamedSetAsideAndCollectedAgain) {
  const TemporaryDirectory directory;
  const CollectRequest request = small_request(directory.path() / "set");
  collect(request);
  const auto before = contents(request.output);
  const fs::path victim = request.output / "shards" / "loadbalance-tiny-2.safetensors.zst";
  {
    std::fstream file(victim, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file.put('\x55');
  }
  const Finished inspected = run_program({"bough", "inspect", request.output.string()});
  EXPECT_EQ(inspected.exit_code, 65);
  EXPECT_NE(inspected.out.find("loadbalance-tiny-2.safetensors.zst: its SHA-256 is not the one in the manifest"), std::string::npos) << inspected.out;
  EXPECT_TRUE(fs::exists(victim)) << "looking changes nothing";
  EXPECT_EQ(run_program({"bough", "inspect", request.output.string(), "--repair"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(victim));
  EXPECT_TRUE(fs::exists(request.output / "damaged" / victim.filename()));
  EXPECT_EQ(run_program({"bough", "inspect", request.output.string()}).exit_code, 0);
  EXPECT_EQ(collect(request).n_new_episodes, 1);
  fs::remove_all(request.output / "damaged");
  EXPECT_TRUE(contents(request.output) == before);

  fs::remove(victim);
  EXPECT_EQ(inspect_set(request.output).damaged.size(), 1U) << "a missing shard is damage too";
  EXPECT_EQ(collect(request).n_new_episodes, 1);
  EXPECT_TRUE(contents(request.output) == before);
}

TEST(Collect, AnEpisodeWhoseShardIsGoneIsNotCountedTwiceWhileItIsCollectedAgain) {
  const TemporaryDirectory directory;
  CollectRequest request = small_request(directory.path() / "set", "loadbalance", 3);
  collect(request);
  fs::remove(request.output / "shards" / "loadbalance-tiny-1.safetensors.zst");
  std::vector<std::size_t> lines;
  request.on_progress = [&](const CollectProgress&) { lines.push_back(Manifest::read(request.output).entries().size()); };
  collect(request);
  EXPECT_EQ(lines.front(), 2U);
  EXPECT_EQ(std::ranges::max(lines), 3U);
}

TEST(Collect, ASetIsNotRepairedWhileItIsCollected) {
  const TemporaryDirectory directory;
  const CollectRequest request = small_request(directory.path() / "set", "loadbalance", 2);
  collect(request);
  fs::remove(request.output / "shards" / "loadbalance-tiny-1.safetensors.zst");
  const DirectoryLock collecting(request.output, "collecting into");
  const Finished refused = run_program({"bough", "inspect", request.output.string(), "--repair"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("another process is collecting into"), std::string::npos) << refused.err;
  EXPECT_EQ(Manifest::read(request.output).entries().size(), 2U);
}

TEST(Collect, ADescriptionThatIsNoneIsRefused) {
  const TemporaryDirectory directory;
  const fs::path set = directory.path() / "set";
  collect(small_request(set, "loadbalance", 1));
  const std::string deep = R"({"wanted": {}, "request": )" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}";  // a copy of it would exhaust the stack
  for (const std::string& text : {std::string("garbage"), std::string(R"({"request": 5, "wanted": {}})"), std::string(R"({"request": {"schema": "bough-set/1"}})"), deep}) {
    write_file(set / "set.json", text);
    EXPECT_EQ(run_program({"bough", "inspect", set.string()}).exit_code, 65) << text.substr(0, 60);
    EXPECT_EQ(run_program(command(set)).exit_code, 65) << text.substr(0, 60);
  }
  EXPECT_ANY_THROW((void)entry_from(R"({"instance":"a","end":"optimal","states":1,"labels":1,"windows":1,"candidates":1,"decisions":1,"nodes":1,"shard":"","bytes":1,"raw_bytes":1,"sha256":""})"))
      << "--repair would move the directory of all shards";
}

// SCIP's clock starts with the solve, the competition's when the root is done: a millisecond after it the episode is marked, whatever it has.
TEST(Collect, ATimeLimitAfterTheRootIsKept) {
  const TemporaryDirectory directory;
  const Finished run = run_program(words_of("bough collect --family auction --size tiny --seeds 2 --settings ml4co --time-limit 0.001 --workers 1 --json -q -o " + (directory.path() / "set").string()));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["ends"], (nlohmann::json{{"time-limit", 1}}));
  EXPECT_GE(Manifest::read(directory.path() / "set").entries().at(0).n_nodes, 1) << "the root is no part of the limit";
}

TEST(Collect, ALineThatWasCutOffIsAsIfItHadNeverBeen) {
  const TemporaryDirectory directory;
  const CollectRequest request = small_request(directory.path() / "set", "loadbalance", 3);
  collect(request);
  const auto before = contents(request.output);
  const std::string manifest = before.at("manifest.jsonl");
  write_file(request.output / "manifest.jsonl", manifest.substr(0, manifest.size() - 20));
  EXPECT_EQ(Manifest::read(request.output).entries().size(), 2U);
  EXPECT_EQ(collect(request).n_new_episodes, 1);
  EXPECT_TRUE(contents(request.output) == before);
  write_file(request.output / "manifest.jsonl", "{\"instance\": 3}\n" + manifest);
  EXPECT_THROW(collect(request), Error) << "damage in the middle is not a crash's work";
}

TEST(Collect, OneProcessAtATimeWritesASet) {
  const TemporaryDirectory directory;
  const fs::path set = directory.path() / "set";
  std::vector<std::string> words = command(set, {"--workers", "1"});
  words[7] = "0..39";
  const Finished first = run_program(words, ".", [&](int pid) {
    wait_for_file(set / "manifest.jsonl", pid);
    const Finished second = run_program(words);
    EXPECT_EQ(second.exit_code, 1);
    EXPECT_NE(second.err.find("another process is collecting into"), std::string::npos) << second.err;
  });
  EXPECT_EQ(first.exit_code, 0) << first.err;
}

}  // namespace
}  // namespace bough::test
