// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bough/dataset/manifest.hpp"

namespace bough {

/// A shard that is not what the manifest says.
struct Damage {
  std::string shard;
  std::string problem;
};

/// What a set holds, every byte of it verified.
struct SetReport {
  std::string description;  ///< set.json as it is
  std::int64_t n_episodes = 0;
  std::int64_t n_empty = 0;  ///< episodes without a state: solved before the first window
  std::int64_t n_quarantined = 0;
  std::int64_t n_states = 0;
  std::int64_t n_labels = 0;
  std::int64_t n_windows = 0;
  std::int64_t n_topologies = 0;
  std::uint64_t bytes = 0;
  std::map<std::int64_t, std::int64_t> candidates{};  ///< number of candidates -> labelled states that have it
  std::map<std::int64_t, std::int64_t> depths{};      ///< depth -> labelled states
  std::map<std::int64_t, std::int64_t> ties{};        ///< size of the set of best candidates -> labelled states
  double chance = 0;                                  ///< accuracy of guessing: the mean share of the candidates that are best
  std::map<std::string, std::int64_t> unlabelled{};   ///< by reason
  std::map<std::string, std::int64_t> ends{};         ///< how episodes ended
  std::vector<Damage> damaged{};
};

/// Reads the whole set and verifies every checksum and every number.  Throws Error only if there is no set to look at.
SetReport inspect_set(const std::filesystem::path& directory, const std::function<void(std::size_t done, std::size_t total)>& on_progress = {});

/// Sets damaged shards aside, into DIR/damaged/, and takes them out of the manifest: the next `collect` collects them again.
void set_aside(const std::filesystem::path& directory, const std::vector<Damage>& damaged);

}  // namespace bough
