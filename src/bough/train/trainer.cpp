// SPDX-License-Identifier: Apache-2.0
#include "bough/train/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <format>
#include <nlohmann/json.hpp>
#include <utility>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/train/curve.hpp"
#include "bough/train/network.hpp"
#include "bough/train/optimiser.hpp"
#include "bough/train/sets.hpp"
#include "bough/train/statistics.hpp"
#include "bough/version.hpp"

namespace bough {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class Clock {
 public:
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void refuse_existing(const TrainRequest& request, const fs::path& checkpoint) {
  if (request.resume || request.force) return;
  if (fs::exists(checkpoint)) {
    throw Error(ExitCode::cannot_write, std::format("{} belongs to a run that was interrupted", checkpoint.string()), "--resume goes on with it, --force starts anew");
  }
  if (fs::exists(request.output)) throw Error(ExitCode::cannot_write, std::format("{} exists", request.output.string()), "give another name, or --force to replace it");
}

/// One run: the state that a checkpoint holds, and what it is computed with.
class Run {
 public:
  explicit Run(const TrainRequest& request)
      : request_(request), config_(request.config), checkpoint_path_(beside(request.output, ".checkpoint.safetensors")), crew_(config_.threads) {
    refuse_existing(request, checkpoint_path_);
    remove_leftovers(request.output.parent_path(), request.output.filename().string() + ".tmp-");  // its own alone: another run may be beside it
    for (const char* suffix : {".checkpoint.safetensors", ".metrics.jsonl", ".svg", ".config.toml"}) remove_leftovers(request.output.parent_path(), beside(request.output, suffix).filename().string() + ".tmp-");
    { const AtomicFile probe(checkpoint_path_); }  // whether anything can be written there is known before hours have passed
    sets_ = open_training_sets(request.data, request.valid, config_.states);
    description_ = Json{{"config", config_json(config_)}, {"train", set_json(sets_.train)}, {"valid", set_json(sets_.valid)}};
    network_.emplace(config_.architecture);
    adam_.emplace(network_->weights().size());
    const auto options = [&](bool shuffle) { return Loader::Options{.batch_size = static_cast<std::size_t>(shuffle ? config_.batch : 64), .seed = config_.seed, .shuffle = shuffle}; };
    train_loader_.emplace(sets_.train.dataset, options(true));
    valid_loader_.emplace(sets_.valid.dataset, options(false));
    pack_ = {.memory = config_.architecture.remembers() ? config_.architecture.memory : 1, .target = config_.target, .sharpness = config_.sharpness, .depth_weighting = config_.depth_weighting};
  }

  TrainSummary run() {
    if (request_.resume) restore();
    else begin();
    for (plan_ = schedule(config_, epochs_); !plan_.over && !stopped_; plan_ = schedule(config_, epochs_)) {
      train_epoch();
      if (!stopped_) validate_epoch();
      save();
    }
    TrainSummary summary{.stopped = stopped_, .split = sets_.split, .n_train_labels = static_cast<std::size_t>(sets_.train.dataset.n_labels()),
                         .n_valid_labels = static_cast<std::size_t>(sets_.valid.dataset.n_labels()), .n_parameters = network_->weights().size(), .best_epoch = plan_.best_epoch, .epochs = epochs_};
    if (!stopped_) finish();
    return summary;
  }

 private:
  void begin() {
    InputStatistics statistics;
    train_loader_->start(0);
    for (auto windows = train_loader_->next(); !windows.empty(); windows = train_loader_->next()) {
      for (const Window& window : windows) statistics.add(window);
    }
    if (!statistics.has_preference()) {
      throw Error(ExitCode::bad_input, std::format("{}: in every labelled state all candidates are tied, there is nothing to learn", sets_.train.name), "collect harder instances");
    }
    statistics.write_to(*network_);
    network_->initialise(config_.seed);
    normalise_half_layers();
    if (config_.average > 0) average_.assign(network_->weights().begin(), network_->weights().end());
    save();  // over that of a run that --force gives up: from here on this one can be resumed
  }

  /// Mean and deviation of what the half layers gather, with the initial weights, one after the other: a mean over many neighbours
  /// varies little from target to target, and would be learnt from slowly as it is.
  void normalise_half_layers() {
    constexpr std::size_t n_batches = 20;
    for (const Half half : {Half::rows, Half::variables}) {
      ColumnStatistics statistics(static_cast<std::size_t>(config_.architecture.d));
      train_loader_->start(0);
      for (std::size_t b = 0; b < n_batches; ++b) {
        const auto windows = train_loader_->next();
        const std::size_t n_groups = Crew::n_groups(windows);
        std::vector<std::vector<float>> gathered(n_groups);
        crew_.for_each_group(windows, pack_, [&](std::size_t group, std::span<const Window>, const Batch& batch, Scores<float>&) { gathered[group] = network_->gathered(batch, half); });
        for (const auto& rows : gathered) statistics.add(rows);
      }
      write_statistics(std::string(half_names[static_cast<std::size_t>(half)]) + ".gathered", statistics, *network_);
    }
  }

