// SPDX-License-Identifier: Apache-2.0
//
// bough-train as a program: what it learns, what it writes, how it stops and goes on, what it refuses.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <format>
#include <nlohmann/json.hpp>
#include <thread>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/model/model.hpp"
#include "bough/train/checkpoint.hpp"
#include "bough/train/config.hpp"
#include "bough/train/trainer.hpp"
#include "tests/process.hpp"
#include "tests/train/episodes.hpp"

namespace bough::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr auto a_feature = static_cast<std::size_t>(VariableFeature::fraction);

float feature(const State& state, std::int32_t variable) { return state.variable_features[static_cast<std::size_t>(variable) * n_variable_features + a_feature]; }

/// The best candidate has the largest feature now, or had it one state earlier.
std::vector<Episode> learnable(std::size_t n, bool from_memory, std::uint64_t seed) {
  Rng rng("learnable", seed);
  std::vector<Episode> episodes;
  for (std::size_t e = 0; e < n; ++e) {
    Episode episode = random_episode(rng, {.windows = {2, 2, 2}});
    for (std::size_t s = 0; from_memory && s < episode.states.size(); s += 2) episode.states[s].label.reset();
    relabel(episode, [&](std::span<const State> states, std::size_t s, std::int32_t variable) { return static_cast<double>(feature(states[from_memory ? s - 1 : s], variable)); });
    episodes.push_back(std::move(episode));
  }
  return episodes;
}

class TrainingTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    sets_ = new TemporaryDirectory;
    write_set(set("now"), learnable(60, false, 1), "now");
    write_set(set("now-valid"), learnable(20, false, 2), "later");
    write_set(set("past"), learnable(120, true, 3), "past");
    write_set(set("past-valid"), learnable(40, true, 4), "before");
  }
  static void TearDownTestSuite() { delete sets_; }
  static fs::path set(const std::string& name) { return sets_->path() / name; }

  fs::path file(const std::string& name) const { return directory_.path() / name; }

  /// Runs bough-train in a directory of the test's own.
  Finished train(const std::string& arguments, const std::function<void(int)>& while_running = {}) const {
    std::vector<std::string> words = words_of(arguments);
    words.insert(words.begin(), BOUGH_TRAIN_EXECUTABLE);
    return run_program(words, directory_.path(), while_running);
  }
  Finished train_now(const std::string& arguments, const std::function<void(int)>& while_running = {}) const {
    return train(std::format("--data {} --valid {} {}", set("now").string(), set("now-valid").string(), arguments), while_running);
  }

  static inline TemporaryDirectory* sets_ = nullptr;
  TemporaryDirectory directory_;
};

double last_top1(const Finished& run) { return json::parse(run.out).at("epochs").back().at("valid_top1").get<double>(); }

TEST_F(TrainingTest, EveryNetworkLearnsWhichFeatureDecides) {
  write_file(file("c.toml"), "d = 16\nbatch = 4\nlearning_rate = 5e-3\n");
  for (const std::string policy : {"gcnn", "gat", "tgat"}) {
    const Finished run = train_now(std::format("--policy {} --config c.toml --epochs 12 --json -o {}.safetensors", policy, policy));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_GT(last_top1(run), 0.8) << policy;  // guessing gives 0.15

    const Finished tested = train(std::format("--test {}.safetensors --data {} --json", policy, set("now-valid").string()));
    ASSERT_EQ(tested.exit_code, 0) << tested.err;
    const json result = json::parse(tested.out);
    const json training = json::parse(read_model(file(policy + ".safetensors")).training);
    EXPECT_EQ(result.at("top1"), training.at("best").at("top1")) << "the model is the best epoch's";
    EXPECT_NEAR(result.at("loss").get<double>(), training.at("best").at("loss").get<double>(), 1e-9);
  }
}

// The same episodes as a second pass over the same instances tell nothing new.  As instances of their own they would make the errors smaller, by
// about the square root of two.
TEST_F(TrainingTest, ASecondPassMakesStandardErrorsNoSmaller) {
  ASSERT_EQ(train_now("--epochs 1 -q -o m.safetensors").exit_code, 0);
  const std::vector<Episode> once = learnable(8, false, 5);
  std::vector<Episode> twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  write_set(file("once"), once, "i");
  write_set(file("twice"), twice, "i", once.size());
  const auto tested = [&](const char* set) { return json::parse(train(std::format("--test m.safetensors --data {} --json", set)).out); };
  const json first = tested("once"), both = tested("twice");
  EXPECT_GT(first.at("loss_standard_error").get<double>(), 0);
  EXPECT_EQ(both.at("states").get<int>(), 2 * first.at("states").get<int>());
  for (const char* figure : {"loss", "loss_standard_error", "top1", "top1_standard_error"}) EXPECT_NEAR(both.at(figure).get<double>(), first.at(figure).get<double>(), 1e-6) << figure;  // sums of floats in another order
}

