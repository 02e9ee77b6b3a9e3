// SPDX-License-Identifier: Apache-2.0
#include "bough/dataset/inspect.hpp"

#include <algorithm>
#include <cmath>
#include <format>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "bough/file.hpp"
#include "bough/foreign_text.hpp"
#include "bough/model/model.hpp"
#include "bough/observe/graph.hpp"
#include "bough/stop.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"

namespace bough::cli {
namespace {

struct InspectOptions {
  std::filesystem::path path;
  bool repair = false;
  bool json = false;
  bool quiet = false;
};

using Histogram = std::map<std::int64_t, std::int64_t>;

std::int64_t total(const Histogram& histogram) {
  std::int64_t sum = 0;
  for (const auto& [value, n] : histogram) sum += n;
  return sum;
}

double mean(const Histogram& histogram) {
  double sum = 0;
  for (const auto& [value, n] : histogram) sum += static_cast<double>(value) * static_cast<double>(n);
  return histogram.empty() ? 0 : sum / static_cast<double>(total(histogram));
}

/// At most ten bins of equal width, a bar for each.
std::string bars(const Histogram& histogram) {
  if (histogram.empty()) return "";
  const std::int64_t low = histogram.begin()->first;
  const std::int64_t width = (histogram.rbegin()->first - low) / 10 + 1;
  Histogram bins;
  for (const auto& [value, n] : histogram) bins[(value - low) / width] += n;
  const std::int64_t highest = std::ranges::max(std::views::values(bins));
  std::string text;
  for (const auto& [bin, n] : bins) {
    const std::int64_t from = low + bin * width;
    const std::string range = width == 1 ? std::format("{}", from) : std::format("{}-{}", from, from + width - 1);
    std::string bar;
    for (auto length = std::lround(40.0 * static_cast<double>(n) / static_cast<double>(highest)); length > 0; --length) bar += "█";
    text += std::format("  {:>11} {:<40} {}\n", range, bar.empty() ? "▏" : bar, n);
  }
  return text;
}

/// States whose best score several candidates share, and how many share it on average.
std::pair<double, double> ties_of(const SetReport& report) {
  Histogram tied = report.ties;
  tied.erase(1);
  const std::int64_t n = total(report.ties);
  return {n > 0 ? static_cast<double>(total(tied)) / static_cast<double>(n) : 0, mean(tied)};
}

nlohmann::ordered_json to_json(const Histogram& histogram) {
  nlohmann::ordered_json pairs = nlohmann::ordered_json::array();
  for (const auto& [value, n] : histogram) pairs.push_back({value, n});
  return pairs;
}

nlohmann::ordered_json to_json(const InspectOptions& options, const SetReport& report) {
  nlohmann::ordered_json damaged = nlohmann::ordered_json::array();
  for (const Damage& damage : report.damaged) damaged.push_back({{"shard", damage.shard}, {"problem", damage.problem}});
  const auto [tied_share, tied_size] = ties_of(report);
  return {{"set", options.path.string()},
          {"description", nlohmann::ordered_json::parse(report.description, nullptr, /*allow_exceptions=*/false)},
          {"episodes", report.n_episodes},
          {"episodes_without_states", report.n_empty},
          {"quarantined", report.n_quarantined},
          {"states", report.n_states},
          {"labels", report.n_labels},
          {"windows", report.n_windows},
          {"topologies", report.n_topologies},
          {"bytes", report.bytes},
          {"ends", report.ends},
          {"unlabelled", report.unlabelled},
          {"tied_share", tied_share},
          {"tied_candidates", tied_size},
          {"candidates", to_json(report.candidates)},
          {"depths", to_json(report.depths)},
          {"damaged", damaged}};
}

std::string to_text(const InspectOptions& options, const SetReport& report) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) { text += std::format("{:<14}{}\n", name, printable(value)); };
  text += std::format("{:<14}{}\n", "set", bold(options.path.string(), stdout));
  const auto description = nlohmann::ordered_json::parse(report.description, nullptr, /*allow_exceptions=*/false);
  if (description.is_object() && description.contains("request")) {
    const auto& request = description["request"];
    for (const char* key : {"instances", "split", "settings", "window", "labels", "start", "explorer", "follow", "seed"}) {
      if (request.contains(key) && !request[key].is_null()) line(std::string("  ") + key, request[key].is_string() ? request[key].get<std::string>() : request[key].dump());
    }
  }
  line("episodes", std::format("{}  ({})", report.n_episodes, counts_text(report.ends)));
  if (report.n_quarantined > 0) line("quarantined", std::to_string(report.n_quarantined));
  line("states", std::format("{}, {} of them labelled, in {} windows", report.n_states, report.n_labels, report.n_windows));
  if (!report.unlabelled.empty()) line("no label", counts_text(report.unlabelled));
  if (report.n_states > 0) line("size", std::format("{:.1f} MB, {:.1f} KB a state", static_cast<double>(report.bytes) / 1e6, static_cast<double>(report.bytes) / 1e3 / static_cast<double>(report.n_states)));
  if (report.n_labels > 0) {
    const auto [tied_share, tied_size] = ties_of(report);
    line("ties", std::format("{:.0f} % of labels have several best candidates, {:.1f} on average", 100 * tied_share, tied_size));
    line("candidates", std::format("{:.1f} a labelled state", mean(report.candidates)));
    text += bars(report.candidates);
    line("depth", std::format("{:.1f} on average", mean(report.depths)));
    text += bars(report.depths);
  }
  line("checksums", report.damaged.empty() ? "all good" : std::format("{} damaged", report.damaged.size()));
  for (const Damage& damage : report.damaged) line("  damaged", std::format("{}: {}", damage.shard, damage.problem));
  return text;
}

