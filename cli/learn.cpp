// SPDX-License-Identifier: Apache-2.0
#include "bough/learn/learn.hpp"

#include <algorithm>
#include <charconv>
#include <format>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "bough/model/architecture.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "cli/trainer.hpp"

namespace bough::cli {
namespace {

struct LearnOptions {
  LearnRequest request;
  std::string budget = "2h";
  std::string policies = "tgat";
  std::string decided_by_recipe;  ///< an option that was given although a recipe leaves no choice
  bool json = false;
  bool quiet = false;
};

/// "2h", "30m", "1h30m", "90s", "90"; not "1h30", of which nobody knows what the 30 are.
double parse_budget(const std::string& text) {
  double seconds = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    double value = 0;
    const auto [after, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !(value >= 0) || (after == end && at != text.data())) break;
    const char unit = after == end ? 's' : *after;
    const double factor = unit == 'h' ? 3600 : unit == 'm' ? 60 : unit == 's' ? 1 : 0;
    if (factor == 0) break;
    seconds += factor * value;
    at = after == end ? end : after + 1;
  }
  if (at != end || text.empty() || !(seconds >= 10 && seconds <= 1e8)) throw Error(ExitCode::usage, std::format("--budget {}: expected a time from 10 seconds on", text), "examples: 45m, 2h, 1h30m");
  return seconds;
}

std::vector<std::string> parse_policies(const std::string& text) {
  std::vector<std::string> networks;
  std::istringstream in(text);
  for (std::string name; std::getline(in, name, ',');) {
    if (!std::ranges::contains(network_names, name)) throw Error(ExitCode::usage, std::format("--policy {}: no network \"{}\"; there are gcnn, gat and tgat", text, name));
    if (std::ranges::contains(networks, name)) throw Error(ExitCode::usage, std::format("--policy {}: {} is given twice", text, name));
    networks.push_back(name);
  }
  if (networks.empty()) throw Error(ExitCode::usage, "--policy: no network given", "examples: tgat; tgat,gcnn");
  return networks;
}

ExitCode learn_policy(LearnOptions& options) {
  LearnRequest& request = options.request;
  std::error_code error;
  const std::filesystem::path source = std::filesystem::weakly_canonical(request.instances, error);
  if (error) throw Error(ExitCode::missing_input, std::format("cannot read {}: {}", request.instances.string(), error.message()));
  if (source.extension() == ".toml" && !std::filesystem::is_directory(source)) {
    if (!options.decided_by_recipe.empty()) throw Error(ExitCode::usage, std::format("{} is decided by the recipe {}", options.decided_by_recipe, request.instances.string()), "leave it out, or change the recipe");
    request.recipe = read_recipe(request.instances);
  } else {
    request.budget_s = parse_budget(options.budget);
    request.networks = parse_policies(options.policies);
  }
  if (request.output.empty()) request.output = (request.recipe ? source.stem() : source.filename()).string() + "-learned";
  std::optional<Progress> progress;
  std::pair<std::string, std::size_t> step;  // what, and how much of it
  request.say = [&](std::string_view text) {
    progress.reset();
    step = {};
    if (!options.quiet) tell_line(text);
  };
  if (!options.quiet) request.on_progress = [&](std::string_view what, std::size_t done, std::size_t total, std::string_view detail) {
    if (const std::pair now(std::string(what), total); step != now) {
      progress.emplace(now.first, total, /*quiet=*/false, done);
      step = now;
    }
    progress->advance(done, detail);
  };
  request.train = run_trainer;
  const std::optional<Learned> learned = learn(request);
  progress.reset();
  if (!learned) {
    tell_line("stopped; the same command goes on from here");
    return unless_stopped(ExitCode::failure);
  }
  if (options.json) {
    print_result(json_text({{"faster", learned->judgement.faster}, {"verdict", learned->judgement.text}, {"model", learned->model.string()}, {"page", learned->page.string()}}));
  } else {
    print_result(std::format("{}\n\nmodel   {}\npage    {}\n\nbough solve FILE --policy {}\n", bold(learned->judgement.text, stdout), learned->model.string(), learned->page.string(), learned->model.string()));
  }
  return ExitCode::ok;
}

}  // namespace

void add_learn(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("learn", "From a folder of instances to a trained model and a verdict, within a time budget");
  auto options = std::make_shared<LearnOptions>();
  LearnRequest& request = options->request;
  request.n_workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  command->add_option("DIR", request.instances, "folder of .mps, .lp and .cip files, plain or .gz: the same kind of problem, again and again; or a recipe, a .toml file")->required()->option_text("DIR|RECIPE");
  command->add_option("-o,--output", request.output, "directory for the model and everything on the way to it; made, or gone on with")->option_text("OUT [DIR-learned]");
  CLI::Option* budget = command->add_option("--budget", options->budget, "how long it may take, about")->option_text("TIME [2h]");
  CLI::Option* policy = command->add_option("--policy", options->policies, "network to train: tgat, gat or gcnn; of several, with commas, the one that solves fastest is chosen")->option_text("NAME [tgat]");
  CLI::Option* settings = command->add_option("--settings", request.settings, "default, paper, ml4co or a .set file: how you solve")->option_text("NAME [default]");
  command->add_option("--workers", request.n_workers, "processes at a time")->check(CLI::Range(1, 4096))->option_text("W [cores]");
  CLI::Option* seed = command->add_option("--seed", request.seed, "of everything that is random")->check(CLI::Range(std::uint64_t{0}, std::uint64_t{std::numeric_limits<std::int64_t>::max()}))->option_text("N [0]");
  command->add_flag("--json", options->json, "the verdict as JSON");
  command->add_flag("-q,--quiet", options->quiet, "no progress on stderr");
  command->footer(
      "Examples:\n"
      "  bough learn plans --budget 2h\n"
      "  bough learn plans --budget 8h --policy tgat,gat,gcnn -o plans-model\n"
      "  bough learn models/auction.toml -o auction\n\n"
      "The same command goes on with what was interrupted, in whatever way.  The verdict is on instances that nothing was\n"
      "learned from; it also says when the model is not faster, and why.");
  command->callback([&action, options, budget, policy, settings, seed] {
    for (const CLI::Option* option : {budget, policy, settings, seed}) {
      if (option->count() > 0) options->decided_by_recipe = option->get_name();
    }
    action = [options] { return learn_policy(*options); };
  });
}

}  // namespace bough::cli