  void restore() {
    if (!fs::exists(checkpoint_path_)) {
      throw Error(ExitCode::missing_input, std::format("there is no {} to go on with", checkpoint_path_.string()), fs::exists(request_.output) ? "the run has ended: its model is there" : "start the run without --resume");
    }
    Checkpoint c = read_checkpoint(checkpoint_path_);
    refuse_other_run(c.run);
    if (c.average.empty() == (config_.average > 0)) throw Error(ExitCode::bad_input, std::format("{}: averaged weights are missing, or not asked for", checkpoint_path_.string()), "start again with --force");
    network_.emplace(c.model);
    adam_->first_moment = std::move(c.first_moment);
    adam_->second_moment = std::move(c.second_moment);
    adam_->n_steps = c.n_steps;
    average_ = std::move(c.average);
    best_ = std::move(c.best);
    next_batch_ = static_cast<std::size_t>(c.batch);
    train_tally_ = c.train;
    seconds_before_ = c.seconds;
    epochs_ = std::move(c.epochs);
    write_records();
  }

  void refuse_other_run(const std::string& run) const {
    const Json other = Json::parse(run, nullptr, /*allow_exceptions=*/false);
    if (other == description_) return;
    std::string difference = "its description cannot be read";
    for (const auto& [part, values] : description_.items()) {
      for (const auto& [key, value] : values.items()) {
        if (!other.is_object() || !other.contains(part) || !other[part].is_object()) continue;
        const Json was = other[part].value(key, Json(nullptr));  // null: a version made it that did not know this
        if (was != value) difference = std::format("{} {} was {}, now it is {}", part, key, was.dump(), value.dump());
      }
    }
    throw Error(ExitCode::bad_input, std::format("{} is of another run: {}", checkpoint_path_.string(), difference), "go on with the same settings and sets, or start anew with --force");
  }

  void train_epoch() {
    const Clock clock;
    Clock since_checkpoint;
    const std::size_t n_batches = train_loader_->n_batches();
    const std::int64_t n_before = train_tally_.n;
    train_loader_->start(epochs_.size(), next_batch_);
    for (; next_batch_ < n_batches && !stopped_; ++next_batch_) {
      learn(train_loader_->next());
      if (request_.on_progress) {
        request_.on_progress({static_cast<int>(epochs_.size()) + 1, config_.epochs, next_batch_ + 1, n_batches, train_tally_.mean_loss(), train_tally_.accuracy(0),
                              static_cast<double>(train_tally_.n - n_before) / clock.seconds()});
      }
      stopped_ = stop_requested();
      if (since_checkpoint.seconds() > request_.checkpoint_interval_s) {
        epoch_seconds_ = seconds_before_ + clock.seconds();
        ++next_batch_;
        save();
        --next_batch_;
        since_checkpoint = Clock();
      }
    }
    epoch_seconds_ = seconds_before_ + clock.seconds();
  }

  void learn(const std::vector<Window>& windows) {
    const auto n_labelled = std::ranges::count_if(windows, [](const Window& w) { return std::ranges::any_of(w.states(), [](const State& s) { return s.label.has_value(); }); });
    if (n_labelled == 0) return;
    const std::size_t n_groups = Crew::n_groups(windows);
    gradients_.resize(std::max(gradients_.size(), n_groups));
    std::vector<Tally> tallies(n_groups);
    crew_.for_each_group(windows, pack_, [&](std::size_t group, std::span<const Window>, const Batch& batch, Scores<float>& scores) {
      gradients_[group].resize(network_->weights().size());
      network_->differentiate(batch, 1 / static_cast<double>(n_labelled), scores, gradients_[group]);
      tallies[group] = tally(batch, scores);
    });
    // In the order of the groups: the sum does not depend on who was first.
    auto& gradient = gradients_[0];
    for (std::size_t group = 1; group < n_groups; ++group) std::ranges::transform(gradient, gradients_[group], gradient.begin(), std::plus<>());
    const Tally batch_tally = sum(tallies);
    const double length = norm(gradient);
    if (!std::isfinite(batch_tally.loss) || !std::isfinite(length)) {
      throw Error(ExitCode::failure, std::format("epoch {}, batch {}: the {} is not finite", epochs_.size() + 1, next_batch_ + 1, std::isfinite(batch_tally.loss) ? "gradient" : "loss"),
                  "try a smaller learning_rate");
    }
    train_tally_ += batch_tally;
    if (config_.clip > 0 && length > config_.clip) {
      const auto factor = static_cast<float>(config_.clip / length);
      for (float& g : gradient) g *= factor;
    }
    const auto weights = network_->weights();
    adam_->step(weights, gradient, plan_.learning_rate, config_.weight_decay);
    if (config_.average > 0) {
      // Shorter at first: the initial weights are forgotten soon.
      const auto steps = static_cast<double>(adam_->n_steps);
      const auto keep = static_cast<float>(std::min(config_.average, (1 + steps) / (10 + steps)));
      for (std::size_t i = 0; i < weights.size(); ++i) average_[i] = keep * average_[i] + (1 - keep) * weights[i];
    }
  }

