// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "bough/dataset/loader.hpp"

namespace bough {

/// Collected sets, read as one, and what identifies them.
struct OpenSet {
  Dataset dataset;
  std::string name;      ///< the directories' own names, joined by " + "
  std::string manifest;  ///< SHA-256 of their manifest.jsonl, joined likewise
};
/// Precondition: at least one directory.  Throws Error: missing_input; bad_input for another schema and for a set without labelled states; usage for a
/// set that is given twice.
OpenSet open_set(std::span<const std::filesystem::path> directories);

/// Name, manifest and size: what a model records of the data it comes from.
nlohmann::ordered_json set_json(const OpenSet& set);

/// The data of a training run.
struct TrainingSets {
  OpenSet train, valid;
  bool split = false;  ///< both are parts of one set
};

/// Opens the sets of a run; without `valid`, the training set is split by instance.  `n_labels`: only the first episodes that
/// together have so many labelled states; 0: all.  Throws Error: as above; bad_input if the two share an instance or there are fewer labels.
TrainingSets open_training_sets(std::span<const std::filesystem::path> train, const std::optional<std::filesystem::path>& valid, std::int64_t n_labels);

}  // namespace bough