TEST_F(TrainingTest, OneInstanceHasNoStandardErrors) {
  ASSERT_EQ(train_now("--epochs 1 -q -o m.safetensors").exit_code, 0);
  write_set(file("one"), learnable(1, false, 5), "i");
  const json result = json::parse(train("--test m.safetensors --data one --json").out);
  EXPECT_TRUE(result.at("top1").is_number());
  EXPECT_TRUE(result.at("top1_standard_error").is_null()) << "0 would be certainty";
  EXPECT_NE(train("--test m.safetensors --data one").out.find("one instance says nothing of others"), std::string::npos);
}

TEST_F(TrainingTest, OnlyAMemoryLearnsWhatOneStateDoesNotShow) {
  write_file(file("c.toml"), "d = 16\nbatch = 4\nlearning_rate = 5e-3\n");
  const auto top1 = [&](const std::string& policy) {
    const Finished run = train(std::format("--data {} --valid {} --policy {} --config c.toml --epochs 25 --json -o {}.safetensors", set("past").string(), set("past-valid").string(), policy, policy));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return last_top1(run);
  };
  EXPECT_LT(top1("gat"), 0.4);
  EXPECT_GT(top1("tgat"), 0.6);
  const auto tested = [&](const std::string& history) {
    const Finished run = train(std::format("--test tgat.safetensors --data {} --history {} --json", set("past-valid").string(), history));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(run.out).at("top1").get<double>();
  };
  EXPECT_GT(tested("full"), 0.6);
  EXPECT_LT(tested("zeroed"), 0.4);
  EXPECT_LT(tested("shuffled"), 0.4);
}

TEST_F(TrainingTest, TheSameSeedGivesTheSameBytesWithAnyNumberOfThreads) {
  const auto bytes = [&](const std::string& name, const std::string& arguments) {
    const Finished run = train_now(std::format("--epochs 2 -q -o {}.safetensors {}", name, arguments));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read_file(file(name + ".safetensors"));
  };
  const std::string one = bytes("one", "--seed 3 --threads 1");
  EXPECT_EQ(one, bytes("same", "--seed 3 --threads 1"));
  EXPECT_EQ(one, bytes("threads", "--seed 3 --threads 3"));
  EXPECT_NE(one, bytes("other", "--seed 4 --threads 1"));
}

TEST_F(TrainingTest, WritesMetricsCurveConfigurationAndARecordInTheModel) {
  const Finished run = train_now("--policy gat --epochs 3 -o m.safetensors");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("top-1"), std::string::npos);
  std::size_t lines = 0;
  const std::string metrics = read_file(file("m.metrics.jsonl"));
  for (std::size_t at = 0; at < metrics.size(); at = metrics.find('\n', at) + 1) {
    const json line = json::parse(metrics.substr(at, metrics.find('\n', at) - at));
    EXPECT_EQ(line.at("epoch"), ++lines);
    for (const char* key : {"train_loss", "train_top1", "train_top5", "valid_loss", "valid_top1", "valid_top3", "valid_top5", "valid_top10", "learning_rate", "states_per_second", "seconds"}) {
      EXPECT_TRUE(line.contains(key)) << key;
    }
  }
  EXPECT_EQ(lines, 3U);
  EXPECT_TRUE(read_file(file("m.svg")).starts_with("<svg"));
  EXPECT_FALSE(fs::exists(file("m.checkpoint.safetensors"))) << "the run has ended";

  const Model model = read_model(file("m.safetensors"));
  const json training = json::parse(model.training);
  EXPECT_EQ(training.at("config").at("network"), "gat");
  EXPECT_EQ(training.at("train").at("set"), "now");
  EXPECT_EQ(training.at("train").at("labels"), 360);
  EXPECT_EQ(training.at("valid").at("instances"), 20);
  EXPECT_EQ(training.at("train").at("manifest_sha256"), sha256_of_file(set("now") / "manifest.jsonl"));
  EXPECT_EQ(training.at("epochs"), 3);
  EXPECT_EQ(model.training.find(sets_->path().string()), std::string::npos) << "no absolute paths";

  // The resolved configuration is a configuration file for the same model.
  const Finished again = train_now("--config m.config.toml -q -o again.safetensors");
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(read_file(file("again.safetensors")), read_file(file("m.safetensors")));
}

