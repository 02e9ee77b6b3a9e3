// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <format>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "bough/instance/source.hpp"
#include "bough/instance/write.hpp"
#include "bough/journal.hpp"
#include "bough/stop.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"

namespace bough::cli {
namespace {

struct GenerateOptions {
  std::string size = "easy";
  int count = 10;
  std::uint64_t seed = 0;
  Overrides overrides;
  std::string from;
  std::string directory;
  std::string format = "mps.gz";
  bool json = false;
  bool quiet = false;
};

nlohmann::ordered_json shape_of(const Milp& milp, const std::filesystem::path& path) {
  return {{"file", path.string()}, {"rows", milp.rows.size()}, {"columns", milp.variables.size()}, {"nonzeros", milp.entries.size()}};
}

ExitCode generate(const Family& family, const GenerateOptions& options) {
  const auto size = std::ranges::find(size_names, options.size) - size_names.begin();
  const Parameters parameters = resolve_parameters(family, static_cast<Size>(size), options.overrides);
  const std::filesystem::path directory(options.directory);
  nlohmann::ordered_json written = nlohmann::ordered_json::array();
  const auto write = [&](const Milp& milp, const std::string& stem) {
    make_directories(directory);
    const auto path = directory / std::format("{}.{}", stem, options.format);
    write_milp(milp, path);
    written.push_back(shape_of(milp, path));
    if (!options.json && !options.quiet) print_result(path.string() + "\n");
  };

  if (!options.from.empty()) {
    if (family.from_data == nullptr) throw Error(ExitCode::usage, std::format("{} has no published data format; leave out --from", family.name));
    std::filesystem::path source(options.from);
    if (!source.has_filename()) source = source.parent_path();  // "data/V7a/" is "data/V7a"
    const Milp milp = family.from_data(source, parameters);
    write(milp, std::filesystem::is_directory(source) ? source.filename().string() : source.stem().string());
  } else {
    Progress progress(std::format("generating {}", family.name), static_cast<std::size_t>(options.count), options.quiet);
    const std::uint64_t last = options.seed + static_cast<std::uint64_t>(options.count) - 1;
    for (std::size_t done = 0; const Instance& instance : instances_of({family.name, static_cast<Size>(size), options.seed, last, options.overrides})) {
      if (stop_signal() != 0) break;
      write(generate_instance(family, parameters, instance.seed), instance.name);
      progress.advance(++done);
    }
  }
  if (options.json) print_result(json_text(written));
  return unless_stopped(ExitCode::ok);
}

std::string default_text(const ParameterSpec& spec) {
  std::string text;
  for (const double value : spec.defaults) text += std::format("{}{}", text.empty() ? "" : " / ", value);
  return std::ranges::all_of(spec.defaults, [&](double v) { return v == spec.defaults[0]; }) ? std::format("{}", spec.defaults[0]) : text;
}

}  // namespace

void add_generate(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("generate", "Write instances of a benchmark family");
  command->require_subcommand(0, 1);
  command->callback([&action] {
    if (!action) throw Error(ExitCode::usage, "no family given", "'bough generate --help' lists them");
  });
  command->footer(
      "Examples:\n"
      "  bough generate setcover --size easy --count 20 --seed 0 -o instances\n"
      "  bough generate facility --size tiny --customers 30 -o instances --format lp\n"
      "  bough generate setcover --from scp41.txt -o instances\n\n"
      "Instance k is that of seed S + k: the same bytes on every machine, whatever the count.  Parameters that are given become part\n"
      "of the files' names: other parameters, another instance.");
  for (const Family& family : families()) {
    CLI::App* sub = command->add_subcommand(family.name, family.summary);
    auto options = std::make_shared<GenerateOptions>();
    sub->add_option("-o,--output", options->directory, "directory for the files; made if it does not exist")->required()->option_text("DIR");
    sub->add_option("--size", options->size, "tiny, easy, medium or hard")->check(CLI::IsMember(size_names))->option_text("SIZE [easy]");
    sub->add_option("--count", options->count, "how many")->check(CLI::Range(1, 1'000'000))->option_text("N [10]");
    sub->add_option("--seed", options->seed, "seed of the first")->option_text("S [0]");
    sub->add_option("--format", options->format, "mps.gz, mps, lp.gz or lp")->check(CLI::IsMember(instance_formats))->option_text("FORMAT [mps.gz]");
    if (family.from_data != nullptr) sub->add_option("--from", options->from, "build the model from " + family.data_format)->option_text("PATH");
    sub->add_flag("--json", options->json, "files and sizes as JSON");
    sub->add_flag("-q,--quiet", options->quiet, "print nothing");
    for (const ParameterSpec& spec : family.parameters) {
      sub->add_option_function<double>(
             "--" + spec.name, [options, name = spec.name](double value) { options->overrides[name] = value; },
             std::format("{} [{}]", spec.help, default_text(spec)))
          ->option_text("X")
          ->group("Parameters [default: tiny / easy / medium / hard]");
    }
    sub->footer("Definition: " + family.reference);
    sub->callback([&action, &family, options] { action = [&family, options] { return generate(family, *options); }; });
  }
}

}  // namespace bough::cli
