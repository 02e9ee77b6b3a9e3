// SPDX-License-Identifier: Apache-2.0
#include "bough/dataset/inspect.hpp"

#include <algorithm>
#include <format>

#include "bough/dataset/episode.hpp"
#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/journal.hpp"

namespace bough {
namespace {

Episode verified_episode(const Manifest& manifest, const ManifestEntry& entry) {
  const auto path = manifest.shard_path(entry);
  if (sha256_of_file(path) != entry.sha256) throw Error(ExitCode::bad_input, "its SHA-256 is not the one in the manifest");
  Episode episode = read_shard(path);
  const auto equal = [](std::size_t got, std::int64_t expected, const char* what) {
    if (static_cast<std::int64_t>(got) != expected) throw Error(ExitCode::bad_input, std::format("it has {} {}, the manifest says {}", got, what, expected));
  };
  equal(episode.states.size(), entry.n_states, "states");
  equal(episode.n_labels(), entry.n_labels, "labels");
  equal(episode.n_windows(), entry.n_windows, "windows");
  return episode;
}

void count(const Episode& episode, SetReport& report) {
  report.n_states += static_cast<std::int64_t>(episode.states.size());
  report.n_labels += static_cast<std::int64_t>(episode.n_labels());
  report.n_windows += static_cast<std::int64_t>(episode.n_windows());
  report.n_topologies += static_cast<std::int64_t>(episode.topologies.size());
  std::int64_t n_counted = report.n_labels - static_cast<std::int64_t>(episode.n_labels());
  for (const State& state : episode.states) {
    if (!state.label) continue;
    ++report.candidates[static_cast<std::int64_t>(state.candidates.size())];
    ++report.depths[state.depth];
    const auto n_best = std::ranges::count(state.label->best, 1);
    ++report.ties[n_best];
    ++n_counted;
    report.chance += (static_cast<double>(n_best) / static_cast<double>(state.candidates.size()) - report.chance) / static_cast<double>(n_counted);
  }
}

}  // namespace

SetReport inspect_set(const std::filesystem::path& directory, const std::function<void(std::size_t, std::size_t)>& on_progress) {
  SetReport report;
  report.description = read_set_description(directory);
  const Manifest manifest = Manifest::read(directory);
  std::size_t n_done = 0;
  for (const ManifestEntry& entry : manifest.entries()) {
    if (on_progress) on_progress(++n_done, manifest.entries().size());
    report.n_quarantined += entry.end == "quarantined" ? 1 : 0;
    if (!entry.has_episode()) continue;
    ++report.n_episodes;
    ++report.ends[entry.end];
    for (const auto& [reason, n] : entry.unlabelled) report.unlabelled[reason] += n;
    if (entry.n_states == 0) {
      ++report.n_empty;
      continue;
    }
    try {
      count(verified_episode(manifest, entry), report);
      report.bytes += entry.bytes;
    } catch (const Error& error) {
      report.damaged.push_back({entry.shard, error.what()});
    }
  }
  return report;
}

void set_aside(const std::filesystem::path& directory, const std::vector<Damage>& damaged) {
  const DirectoryLock lock(directory, "collecting into");
  Manifest manifest = Manifest::read(directory);
  std::vector<ManifestEntry> kept = manifest.entries();
  std::erase_if(kept, [&](const ManifestEntry& entry) { return entry.n_states > 0 && std::ranges::contains(damaged, entry.shard, &Damage::shard); });
  manifest.rewrite(std::move(kept));  // first: a shard that no line names does no harm
  const auto aside = directory / "damaged";
  make_directories(aside);
  std::error_code error;
  for (const Damage& damage : damaged) {
    const auto path = directory / "shards" / damage.shard;
    if (std::filesystem::exists(path)) std::filesystem::rename(path, aside / damage.shard, error);
    if (error) throw Error(ExitCode::cannot_write, std::format("cannot move {} to {}: {}", path.string(), aside.string(), error.message()));
  }
}

}  // namespace bough
