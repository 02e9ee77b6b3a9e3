// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <format>
#include <limits>
#include <nlohmann/json.hpp>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/stop.hpp"
#include "bough/train/sets.hpp"
#include "bough/train/trainer.hpp"
#include "bough/version.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"

namespace bough {
namespace {

using cli::bold;
using cli::duration_text;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> history_names{"full", "zeroed", "shuffled"};

struct Options {
  TrainRequest request;
  std::string config_file;
  std::optional<std::string> policy, target, attention;
  std::optional<int> epochs, threads;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> states;
  std::string test;
  std::string history = "full";
  std::string logits;
  bool json = false;
  bool quiet = false;
};

template <class Enum, std::size_t n>
void choose(const std::array<std::string_view, n>& names, const std::optional<std::string>& name, Enum& value) {
  if (name) value = static_cast<Enum>(std::ranges::find(names, *name) - names.begin());
}
template <class T>
void override_with(const std::optional<T>& value, T& field) {
  if (value) field = *value;
}

/// The file's configuration, then the command line's.
Config resolve(const Options& options) {
  Config config;
  if (!options.config_file.empty()) read_config(options.config_file, config);
  choose(network_names, options.policy, config.architecture.network);
  choose(target_names, options.target, config.target);
  choose(attention_names, options.attention, config.architecture.attention);
  override_with(options.epochs, config.epochs);
  override_with(options.threads, config.threads);
  override_with(options.seed, config.seed);
  override_with(options.states, config.states);
  return config;
}

void table_row(std::string& text, std::string_view name, const Tally& tally) {
  text += std::format("{:<14}{:>8.4f}", name, tally.mean_loss());
  for (std::size_t k = 0; k < top_k.size(); ++k) text += std::format("{:>9.2f}", 100 * tally.accuracy(k));
  text += "\n";
}
std::string table_head() {
  std::string text = std::format("{:<14}{:>8}", "", "loss");
  for (const std::size_t k : top_k) text += std::format("{:>9}", std::format("top-{} %", k));
  return text + "\n";
}

std::string to_text(const Options& options, const TrainSummary& summary) {
  const EpochRecord& best = summary.epochs[static_cast<std::size_t>(summary.best_epoch) - 1];
  double seconds = 0;
  for (const EpochRecord& record : summary.epochs) seconds += record.seconds;
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) { text += std::format("{:<14}{}\n", name, value); };
  line("model", bold(options.request.output.string(), stdout));
  line("network", std::format("{}, {} parameters", network_names[static_cast<std::size_t>(options.request.config.architecture.network)], summary.n_parameters));
  line("labels", std::format("{} to train, {} to validate{}", summary.n_train_labels, summary.n_valid_labels, summary.split ? ", of different instances" : ""));
  line("epochs", std::format("{}, the best is number {}", summary.epochs.size(), summary.best_epoch));
  line("time", duration_text(seconds));
  text += "\n" + table_head();
  table_row(text, "best, train", best.train);
  table_row(text, "best, valid", best.valid);
  table_row(text, "last, valid", summary.epochs.back().valid);
  return text;
}

Json to_json(const Options& options, const TrainSummary& summary) {
  Json epochs = Json::array();
  for (const EpochRecord& record : summary.epochs) epochs.push_back(record_json(record));
  return {{"model", options.request.output.string()}, {"config", config_json(options.request.config)}, {"parameters", summary.n_parameters}, {"train_labels", summary.n_train_labels},
          {"valid_labels", summary.n_valid_labels}, {"split", summary.split}, {"best_epoch", summary.best_epoch}, {"epochs", epochs}};
}

ExitCode run_training(Options& options) {
  TrainRequest& request = options.request;
  if (request.output.empty()) throw Error(ExitCode::usage, "-o MODEL is required", "'bough train --help' shows what is expected");
  if (request.resume && request.force) throw Error(ExitCode::usage, "--resume and --force exclude each other");
  request.config = resolve(options);
  validate(request.config, "command line");
  request.stop = [] { return stop_signal() != 0; };
  if (!request.valid && !options.quiet) cli::tell("no --valid: a tenth of the set's instances is for validation, eight tenths are for training\n");
  std::optional<cli::Progress> progress;
  request.on_progress = [&](const TrainProgress& now) {
    const std::size_t done = static_cast<std::size_t>(now.epoch - 1) * now.n_batches + now.batch;
    if (!progress) progress.emplace("batch", static_cast<std::size_t>(now.n_epochs) * now.n_batches, options.quiet, done - 1);
    progress->advance(done, std::format("epoch {}/{}, loss {:.3f}, top-1 {:.1f} %, {:.0f} states/s", now.epoch, now.n_epochs, now.loss, 100 * now.top1, now.states_per_second));
  };
  const TrainSummary summary = train(request);
  progress.reset();
  if (summary.stopped) {
    cli::tell_line("stopped; the same command with --resume goes on from here");
    return cli::unless_stopped(ExitCode::failure);
  }
  cli::print_result(options.json ? cli::json_text(to_json(options, summary)) : to_text(options, summary));
  return ExitCode::ok;
}

/// Tensors episode-K.start (n_states + 1) and episode-K.logits for every state with candidates, in the set's order.
class LogitsFile {
 public:
  void add(std::size_t episode, std::span<const float> logits) {
    if (episode != episode_) flush();
    episode_ = episode;
    logits_.insert(logits_.end(), logits.begin(), logits.end());
    start_.push_back(static_cast<std::int64_t>(logits_.size()));
  }
  void write(const std::filesystem::path& path) {
    flush();
    write_file(path, writer_.bytes());
  }

