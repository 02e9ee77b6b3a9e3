// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <format>
#include <memory>

#include "bough/branch/solve.hpp"
#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/instance/write.hpp"
#include "bough/stop.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"

namespace bough::cli {
namespace {

constexpr std::array demo_policies{"pscost", "relpscost", "fullstrong"};

/// exp(mean(log(x + 1))) - 1: the field's average for times, in which one slow instance does not drown the others.
double shifted_geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value + 1);
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size())) - 1;
}

struct DemoOptions {
  std::string family = "setcover";
  std::string size = "easy";
  int count = 3;
};

ExitCode demo(const DemoOptions& options) {
  const Family& family = family_by_name(options.family);
  const auto size = static_cast<Size>(std::ranges::find(size_names, options.size) - size_names.begin());
  const Parameters parameters = resolve_parameters(family, size);
  const TemporaryDirectory directory;

  print_result(std::format("{} {} instances ({}), each solved to proven optimality by three of SCIP's rules, 'paper' settings\n\n", options.count,
                           family.name, options.size));
  print_result(bold(std::format("{:<18}{:<13}{:>14}{:>9}{:>10}{:>12}", "instance", "policy", "objective", "nodes", "time", "after root"), stdout) + "\n");
  std::array<std::vector<double>, demo_policies.size()> times;
  std::array<std::vector<double>, demo_policies.size()> nodes;
  for (int k = 0; k < options.count; ++k) {
    const auto file = directory.path() / std::format("{}-{}.mps.gz", family.name, k);
    write_milp(generate_instance(family, parameters, static_cast<std::uint64_t>(k)), file);
    std::optional<double> optimum;
    for (std::size_t p = 0; p < demo_policies.size(); ++p) {
      SolveRequest request;
      request.instance = file;
      request.policy = demo_policies[p];
      request.settings.preset = "paper";
      // On a terminal the row is there while the solve runs and follows it.
      const std::string head = std::format("{:<18}{:<13}", file.stem().stem().string(), request.policy);
      if (is_terminal(stdout)) {
        request.on_progress = [&](const TracePoint& point) {
          print_result(std::format("\r\033[K{}{:>14}{:>9}{:>10}", head, number_text(point.primal_bound), point.n_nodes, duration_text(point.time_s)));
        };
      }
      const SolveResult result = solve_file(request);
      const RunStatistics& s = result.statistics;
      if (stop_signal() != 0) {
        print_result("\n");
        return unless_stopped(ExitCode::ok);
      }
      print_result(std::format("{}{}{:>14}{:>9}{:>10}{:>12}\n", is_terminal(stdout) ? "\r\033[K" : "", head, number_text(s.primal_bound), s.n_nodes,
                               duration_text(s.time_s), duration_text(s.time_s - s.root_time_s)));
      if (s.status != "optimal" || !result.solution_check->feasible) {
        throw Error(ExitCode::failure, std::format("{} with {}: {}", file.filename().string(), request.policy, s.status));
      }
      if (optimum && std::abs(*optimum - s.primal_bound) > 1e-6 * std::max(1.0, std::abs(*optimum))) {
        throw Error(ExitCode::failure, std::format("{}: {} finds {}, another rule {}", file.filename().string(), request.policy, s.primal_bound, *optimum));
      }
      optimum = s.primal_bound;
      times[p].push_back(s.time_s);
      nodes[p].push_back(static_cast<double>(s.n_nodes));
    }
  }

  print_result(std::format("\n{}\n", bold(std::format("{:<13}{:>12}{:>12}", "policy", "time", "nodes"), stdout)));
  for (std::size_t p = 0; p < demo_policies.size(); ++p) {
    print_result(std::format("{:<13}{:>12}{:>12.1f}\n", demo_policies[p], duration_text(shifted_geometric_mean(times[p])), shifted_geometric_mean(nodes[p])));
  }
  print_result("1-shifted geometric means.  All rules agree on every optimum, and every solution holds in its file.\n");
  return ExitCode::ok;
}

}  // namespace

void add_demo(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("demo", "Generate a few instances and compare branching rules on them");
  auto options = std::make_shared<DemoOptions>();
  command->add_option("--family", options->family, "family of the instances")->option_text("NAME [setcover]");
  command->add_option("--size", options->size, "tiny, easy, medium or hard")->check(CLI::IsMember(size_names))->option_text("SIZE [easy]");
  command->add_option("--count", options->count, "how many instances")->check(CLI::Range(1, 1000))->option_text("N [3]");
  command->callback([&action, options] { action = [options] { return demo(*options); }; });
}

}  // namespace bough::cli
