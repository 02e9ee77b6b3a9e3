// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bough/dataset/episode.hpp"
#include "bough/dataset/manifest.hpp"

namespace bough {

/// A collected set, or several one after the other, opened for reading: the episodes that have states, in the manifest's order.
class Dataset {
 public:
  /// Throws Error: missing_input, bad_input for another schema or feature set.
  static Dataset open(const std::filesystem::path& directory);

  void append(const Dataset& other);

  /// The episodes whose instances belong to this part: parts share no instance.
  [[nodiscard]] Dataset part(Split split) const;

  /// The first episodes that together have at least so many labelled states; all of them if there are fewer.
  [[nodiscard]] Dataset first(std::int64_t n_labels) const;

  [[nodiscard]] std::span<const ManifestEntry> episodes() const { return episodes_; }
  [[nodiscard]] std::int64_t n_windows() const;
  [[nodiscard]] std::int64_t n_labels() const;
  [[nodiscard]] std::uint64_t raw_bytes() const;
  [[nodiscard]] Episode load(std::size_t episode) const;

 private:
  [[nodiscard]] Dataset those(const std::function<bool(const ManifestEntry&)>& wanted) const;

  std::vector<ManifestEntry> episodes_;
  std::vector<std::filesystem::path> directories_;  // (n_episodes)  where each lies
};

/// A run of consecutive decisions of one episode, which it keeps alive.
struct Window {
  std::shared_ptr<const Episode> episode;
  std::size_t index = 0;

  [[nodiscard]] std::span<const State> states() const {
    const auto begin = static_cast<std::size_t>(episode->window_start[index]);
    return std::span(episode->states).subspan(begin, static_cast<std::size_t>(episode->window_start[index + 1]) - begin);
  }
  [[nodiscard]] const Topology& topology(const State& state) const { return episode->topologies[static_cast<std::size_t>(state.topology)]; }
};

/// Gives a set's windows in batches, every window once an epoch, in an order that depends on seed and epoch alone.
///
/// A set may be larger than memory: episodes are shuffled and cut into pools of at most `pool_bytes`, and windows are shuffled within
/// a pool, while the next pool is read in the background.  A set that fits into one pool is read once.
class Loader {
 public:
  struct Options {
    std::size_t batch_size = 32;  ///< windows; the last batch of an epoch may have fewer
    std::uint64_t seed = 0;
    bool shuffle = true;
    std::size_t pool_bytes = std::size_t{1} << 30U;
  };
  /// The dataset must outlive the loader.
  Loader(const Dataset& dataset, const Options& options) : dataset_(dataset), options_(options) {}

  [[nodiscard]] std::size_t n_batches() const;

  /// Begins an epoch at one of its batches.  What lies before it is not read.
  void start(std::uint64_t epoch, std::size_t first_batch = 0);

  /// The next batch; empty at the end of the epoch.  Throws Error if a shard cannot be read.
  std::vector<Window> next();

 private:
  using Pool = std::vector<std::shared_ptr<const Episode>>;
  struct Place {
    std::size_t episode;  ///< in the pool
    std::size_t window;
  };
  /// What a pool will hold, known without reading it.
  struct Plan {
    std::vector<std::size_t> episodes;
    std::vector<Place> windows;  ///< in the order they are given
  };
  std::shared_future<Pool> load_in_background(std::size_t plan);

  const Dataset& dataset_;
  Options options_;
  std::vector<Plan> plans_;
  std::size_t plan_ = 0;      ///< the one that is given now
  std::size_t at_ = 0;        ///< in its windows
  std::shared_future<Pool> now_;
  std::shared_future<Pool> later_;
  std::optional<std::shared_future<Pool>> whole_;  ///< a set that fits into one pool, in the manifest's order
};

}  // namespace bough
