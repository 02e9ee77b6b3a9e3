// SPDX-License-Identifier: Apache-2.0
#include "bough/train/sets.hpp"

#include <format>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/foreign_text.hpp"

namespace bough {
namespace {

namespace fs = std::filesystem;

std::string own_name(const fs::path& directory) {
  const fs::path absolute = fs::weakly_canonical(directory);
  const fs::path name = absolute.has_filename() ? absolute.filename() : absolute.parent_path().filename();
  require_utf8(name);
  return name.string();
}

void require_labels(const Dataset& dataset, std::string_view where, std::string_view part = {}) {
  if (dataset.n_labels() > 0) return;
  throw Error(ExitCode::bad_input, std::format("{}: no labelled states{}", where, part),
              part.empty() ? "collect some with 'bough collect'" : "give a set of its own with --valid, or collect more instances");
}

/// An instance is the same if its name is, or its file.
void refuse_overlap(const OpenSet& train, const OpenSet& valid) {
  std::set<std::string> names, files;
  for (const ManifestEntry& entry : train.dataset.episodes()) {
    names.insert(entry.instance);
    if (!entry.instance_sha256.empty()) files.insert(entry.instance_sha256);
  }
  for (const ManifestEntry& entry : valid.dataset.episodes()) {
    if (!names.contains(entry.instance) && !files.contains(entry.instance_sha256)) continue;
    throw Error(ExitCode::bad_input, std::format("the training set {} and the validation set {} share an instance: {}", train.name, valid.name, entry.instance),
                "accuracy on it would say nothing; validate on other instances, or collect with another --split");
  }
}

OpenSet open_one(const fs::path& directory) {
  (void)read_set_description(directory);  // says what is missing if it is not a set at all
  const fs::path manifest = directory / "manifest.jsonl";
  for (;;) {
    const std::string before = sha256_of_file(manifest);
    OpenSet set{Dataset::open(directory), own_name(directory), before};
    if (sha256_of_file(manifest) != before) continue;  // it is being collected and has just grown
    require_labels(set.dataset, directory.string());
    return set;
  }
}

}  // namespace

OpenSet open_set(std::span<const fs::path> directories) {
  OpenSet all = open_one(directories.front());
  std::set<std::string> known{all.manifest};
  for (const fs::path& directory : directories.subspan(1)) {
    const OpenSet set = open_one(directory);
    if (!known.insert(set.manifest).second) throw Error(ExitCode::usage, std::format("the set {} is given twice, or is a copy of another", directory.string()));
    all.dataset.append(set.dataset);
    all.name += " + " + set.name;
    all.manifest += " + " + set.manifest;
  }
  return all;
}

nlohmann::ordered_json set_json(const OpenSet& set) {
  std::set<std::string_view> instances;
  for (const ManifestEntry& entry : set.dataset.episodes()) instances.insert(entry.instance);
  return {{"set", set.name}, {"manifest_sha256", set.manifest}, {"instances", instances.size()}, {"windows", set.dataset.n_windows()}, {"labels", set.dataset.n_labels()}};
}

TrainingSets open_training_sets(std::span<const fs::path> train, const std::optional<fs::path>& valid, std::int64_t n_labels) {
  TrainingSets sets;
  sets.train = open_set(train);
  std::string where;  // as the caller wrote it
  for (const fs::path& directory : train) where += (where.empty() ? "" : " + ") + directory.string();
  sets.split = !valid;
  if (valid) {
    sets.valid = open_one(*valid);
  } else {
    sets.valid = sets.train;
    sets.valid.dataset = sets.train.dataset.part(Split::valid);
    sets.train.dataset = sets.train.dataset.part(Split::train);
    require_labels(sets.train.dataset, where, " in the instances that are for training");
    require_labels(sets.valid.dataset, where, " in the instances that are for validation");
  }
  refuse_overlap(sets.train, sets.valid);
  if (n_labels > 0) {
    sets.train.dataset = sets.train.dataset.first(n_labels);
    if (const std::int64_t n = sets.train.dataset.n_labels(); n < n_labels) {
      throw Error(ExitCode::bad_input, std::format("{}: {} labelled states to train on, {} wanted", where, n, n_labels), "collect more, or ask for fewer with --states");
    }
  }
  return sets;
}

}  // namespace bough