 private:
  void flush() {
    if (start_.size() > 1) {
      writer_.add<std::int64_t>(std::format("episode-{}.start", episode_), start_, {start_.size()});
      writer_.add<float>(std::format("episode-{}.logits", episode_), logits_, {logits_.size()});
    }
    start_.assign(1, 0);
    logits_.clear();
  }
  SafeTensorsWriter writer_;
  std::size_t episode_ = 0;
  std::vector<std::int64_t> start_{0};
  std::vector<float> logits_;
};

ExitCode run_test(const Options& options) {
  const Model model = read_model(options.test);
  const OpenSet set = open_set(options.request.data);
  const Learner<float> network(model);
  const Config config = resolve(options);
  Loader loader(set.dataset, {.batch_size = 64, .shuffle = false});
  Crew crew(config.threads);
  PackOptions pack{.memory = model.architecture.remembers() && options.history != "zeroed" ? model.architecture.memory : 1,
                   .history = options.history == "shuffled" ? History::shuffled : History::full,
                   .score_all = !options.logits.empty(),
                   .target = config.target,
                   .sharpness = config.sharpness};
  if (pack.score_all) const AtomicFile probe(options.logits);  // whether it can be written is known before the work is done
  LogitsFile logits;
  OnState on_state;
  if (pack.score_all) on_state = [&](std::size_t episode, const State&, std::span<const float> values) { logits.add(episode, values); };
  const auto instances = evaluate(network, loader, crew, pack, on_state, [] { return stop_signal() != 0; });
  if (stop_signal() != 0) return cli::unless_stopped(ExitCode::failure);
  if (pack.score_all) logits.write(options.logits);
  const Tally total = sum(instances);
  if (!std::isfinite(total.mean_loss())) {
    throw Error(ExitCode::failure, std::format("the scores of {} on {} are not finite", options.test, set.name), "it was trained on states with features of another magnitude: train on such instances");
  }
  const StandardErrors errors = standard_errors(instances);
  if (options.json) {
    Json json{{"model", options.test}, {"data", set_json(set)}, {"history", options.history}, {"states", total.n}, {"loss", total.mean_loss()}, {"loss_standard_error", errors.loss}};
    for (std::size_t k = 0; k < top_k.size(); ++k) {
      json[std::format("top{}", top_k[k])] = total.accuracy(k);
      json[std::format("top{}_standard_error", top_k[k])] = errors.accuracy[k];
    }
    cli::print_result(cli::json_text(json));
    return ExitCode::ok;
  }
  std::string text = std::format("{:<14}{}\n{:<14}{} labelled states of {} instances, history {}\n\n", "model", bold(options.test, stdout), "data", total.n, instances.size(), options.history);
  text += table_head();
  table_row(text, "", total);
  text += std::format("{:<14}", "+-");
  if (std::isnan(errors.loss)) {
    text += "unknown: one instance says nothing of others";
  } else {
    text += std::format("{:>8.4f}", errors.loss);
    for (const double error : errors.accuracy) text += std::format("{:>9.2f}", 100 * error);
  }
  cli::print_result(text + "\n");
  return ExitCode::ok;
}

ExitCode run(int argc, char** argv) {
  CLI::App app{"Train a branching policy on a collected set, or test one"};
  app.name("bough train");
  app.set_version_flag("--version", std::format("bough {} ({})", version, commit));
  app.get_formatter()->enable_footer_formatting(false);
  Options options;
  TrainRequest& request = options.request;
  app.add_option("--data", request.data, "set to learn from; 'bough collect' makes one; may be repeated")->required()->option_text("DIR")->allow_extra_args(false);
  app.add_option("-o,--output", request.output, "the model; metrics, learning curve and checkpoint lie beside it")->option_text("MODEL");
  app.add_option("--policy", options.policy, "network")->check(CLI::IsMember(network_names))->option_text("gcnn|gat|tgat [tgat]");
  app.add_option("--config", options.config_file, "settings, as TOML; docs/training.md lists the keys")->option_text("FILE");
  app.add_option("--valid", request.valid, "set to validate on; without it, a part of the instances of --data")->option_text("DIR");
  app.add_option("--epochs", options.epochs, "passes over the set")->check(CLI::Range(1, 1'000'000))->option_text("N [40]");
  app.add_option("--threads", options.threads, "results do not depend on it")->check(CLI::Range(1, 1024))->option_text("T [cores]");
  app.add_option("--seed", options.seed, "of everything that is random")->check(CLI::Range(std::uint64_t{0}, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())))->option_text("N [0]");
  app.add_option("--target", options.target, "spread over the tied best candidates, or by score")->check(CLI::IsMember(target_names))->option_text("ties|soft [ties]");
  app.add_option("--attention", options.attention, "form of the logits (gat, tgat)")->check(CLI::IsMember(attention_names))->option_text("sum|concat [concat]");
  app.add_option("--states", options.states, "train only on the first instances that have this many labelled states")->check(CLI::PositiveNumber)->option_text("N");
  app.add_flag("--resume", request.resume, "go on with an interrupted run");
  app.add_flag("--force", request.force, "start anew and replace what is there");
  app.add_option("--checkpoint-interval", request.checkpoint_interval_s, "between checkpoints within an epoch; 0: after every batch")->check(CLI::NonNegativeNumber)->option_text("S [60]");
  auto* test = app.add_option("--test", options.test, "do not train: measure this model on --data")->option_text("MODEL");
  app.add_option("--history", options.history, "with --test: what tgat remembers")->check(CLI::IsMember(history_names))->needs(test)->option_text("full|zeroed|shuffled [full]");
  app.add_option("--logits", options.logits, "with --test: write the logits of all states")->needs(test)->option_text("FILE");
  app.add_flag("--json", options.json, "the result as JSON");
  app.add_flag("-q,--quiet", options.quiet, "no progress on stderr");
  app.footer(
      "Examples:\n"
      "  bough train --data sets/train --valid sets/valid --policy tgat -o models/plans.safetensors\n"
      "  bough train --data sets/train --valid sets/valid --policy tgat -o models/plans.safetensors --resume\n"
      "  bough train --test models/plans.safetensors --data sets/test\n\n"
      "A run that was interrupted, in whatever way, ends with the same model once it is resumed.  docs/training.md\n"
      "describes the settings and the files.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return static_cast<ExitCode>(app.exit(error));
    throw Error(ExitCode::usage, error.what(), "'bough train --help' shows what is expected");
  }
  return options.test.empty() ? run_training(options) : run_test(options);
}

}  // namespace
}  // namespace bough

int main(int argc, char** argv) {
  // Activations are freed and allocated again thousands of times: memory that went back to the kernel would come back page by page.
  (void)mallopt(M_MMAP_THRESHOLD, 1 << 30);
  (void)mallopt(M_TRIM_THRESHOLD, 1 << 30);
  bough::use_one_thread_in_libtorch();
  return bough::cli::run_program([&] { return bough::run(argc, argv); });
}
