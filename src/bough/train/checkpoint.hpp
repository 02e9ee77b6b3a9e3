// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bough/model/model.hpp"
#include "bough/train/evaluate.hpp"

namespace bough {

/// One epoch of a run: a line of the metrics file.
struct EpochRecord {
  int epoch = 0;  ///< from 1
  double learning_rate = 0;
  Tally train;  ///< predictions made while the weights changed
  Tally valid;
  double seconds = 0;  ///< of this epoch, validation included
};
nlohmann::ordered_json record_json(const EpochRecord& record);

/// Everything that decides how a run goes on: a run that goes on from it ends with the weights of one that was never interrupted.
struct Checkpoint {
  std::string run;       ///< JSON: configuration and data; a run goes on only with the same
  Model model;           ///< the weights and the statistics
  std::vector<float> first_moment, second_moment;  // (n_parameters)  of Adam
  std::vector<float> average;                      // (n_parameters)  of the weights, or empty
  std::vector<float> best;                         // (n_parameters)  weights of the best epoch, or empty
  std::int64_t n_steps = 0;  ///< of Adam
  std::int64_t batch = 0;    ///< of the epoch after those recorded: the next one to learn from
  Tally train;               ///< of that epoch
  double seconds = 0;        ///< spent on that epoch
  std::vector<EpochRecord> epochs;
};

/// The format's name and version in a checkpoint's metadata.
inline constexpr std::string_view checkpoint_schema = "bough-checkpoint/1";

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
/// Throws Error: missing_input, bad_input.
Checkpoint read_checkpoint(const std::filesystem::path& path);

}  // namespace bough
