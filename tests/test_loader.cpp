// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bough/dataset/loader.hpp"
#include "bough/error.hpp"
#include "bough/file.hpp"
#include "tests/sets.hpp"

namespace bough::test {
namespace {

/// One small set for all tests of this file.
class LoaderTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TemporaryDirectory;
    CollectRequest request = small_request(directory_->path() / "set", "loadbalance", 20);
    request.n_workers = 2;
    collect(request);
  }
  static void TearDownTestSuite() { delete directory_; }
  static std::filesystem::path set() { return directory_->path() / "set"; }

  static inline TemporaryDirectory* directory_ = nullptr;
};

using Key = std::pair<std::string, std::size_t>;  // instance, window

std::vector<std::vector<Key>> epoch_of(Loader& loader, std::uint64_t epoch, std::size_t first_batch = 0) {
  std::vector<std::vector<Key>> batches;
  loader.start(epoch, first_batch);
  for (auto batch = loader.next(); !batch.empty(); batch = loader.next()) {
    batches.emplace_back();
    for (const Window& window : batch) batches.back().emplace_back(window.episode->metadata.at("instance"), window.index);
  }
  return batches;
}

std::vector<Key> flat(const std::vector<std::vector<Key>>& batches) {
  std::vector<Key> all;
  for (const auto& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

TEST_F(LoaderTest, EveryWindowComesOnceAnEpochInAnOrderOfSeedAndEpochWhateverFitsIntoMemory) {
  const Dataset dataset = Dataset::open(set());
  ASSERT_GT(dataset.n_windows(), 30);
  for (const std::size_t pool_bytes : {std::size_t{1}, static_cast<std::size_t>(dataset.raw_bytes() / 4), std::size_t{1} << 30U}) {
    Loader loader(dataset, {.batch_size = 7, .seed = 3, .pool_bytes = pool_bytes});
    const auto batches = epoch_of(loader, 0);
    EXPECT_EQ(batches.size(), loader.n_batches());
    for (std::size_t b = 0; b + 1 < batches.size(); ++b) EXPECT_EQ(batches[b].size(), 7U);
    std::vector<Key> all = flat(batches);
    EXPECT_EQ(std::set<Key>(all.begin(), all.end()).size(), static_cast<std::size_t>(dataset.n_windows()));
    EXPECT_EQ(all.size(), static_cast<std::size_t>(dataset.n_windows()));

    EXPECT_NE(epoch_of(loader, 1), batches) << "another epoch, another order";
    EXPECT_EQ(epoch_of(loader, 0), batches) << "the same epoch, the same order";
    Loader other(dataset, {.batch_size = 7, .seed = 4, .pool_bytes = pool_bytes});
    EXPECT_NE(epoch_of(other, 0), batches) << "another seed, another order";
  }
}

TEST_F(LoaderTest, AnEpochCanBeginAtAnyBatch) {
  const Dataset dataset = Dataset::open(set());
  for (const std::size_t pool_bytes : {static_cast<std::size_t>(dataset.raw_bytes() / 5), std::size_t{1} << 30U}) {
    Loader loader(dataset, {.batch_size = 5, .seed = 1, .pool_bytes = pool_bytes});
    const auto whole = epoch_of(loader, 9);
    for (std::size_t first = 0; first <= whole.size(); ++first) {
      EXPECT_EQ(epoch_of(loader, 9, first), std::vector(whole.begin() + static_cast<std::ptrdiff_t>(first), whole.end())) << "from batch " << first;
    }
  }
}

TEST_F(LoaderTest, WithoutShufflingWindowsComeInTheOrderOfTheInstances) {
  const Dataset dataset = Dataset::open(set());
  Loader loader(dataset, {.batch_size = 4, .shuffle = false});
  std::vector<Key> expected;
  for (const ManifestEntry& entry : dataset.episodes()) {
    for (std::size_t w = 0; w < static_cast<std::size_t>(entry.n_windows); ++w) expected.emplace_back(entry.instance, w);
  }
  EXPECT_EQ(flat(epoch_of(loader, 0)), expected);
}

TEST_F(LoaderTest, AWindowGivesTheStatesOfItsShard) {
  const Dataset dataset = Dataset::open(set());
  Loader loader(dataset, {.batch_size = 3});
  loader.start(0);
  for (const Window& window : loader.next()) {
    const Episode episode = read_shard(set() / "shards" / (window.episode->metadata.at("instance") + ".safetensors.zst"));
    ASSERT_LE(window.states().size(), 3U);
    for (std::size_t s = 0; s < window.states().size(); ++s) {
      EXPECT_TRUE(window.states()[s] == episode.states[static_cast<std::size_t>(episode.window_start[window.index]) + s]);
      EXPECT_EQ(window.topology(window.states()[s]).n_variables() * n_variable_features, window.states()[s].variable_features.size());
    }
  }
}

TEST_F(LoaderTest, PartsAreSplitByInstance) {
  const Dataset dataset = Dataset::open(set());
  std::set<std::string> seen;
  std::int64_t n_labels = 0;
  for (const Split split : {Split::train, Split::valid, Split::test}) {
    const Dataset part = dataset.part(split);
    n_labels += part.n_labels();
    for (const ManifestEntry& entry : part.episodes()) {
      EXPECT_TRUE(seen.insert(entry.instance).second) << entry.instance << " is in two parts";
      EXPECT_EQ(split_of(entry.instance), split) << entry.instance;
    }
  }
  EXPECT_EQ(n_labels, dataset.n_labels());
}

TEST_F(LoaderTest, ADamagedShardIsAnErrorThatNamesIt) {
  const TemporaryDirectory directory;
  std::filesystem::copy(set(), directory.path() / "set", std::filesystem::copy_options::recursive);
  const Dataset dataset = Dataset::open(directory.path() / "set");
  const auto shard = directory.path() / "set" / "shards" / dataset.episodes()[3].shard;
  std::filesystem::resize_file(shard, 50);
  Loader loader(dataset, {});
  loader.start(0);
  try {
    while (!loader.next().empty()) {}
    FAIL() << "the shard is cut";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_NE(std::string(error.what()).find(dataset.episodes()[3].shard), std::string::npos) << error.what();
  }
}

TEST_F(LoaderTest, WhatIsNoSetOrASetOfAnotherVersionIsRefused) {
  const TemporaryDirectory directory;
  EXPECT_THROW(Dataset::open(directory.path()), Error);
  for (const char* text : {"", "[]", "{}", "{\"request\": 3}", R"({"request": {"schema": "bough-set/9", "features": "gasse-19-5-1/1"}})",
                           R"({"request": {"schema": "bough-set/1", "features": "gasse-17-5-1/1"}})"}) {
    write_file(directory.path() / "set.json", text);
    write_file(directory.path() / "manifest.jsonl", "");
    EXPECT_THROW(Dataset::open(directory.path()), Error) << text;
  }
  write_file(directory.path() / "set.json", R"({"request": {"schema": "bough-set/1", "features": "gasse-19-5-1/1"}})");
  const Dataset empty = Dataset::open(directory.path());
  Loader loader(empty, {});
  EXPECT_EQ(loader.n_batches(), 0U);
  loader.start(0);
  EXPECT_TRUE(loader.next().empty());
}

}  // namespace
}  // namespace bough::test