TEST_F(TrainingTest, KilledAtAnyMomentAndResumedItEndsWithTheSameModel) {
  write_file(file("c.toml"), "batch = 2\nepochs = 4\naverage = 0.9\n");
  const auto command = [](const std::string& name) { return std::format("--policy tgat --config c.toml --checkpoint-interval 0 -q -o {}.safetensors", name); };
  ASSERT_EQ(train_now(command("whole")).exit_code, 0);
  Rng rng("kill", 0);
  int n_kills = 0;
  for (;;) {
    const bool begun = fs::exists(file("killed.checkpoint.safetensors"));
    const Finished run = train_now(command("killed") + (begun ? " --resume" : n_kills > 0 ? " --force" : ""), [&](int pid) {
      if (n_kills >= 6) return;
      // Once it writes, so that every attempt gets further; then at any moment.
      const auto stamp = [&] { std::error_code ignored; return fs::last_write_time(file("killed.checkpoint.safetensors"), ignored); };
      const auto before = stamp();
      for (int i = 0; i < 2000 && stamp() == before; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::this_thread::sleep_for(std::chrono::milliseconds(rng.integer(0, 150)));
      ::kill(pid, SIGKILL);
    });
    if (run.exit_code == 0) break;
    ASSERT_EQ(run.exit_code, 128 + SIGKILL) << run.err;
    ++n_kills;
  }
  EXPECT_GE(n_kills, 3) << "it was too fast for the test";
  EXPECT_EQ(read_file(file("killed.safetensors")), read_file(file("whole.safetensors")));
  std::size_t lines = 0;
  for (const char c : read_file(file("killed.metrics.jsonl"))) lines += c == '\n';
  EXPECT_EQ(lines, 4U);
}

TEST_F(TrainingTest, AForcedRunCanBeResumedFromItsFirstMoment) {
  ASSERT_EQ(train_now("--epochs 1 -q -o m.safetensors").exit_code, 0);
  const Finished killed = train_now("--epochs 4 --force --checkpoint-interval 1000 -q -o m.safetensors", [&](int pid) {
    for (int i = 0; i < 10000 && !fs::exists(file("m.checkpoint.safetensors")); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::kill(pid, SIGKILL);
  });
  ASSERT_EQ(killed.exit_code, 128 + SIGKILL) << killed.err;
  const Finished resumed = train_now("--epochs 4 --checkpoint-interval 1000 --resume -q -o m.safetensors");
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  ASSERT_EQ(train_now("--epochs 4 -q -o whole.safetensors").exit_code, 0);
  EXPECT_EQ(read_file(file("m.safetensors")), read_file(file("whole.safetensors")));
}

TEST_F(TrainingTest, AnInterruptLeavesACheckpointAndSaysHowToGoOn) {
  write_file(file("c.toml"), "early_stop = 1000\n");
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string name = std::format("m{}", signal);
    const Finished run = train_now(std::format("--epochs 1000 --config c.toml --checkpoint-interval 0 -o {}.safetensors", name), [&](int pid) {
      for (int i = 0; i < 2000 && !fs::exists(file(name + ".checkpoint.safetensors")); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ::kill(pid, signal);
    });
    EXPECT_EQ(run.exit_code, 128 + signal) << run.err;
    EXPECT_NE(run.err.find("--resume"), std::string::npos) << run.err;
    EXPECT_TRUE(fs::exists(file(name + ".checkpoint.safetensors")));
    EXPECT_FALSE(fs::exists(file(name + ".safetensors")));
  }
}

struct Refusal {
  std::string arguments;
  int exit_code;
  std::string message;  ///< a part of it
};

TEST_F(TrainingTest, RefusesWhatItCannotLearnFromWithAReason) {
  const auto write = [&](const std::string& name, std::vector<Episode> episodes) { write_set(file(name), episodes, name); };
  std::vector<Episode> none = learnable(3, false, 5), tied = learnable(3, false, 6);
  for (Episode& episode : none) {
    for (State& state : episode.states) state.label.reset();
  }
  for (Episode& episode : tied) relabel(episode, [](auto, auto, auto) { return 1.0; });
  write("none", none);
  write("tied", tied);
  write_set(file("overlap"), learnable(3, false, 7), "now");
  write("tiny", learnable(1, false, 8));
  write("foreign", learnable(1, false, 9));
  write_file(file("foreign/set.json"), R"({"request": {"schema": "other/9", "features": "gasse-19-5-1/1"}})");
  write_file(file("exists.safetensors"), "a model");
  write_file(file("unknown.toml"), "epochs = 3\n\nlerning_rate = 1\n");
  write_file(file("type.toml"), "epochs = \"many\"\n");
  write_file(file("range.toml"), "d = 20\n");
  write_file(file("choice.toml"), "network = \"mlp\"\n");
  write_file(file("broken.toml"), "epochs = \n");
  const std::string now = set("now").string(), valid = set("now-valid").string();
  const std::vector<Refusal> refusals{
      {"-o m.safetensors", 2, "--data"},
      {"--data " + now, 2, "-o MODEL"},
      {"--data " + now + " -o m.safetensors --policy mlp", 2, "mlp"},
      {"--data " + now + " -o m.safetensors --resume --force", 2, "exclude"},
      {"--data nowhere -o m.safetensors", 66, "nowhere"},
      {"--data foreign --valid " + valid + " -o m.safetensors", 65, "other/9"},
      {"--data none --valid " + valid + " -o m.safetensors", 65, "no labelled states"},
      {"--data " + now + " --valid none -o m.safetensors", 65, "no labelled states"},
      {"--data tied --valid " + valid + " -o m.safetensors", 65, "nothing to learn"},
      {"--data " + now + " --valid overlap -o m.safetensors", 65, "share an instance: now-0"},
      {"--data tiny -o m.safetensors", 65, "no labelled states in the instances"},
      {"--data " + now + " --valid " + valid + " --states 100000 -o m.safetensors", 65, "100000 wanted"},
      {"--data " + now + " --valid " + valid + " -o nowhere/m.safetensors", 73, "nowhere"},
      {"--data " + now + " --valid " + valid + " -o exists.safetensors", 73, "--force"},
      {"--data " + now + " --valid " + valid + " -o m.safetensors --resume", 66, "no m.checkpoint.safetensors"},
      {"--data " + now + " -o m.safetensors --config missing.toml", 66, "missing.toml"},
      {"--data " + now + " -o m.safetensors --config unknown.toml", 65, "unknown.toml:3: unknown key \"lerning_rate\""},
      {"--data " + now + " -o m.safetensors --config unknown.toml", 65, "learning_rate, patience"},
      {"--data " + now + " -o m.safetensors --config type.toml", 65, "type.toml:1: epochs: expected a whole number"},
      {"--data " + now + " -o m.safetensors --config range.toml", 65, "multiple of 16"},
      {"--data " + now + " -o m.safetensors --config choice.toml", 65, "gcnn, gat, tgat"},
      {"--data " + now + " -o m.safetensors --config broken.toml", 65, "broken.toml:1"},
      {"--test nowhere.safetensors --data " + now, 66, "nowhere.safetensors"},
      {"--test exists.safetensors --data " + now, 65, "exists.safetensors"},
      {"--data " + now + " --history zeroed -o m.safetensors", 2, "--test"},
  };
  for (const Refusal& refusal : refusals) {
    const Finished run = train(refusal.arguments + " -q");
    EXPECT_EQ(run.exit_code, refusal.exit_code) << refusal.arguments << "\n" << run.err;
    EXPECT_NE(run.err.find(refusal.message), std::string::npos) << refusal.arguments << "\n" << run.err;
    EXPECT_TRUE(run.err.starts_with("bough: ")) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_FALSE(fs::exists(file("m.safetensors")));
  }
  EXPECT_EQ(read_file(file("exists.safetensors")), "a model");
}

TEST_F(TrainingTest, AnotherRunsCheckpointIsRefusedAndForceReplacesIt) {
  // A checkpoint of a run that was interrupted after its first batch.
  const auto interrupted = [&](int pid) {
    for (int i = 0; i < 2000 && !fs::exists(file("m.checkpoint.safetensors")); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ::kill(pid, SIGTERM);
  };
  ASSERT_EQ(train_now("--epochs 5 --checkpoint-interval 0 -q -o m.safetensors", interrupted).exit_code, 143);
  const Finished plain = train_now("--epochs 5 -q -o m.safetensors");
  EXPECT_EQ(plain.exit_code, 73);
  EXPECT_NE(plain.err.find("--resume goes on"), std::string::npos) << plain.err;
  const Finished other_seed = train_now("--epochs 5 --seed 9 --resume -q -o m.safetensors");
  EXPECT_EQ(other_seed.exit_code, 65);
  EXPECT_NE(other_seed.err.find("config seed was 0, now it is 9"), std::string::npos) << other_seed.err;
  const Finished other_data = train(std::format("--data {} --valid {} --epochs 5 --resume -q -o m.safetensors", set("past").string(), set("now-valid").string()));
  EXPECT_EQ(other_data.exit_code, 65);
  EXPECT_EQ(train_now("--epochs 2 --force -q -o m.safetensors").exit_code, 0);
  EXPECT_FALSE(fs::exists(file("m.checkpoint.safetensors")));
}

TEST_F(TrainingTest, ACheckpointThatNoRunCouldHaveMadeIsRefused) {
  ASSERT_EQ(train_now("--epochs 1 -q -o m.safetensors").exit_code, 0);
  Checkpoint good{};
  good.run = "{}";
  good.model = read_model(file("m.safetensors"));
  const std::size_t n = n_parameters(good.model.architecture);
  for (auto* weights : {&good.first_moment, &good.second_moment, &good.best}) weights->resize(n);
  good.epochs.resize(1);
  good.epochs[0].epoch = 1;
  const auto refused = [&](auto&& damage) {
    Checkpoint bad = good;
    damage(bad);
    write_checkpoint(file("c.safetensors"), bad);
    try {
      (void)read_checkpoint(file("c.safetensors"));
      return false;
    } catch (const Error& error) {
      return error.code() == ExitCode::bad_input;
    }
  };
  EXPECT_FALSE(refused([](Checkpoint&) {}));
  EXPECT_TRUE(refused([](Checkpoint& c) { c.epochs[0].epoch = 100'000'000; }));
  EXPECT_TRUE(refused([](Checkpoint& c) { c.batch = -1; }));
  EXPECT_TRUE(refused([](Checkpoint& c) { c.best.clear(); }));
}

TEST_F(TrainingTest, AFullDiskIsAnErrorAndLeavesThePreviousModel) {
  write_file(file("m.safetensors"), "the previous one");
  // Files may not grow past 4 KB: a checkpoint's write fails as it does on a full disk.
  const Finished full = run_program({"sh", "-c", std::format("trap '' XFSZ; ulimit -f 8; exec '{}' --data '{}' --valid '{}' --epochs 1 --force -q -o m.safetensors", BOUGH_TRAIN_EXECUTABLE,
                                                             set("now").string(), set("now-valid").string())}, directory_.path());
  EXPECT_EQ(full.exit_code, 73) << full.err;
  EXPECT_TRUE(full.err.contains("cannot write") && full.err.contains("m.checkpoint.safetensors")) << full.err;
  EXPECT_EQ(read_file(file("m.safetensors")), "the previous one");
  for (const auto& entry : fs::directory_iterator(directory_.path())) EXPECT_TRUE(entry.path().filename().string().starts_with("m.")) << entry.path();
  EXPECT_FALSE(fs::exists(file("m.checkpoint.safetensors")));
}

TEST_F(TrainingTest, WithoutAValidationSetInstancesAreSplit) {
  const Finished run = train(std::format("--data {} --epochs 1 --json -o m.safetensors", set("now").string()));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.err.find("--valid"), std::string::npos) << "it says so";
  const json result = json::parse(run.out);
  EXPECT_TRUE(result.at("split").get<bool>());
  const Dataset whole = Dataset::open(set("now"));
  EXPECT_EQ(result.at("train_labels"), whole.part(Split::train).n_labels());
  EXPECT_EQ(result.at("valid_labels"), whole.part(Split::valid).n_labels());
}

// Two sets are trained on as if they had been collected into one.
TEST_F(TrainingTest, SeveralSetsAreReadAsOne) {
  const std::vector<Episode> all = learnable(60, false, 1);
  write_set(file("a"), std::vector(all.begin(), all.begin() + 25), "now");
  write_set(file("b"), std::vector(all.begin() + 25, all.end()), "then");
  const std::string options = std::format(" --valid {} --epochs 1 --json -q -o ", set("now-valid").string());
  const Finished one = train("--data " + set("now").string() + options + "one.safetensors"), two = train("--data a --data b" + options + "two.safetensors");
  ASSERT_EQ(one.exit_code, 0) << one.err;
  ASSERT_EQ(two.exit_code, 0) << two.err;
  const Model whole = read_model(file("one.safetensors")), parts = read_model(file("two.safetensors"));
  EXPECT_EQ(whole.tensors, parts.tensors);
  EXPECT_EQ(json::parse(parts.training)["train"]["set"], "a + b");
  EXPECT_EQ(json::parse(parts.training)["train"]["labels"], json::parse(whole.training)["train"]["labels"]);
  EXPECT_EQ(train("--data a --data ./a" + options + "no.safetensors").exit_code, 2) << "the same set twice";
}

TEST_F(TrainingTest, TheFirstStatesAloneMakeALearningCurve) {
  const Finished run = train_now("--states 20 --epochs 1 --json -o m.safetensors");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out).at("train_labels"), 24) << "four episodes of six";
}