  void validate_epoch() {
    const Clock clock;
    PackOptions options = pack_;
    options.history = History::full;
    const auto weights = network_->weights();
    if (config_.average > 0) std::ranges::swap_ranges(weights, average_);
    const auto instances = evaluate(*network_, *valid_loader_, crew_, options, {}, [&] { return stop_requested(); });
    stopped_ = stop_requested();
    if (!stopped_) {
      epochs_.push_back({static_cast<int>(epochs_.size()) + 1, plan_.learning_rate, train_tally_, sum(instances), epoch_seconds_ + clock.seconds()});
      if (!std::isfinite(epochs_.back().valid.loss)) throw Error(ExitCode::failure, std::format("epoch {}: the validation loss is not finite", epochs_.size()), "try a smaller learning_rate");
      if (schedule(config_, epochs_).best_epoch == epochs_.back().epoch) best_.assign(weights.begin(), weights.end());
    }
    if (config_.average > 0) std::ranges::swap_ranges(weights, average_);
    if (stopped_) return;  // the epoch's training is done, its validation is repeated
    next_batch_ = 0;
    train_tally_ = {};
    seconds_before_ = epoch_seconds_ = 0;
    write_records();
  }

  [[nodiscard]] bool stop_requested() const { return request_.stop && request_.stop(); }

  void save() const {
    write_checkpoint(checkpoint_path_, {description_.dump(), network_->to_model(), adam_->first_moment, adam_->second_moment, average_, best_, adam_->n_steps,
                                        static_cast<std::int64_t>(next_batch_), train_tally_, epoch_seconds_, epochs_});
  }

  void write_records() const {
    std::string lines;
    for (const EpochRecord& record : epochs_) lines += record_json(record).dump() + "\n";
    write_file(beside(request_.output, ".metrics.jsonl"), lines);
    write_file(beside(request_.output, ".svg"), learning_curve_svg(epochs_));
  }

  void finish() {
    const auto accuracies = [](const EpochRecord& record) {
      Json json{{"epoch", record.epoch}, {"loss", record.valid.mean_loss()}, {"train_top1", record.train.accuracy(0)}};
      for (std::size_t k = 0; k < top_k.size(); ++k) json[std::format("top{}", top_k[k])] = record.valid.accuracy(k);
      return json;
    };
    std::ranges::copy(best_, network_->weights().begin());
    Model model = network_->to_model();
    model.training = Json{{"version", version}, {"commit", commit}, {"config", description_["config"]}, {"train", description_["train"]}, {"valid", description_["valid"]}, {"split", sets_.split},
                          {"parameters", best_.size()}, {"epochs", epochs_.size()}, {"best", accuracies(epochs_[static_cast<std::size_t>(plan_.best_epoch) - 1])}, {"last", accuracies(epochs_.back())}}.dump();
    write_file(beside(request_.output, ".config.toml"), config_toml(config_));
    write_file(request_.output, model_bytes(model));
    fs::remove(checkpoint_path_);
  }

  const TrainRequest& request_;
  const Config& config_;
  fs::path checkpoint_path_;
  Crew crew_;
  TrainingSets sets_;
  Json description_;
  PackOptions pack_;
  std::optional<Learner<float>> network_;
  std::optional<Adam> adam_;
  std::optional<Loader> train_loader_, valid_loader_;
  std::vector<std::vector<float>> gradients_;  // (n_groups, n_parameters)

  std::vector<float> average_, best_;  // (n_parameters) or empty
  std::vector<EpochRecord> epochs_;
  Schedule plan_;
  std::size_t next_batch_ = 0;
  Tally train_tally_;
  double seconds_before_ = 0;  ///< spent on this epoch by the runs before
  double epoch_seconds_ = 0;
  bool stopped_ = false;
};

}  // namespace

fs::path beside(const fs::path& model, const std::string& suffix) {
  fs::path path = model;
  if (path.extension() == ".safetensors") path.replace_extension();
  return path += suffix;
}

Schedule schedule(const Config& config, const std::vector<EpochRecord>& epochs) {
  Schedule result{.learning_rate = config.learning_rate};
  double lowest = 0;
  int stalled = 0;
  const EpochRecord* best = nullptr;
  for (const EpochRecord& record : epochs) {
    const double loss = record.valid.mean_loss();
    if (record.epoch == 1 || loss < lowest) {
      lowest = loss;
      stalled = 0;
    } else if (++stalled % config.patience == 0) {
      result.learning_rate *= 0.2;
    }
    const auto rank = [&](const EpochRecord& r) { return std::pair(config.select == Select::accuracy ? r.valid.hits[0] : 0, -r.valid.loss); };
    if (best == nullptr || rank(record) > rank(*best)) best = &record;
  }
  if (best != nullptr) result.best_epoch = best->epoch;
  result.over = static_cast<int>(epochs.size()) >= config.epochs || stalled >= config.early_stop;
  return result;
}

TrainSummary train(const TrainRequest& request) {
  validate(request.config, "configuration");
  return Run(request).run();
}

}  // namespace bough