/// The leaves of a JSON value with their paths; long lists only with their length.
void flatten(const nlohmann::ordered_json& value, const std::string& name, std::vector<std::pair<std::string, std::string>>& leaves) {
  constexpr std::size_t longest_list = 8;
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) flatten(child, name.empty() ? key : name + "." + key, leaves);
  } else if (value.is_array() && value.size() > longest_list) {
    leaves.emplace_back(name, std::format("{} entries (--json shows them)", value.size()));
  } else {
    leaves.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

ExitCode inspect_model(const InspectOptions& options) {
  if (options.repair) throw Error(ExitCode::usage, std::format("--repair: {} is a file, not a set", options.path.string()));
  const Model model = read_model(options.path);
  const std::string sha256 = sha256_of_file(options.path);
  const auto bytes = std::filesystem::file_size(options.path);
  const auto architecture = nlohmann::ordered_json::parse(architecture_json(model.architecture));
  const auto training = nlohmann::ordered_json::parse(model.training);
  if (options.json) {
    nlohmann::ordered_json tensors = nlohmann::ordered_json::object();
    for (const TensorSpec& spec : tensors_of(model.architecture)) tensors[spec.name] = spec.shape;
    print_result(json_text({{"model", options.path.string()},
                            {"schema", model_schema},
                            {"features", feature_schema},
                            {"architecture", architecture},
                            {"parameters", n_parameters(model.architecture)},
                            {"pseudocosts", model.pseudocosts},
                            {"bytes", bytes},
                            {"sha256", sha256},
                            {"training", training},
                            {"tensors", tensors}}));
    return ExitCode::ok;
  }
  std::vector<std::pair<std::string, std::string>> leaves;
  flatten(architecture, "", leaves);
  std::string shape;
  for (const auto& [name, value] : leaves) shape += name == "network" ? value : std::format(", {} {}", name, value);
  leaves.clear();
  flatten(training, "", leaves);
  std::size_t width = 12;
  for (const auto& [name, value] : leaves) width = std::max(width, name.size());
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) { text += std::format("{:<{}}{}\n", name, width + 4, value); };
  line("model", bold(options.path.string(), stdout));
  line("architecture", shape);
  line("parameters", std::to_string(n_parameters(model.architecture)));
  if (model.pseudocosts > 0) line("pseudocosts", std::format("weight {} beside the logits", model.pseudocosts));
  line("features", std::string(feature_schema));
  line("size", std::format("{:.1f} KB", static_cast<double>(bytes) / 1e3));
  line("sha256", sha256);
  line("training", leaves.empty() ? "not recorded" : "");
  for (const auto& [name, value] : leaves) line("  " + printable(name), printable(value));
  print_result(text);
  return ExitCode::ok;
}

ExitCode inspect(const InspectOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(options.path, ignored) || options.path.extension() == ".safetensors") return inspect_model(options);
  std::optional<Progress> progress;
  struct Stopped {};
  SetReport report;
  try {
    report = inspect_set(options.path, [&](std::size_t done, std::size_t all) {
      if (stop_signal() != 0) throw Stopped();
      if (!progress) progress.emplace("verifying", all, options.quiet);
      progress->advance(done);
    });
  } catch (const Stopped&) {
    return unless_stopped(ExitCode::failure);
  }
  progress.reset();
  if (options.repair && !report.damaged.empty()) set_aside(options.path, report.damaged);
  print_result(options.json ? json_text(to_json(options, report)) : to_text(options, report));
  if (report.damaged.empty()) return ExitCode::ok;
  if (options.repair) return ExitCode::ok;
  throw Error(ExitCode::bad_input, std::format("{}: {} of {} shards are damaged", options.path.string(), report.damaged.size(), report.n_episodes - report.n_empty),
              "--repair sets them aside; 'bough collect' with the set's options then collects them again");
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("inspect", "Show what a collected set or a trained model is, and verify it");
  auto options = std::make_shared<InspectOptions>();
  command->add_option("PATH", options->path, "a set that 'bough collect' made, or a model that 'bough train' wrote")->required()->option_text(" ");
  command->add_flag("--repair", options->repair, "move a set's damaged shards to PATH/damaged and take them out of the manifest");
  command->add_flag("--json", options->json, "everything as JSON");
  command->add_flag("-q,--quiet", options->quiet, "no progress on stderr");
  command->footer(
      "Examples:\n"
      "  bough inspect sets/train\n"
      "  bough inspect model.safetensors --json\n"
      "  bough inspect sets/train --repair     then the same 'bough collect' as before fills the gaps");
  command->callback([&action, options] { action = [options] { return inspect(*options); }; });
}

}  // namespace bough::cli