TEST_F(TrainingTest, LogitsOfAllStatesCanBeWritten) {
  ASSERT_EQ(train(std::format("--data {} --valid {} --epochs 1 -q -o m.safetensors", set("past").string(), set("past-valid").string())).exit_code, 0);
  ASSERT_EQ(train(std::format("--test m.safetensors --data {} --logits l.safetensors", set("past-valid").string())).exit_code, 0);
  const SafeTensors logits = SafeTensors::parse(read_file(file("l.safetensors")), "l");
  const Dataset dataset = Dataset::open(set("past-valid"));
  const Learner<float> network(read_model(file("m.safetensors")));
  TermsCache cache;
  Packer packer(cache);
  for (std::size_t e = 0; e < dataset.episodes().size(); ++e) {
    const auto windows = windows_of(dataset.load(e));
    const auto start = logits.vector<std::int64_t>(std::format("episode-{}.start", e));
    const auto values = logits.vector<float>(std::format("episode-{}.logits", e));
    const auto& states = windows[0].episode->states;
    ASSERT_EQ(start.size(), states.size() + 1) << "unlabelled ones too";
    for (std::size_t s = 0; s < states.size(); ++s) EXPECT_EQ(static_cast<std::size_t>(start[s + 1] - start[s]), states[s].candidates.size());
    Scores<float> scores;
    network.score(packer.pack(windows, {.memory = 4, .history = History::full, .score_all = true}), scores);
    ASSERT_EQ(values.size(), scores.logits.size());
    for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(values[k], scores.logits[k], 1e-5F);
  }
}

