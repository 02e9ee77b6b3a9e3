// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "bough/train/checkpoint.hpp"
#include "bough/train/config.hpp"

namespace bough {

/// Where a run is.
struct TrainProgress {
  int epoch = 0;  ///< from 1
  int n_epochs = 0;
  std::size_t batch = 0;  ///< of this epoch, done
  std::size_t n_batches = 0;
  double loss = 0;  ///< of this epoch so far
  double top1 = 0;
  double states_per_second = 0;
};

/// A run: what to learn from, how, and where the model goes.
struct TrainRequest {
  Config config;
  std::vector<std::filesystem::path> data;     ///< read as one set
  std::optional<std::filesystem::path> valid;  ///< without one, `data` is split by instance
  std::filesystem::path output;                ///< the model; the other files lie beside it
  bool resume = false;  ///< go on from the checkpoint
  bool force = false;   ///< start anew whatever is there
  double checkpoint_interval_s = 60;
  std::function<void(const TrainProgress&)> on_progress;
  std::function<bool()> stop;  ///< asked between batches; true ends the run with a checkpoint
};

struct TrainSummary {
  bool stopped = false;  ///< there is a checkpoint and no model yet
  bool split = false;
  std::size_t n_train_labels = 0, n_valid_labels = 0;
  std::size_t n_parameters = 0;
  int best_epoch = 0;
  std::vector<EpochRecord> epochs;
};

/// Files of a run, named after the model M.safetensors: M.metrics.jsonl, M.svg, M.config.toml,
/// M.checkpoint.safetensors.
std::filesystem::path beside(const std::filesystem::path& model, const std::string& suffix);

/// What the recorded epochs mean for the next one.
struct Schedule {
  double learning_rate = 0;
  int best_epoch = 0;  ///< as `config.select` says
  bool over = false;   ///< all epochs are done, or the validation loss has stalled for too long
};
Schedule schedule(const Config& config, const std::vector<EpochRecord>& epochs);

/// Trains a network and writes the model of its best epoch.  The same request gives the same bytes, with any number of threads and
/// however often it was interrupted and resumed.
///
/// Throws Error: as open_training_sets(); bad_input if the labels prefer nothing or a checkpoint belongs to another run;
/// cannot_write if there is a model or checkpoint already and neither resume nor force is set; failure if the loss is not finite.
TrainSummary train(const TrainRequest& request);

}  // namespace bough
