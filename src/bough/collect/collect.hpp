// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bough/collect/sampler.hpp"
#include "bough/dataset/manifest.hpp"
#include "bough/instance/source.hpp"

namespace bough {

struct CollectProgress {
  std::int64_t n_labels = 0;
  std::int64_t n_episodes = 0;
  std::int64_t n_planned = 0;  ///< episodes, if all are needed
  std::map<std::string, std::int64_t> unlabelled{};
};

/// A set to collect: one episode for each instance and pass, all instances once before any a second time, until there are enough labels.
struct CollectRequest {
  std::filesystem::path instances;             ///< a folder of instance files; or, if empty:
  SeedRange seeds;
  std::filesystem::path output;
  std::optional<std::int64_t> n_labels{};      ///< the set is the shortest prefix of the episodes that has this many; all if empty
  std::int64_t n_passes = 1;                   ///< how often every instance is solved, each time with its rows and columns in another order
  std::optional<Split> split{};                ///< only the instances of this part
  std::vector<std::string> only{};             ///< only the instances with these names; empty: all
  Sampling sampling{};
  std::string explorer = "pscost";
  std::string explorer_sha256{};               ///< of its file, if it is a model
  std::function<std::unique_ptr<Policy>(std::uint64_t seed)> make_explorer;
  Settings settings{};                         ///< its time limit is a safety net: an episode that meets it is marked
  std::uint64_t seed = 0;
  int n_workers = 1;
  std::size_t memory_limit_mb = 8192;          ///< of one worker
  bool retry = false;                          ///< give quarantined instances another chance
  std::function<void(const CollectProgress&)> on_progress{};
};

/// What is in the set now, and what this call did.
struct CollectSummary {
  std::vector<ManifestEntry> episodes;
  std::vector<ManifestEntry> quarantined;
  bool complete = false;      ///< as many labels as asked for, or every instance done
  std::int64_t n_new_labels = 0;
  std::int64_t n_new_episodes = 0;  ///< of which some may lie beyond the prefix and are not kept
  double wall_time_s = 0;
  double worker_time_s = 0;   ///< summed over the new episodes, like the next two
  double expert_time_s = 0;
  double own_time_s = 0;      ///< generating or reading, observing, packing, writing: everything but SCIP's solving
};

/// Collects, or goes on collecting, the set in `request.output`.
///
/// Every episode depends on its instance, its pass and request.seed alone, so the set's bytes are the same for any number of workers and
/// any number of interruptions.  An instance whose episode crashes or hangs three times, is killed ten times, or that cannot be read, is quarantined and
/// the rest goes on.  After a stop signal the summary is that of an incomplete set; the same request goes on from there.
///
/// Throws Error: usage if the directory holds a set of another request, cannot_write, missing_input if there are no instances.
CollectSummary collect(const CollectRequest& request);

}  // namespace bough