TEST(ScheduleTest, TheRateShrinksAndTrainingEndsWhenTheLossStalls) {
  Config config;
  config.epochs = 100;
  config.patience = 2;
  config.early_stop = 5;
  std::vector<EpochRecord> epochs;
  const auto add = [&](double loss, std::int64_t hits) {
    EpochRecord record;
    record.epoch = static_cast<int>(epochs.size()) + 1;
    record.valid = {.n = 10, .loss = loss, .hits = {hits}};
    epochs.push_back(record);
    return schedule(config, epochs);
  };
  EXPECT_EQ(schedule(config, {}).learning_rate, 1e-3);
  EXPECT_EQ(add(20, 3).best_epoch, 1);
  EXPECT_EQ(add(10, 5).best_epoch, 2);
  EXPECT_EQ(add(11, 5).best_epoch, 2) << "the lower loss decides";
  EXPECT_DOUBLE_EQ(add(12, 4).learning_rate, 2e-4);
  EXPECT_EQ(add(12, 6).best_epoch, 5) << "accuracy selects, not loss";
  EXPECT_DOUBLE_EQ(add(12, 4).learning_rate, 4e-5);
  EXPECT_FALSE(schedule(config, epochs).over);
  EXPECT_TRUE(add(12, 4).over) << "five epochs without a lower loss";
  config.epochs = 3;
  EXPECT_TRUE(schedule(config, {epochs.begin(), epochs.begin() + 3}).over);
  config.select = Select::loss;
  EXPECT_EQ(schedule(config, epochs).best_epoch, 2);
}

}  // namespace
}  // namespace bough::test
