// SPDX-License-Identifier: Apache-2.0
#include "bough/dataset/loader.hpp"

#include <algorithm>
#include <format>
#include <numeric>

#include "bough/error.hpp"
#include "bough/rng.hpp"

namespace bough {

Dataset Dataset::open(const std::filesystem::path& directory) {
  (void)read_set_description(directory);
  Dataset dataset;
  for (const ManifestEntry& entry : Manifest::read(directory).entries()) {
    if (entry.has_episode() && entry.n_states > 0) dataset.episodes_.push_back(entry);
  }
  dataset.directories_.assign(dataset.episodes_.size(), directory);
  return dataset;
}

void Dataset::append(const Dataset& other) {
  episodes_.insert(episodes_.end(), other.episodes_.begin(), other.episodes_.end());
  directories_.insert(directories_.end(), other.directories_.begin(), other.directories_.end());
}

Dataset Dataset::those(const std::function<bool(const ManifestEntry&)>& wanted) const {
  Dataset some;
  for (std::size_t e = 0; e < episodes_.size(); ++e) {
    if (!wanted(episodes_[e])) continue;
    some.episodes_.push_back(episodes_[e]);
    some.directories_.push_back(directories_[e]);
  }
  return some;
}

Dataset Dataset::part(Split split) const {
  return those([&](const ManifestEntry& entry) { return split_of(entry.instance) == split; });
}

Dataset Dataset::first(std::int64_t n_labels) const {
  std::int64_t n = 0;
  return those([&](const ManifestEntry& entry) {
    if (n >= n_labels) return false;
    n += entry.n_labels;
    return true;
  });
}

std::int64_t Dataset::n_windows() const {
  return std::accumulate(episodes_.begin(), episodes_.end(), std::int64_t{0}, [](std::int64_t sum, const ManifestEntry& e) { return sum + e.n_windows; });
}
std::int64_t Dataset::n_labels() const {
  return std::accumulate(episodes_.begin(), episodes_.end(), std::int64_t{0}, [](std::int64_t sum, const ManifestEntry& e) { return sum + e.n_labels; });
}
std::uint64_t Dataset::raw_bytes() const {
  return std::accumulate(episodes_.begin(), episodes_.end(), std::uint64_t{0}, [](std::uint64_t sum, const ManifestEntry& e) { return sum + e.raw_bytes; });
}

Episode Dataset::load(std::size_t episode) const {
  const ManifestEntry& entry = episodes_[episode];
  const auto path = Manifest(directories_[episode]).shard_path(entry);
  Episode read = read_shard(path);
  if (static_cast<std::int64_t>(read.n_windows()) != entry.n_windows) {
    throw Error(ExitCode::bad_input, std::format("{} is not the shard that the manifest describes", path.string()), "'bough inspect DIR' finds damaged shards");
  }
  return read;
}

std::size_t Loader::n_batches() const {
  const auto n = static_cast<std::size_t>(dataset_.n_windows());
  return (n + options_.batch_size - 1) / options_.batch_size;
}

void Loader::start(std::uint64_t epoch, std::size_t first_batch) {
  Rng rng(std::format("epoch {}", epoch), options_.seed);
  const bool fits = dataset_.raw_bytes() <= options_.pool_bytes;
  std::vector<std::size_t> order(dataset_.episodes().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (options_.shuffle && !fits) rng.shuffle_front(order, order.size());

  plans_.clear();
  std::uint64_t bytes = 0;
  for (const std::size_t e : order) {
    const ManifestEntry& entry = dataset_.episodes()[e];
    if (plans_.empty() || bytes + entry.raw_bytes > options_.pool_bytes) {
      plans_.emplace_back();
      bytes = 0;
    }
    bytes += entry.raw_bytes;
    Plan& plan = plans_.back();
    for (std::size_t w = 0; w < static_cast<std::size_t>(entry.n_windows); ++w) plan.windows.push_back({plan.episodes.size(), w});
    plan.episodes.push_back(e);
  }
  if (options_.shuffle) {
    for (Plan& plan : plans_) rng.shuffle_front(plan.windows, plan.windows.size());
  }

  std::size_t skip = first_batch * options_.batch_size;
  plan_ = 0;
  while (plan_ < plans_.size() && skip >= plans_[plan_].windows.size()) skip -= plans_[plan_++].windows.size();
  at_ = skip;
  if (plan_ == plans_.size()) return;
  if (fits && !whole_) whole_ = load_in_background(plan_);
  now_ = fits ? *whole_ : load_in_background(plan_);
  later_ = plan_ + 1 < plans_.size() ? load_in_background(plan_ + 1) : std::shared_future<Pool>();
}

std::vector<Window> Loader::next() {
  std::vector<Window> batch;
  while (batch.size() < options_.batch_size && plan_ < plans_.size()) {
    const Plan& plan = plans_[plan_];
    if (at_ == plan.windows.size()) {
      at_ = 0;
      if (++plan_ == plans_.size()) break;
      now_ = later_;
      later_ = plan_ + 1 < plans_.size() ? load_in_background(plan_ + 1) : std::shared_future<Pool>();
      continue;
    }
    const Place& place = plan.windows[at_++];
    batch.push_back({now_.get()[place.episode], place.window});
  }
  return batch;
}

std::shared_future<Loader::Pool> Loader::load_in_background(std::size_t plan) {
  return std::async(std::launch::async, [&dataset = dataset_, episodes = plans_[plan].episodes] {
           Pool pool;
           for (const std::size_t e : episodes) pool.push_back(std::make_shared<const Episode>(dataset.load(e)));
           return pool;
         }).share();
}

}  // namespace bough
