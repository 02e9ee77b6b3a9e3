// SPDX-License-Identifier: Apache-2.0
//
// bough-sizes OUT.jsonl TIME_LIMIT_S     for every family and size: rows, columns, nonzeros and a solve with relpscost
//
// Appends one JSON object a line as it goes and skips what is already there, so that it can be interrupted; prints the table of
// docs/families.md from the file at the end.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <format>
#include <map>
#include <nlohmann/json.hpp>
#include <print>
#include <set>

#include "bough/branch/solve.hpp"
#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/instance/write.hpp"
#include "bough/journal.hpp"
#include "bough/stop.hpp"
#include "bough/version.hpp"

namespace bough::bench {
namespace {

using nlohmann::ordered_json;

std::vector<ordered_json> records_in(const std::filesystem::path& path) {
  std::vector<ordered_json> records;
  if (!std::filesystem::exists(path)) return records;
  for (const std::string& line : read_journal(path)) records.push_back(ordered_json::parse(line));
  return records;
}

std::string key(const std::string& family, std::string_view size, std::uint64_t seed) { return std::format("{}-{}-{}", family, size, seed); }

ordered_json measure(const Family& family, Size size, std::uint64_t seed, double time_limit_s, const std::filesystem::path& file) {
  const Milp milp = generate_instance(family, resolve_parameters(family, size), seed);
  write_milp(milp, file);
  SolveRequest request;
  request.instance = file;
  request.settings.preset = "paper";
  request.settings.time_limit_s = time_limit_s;
  const SolveResult result = solve_file(request);
  if (result.solution_check && !result.solution_check->feasible) throw Error(ExitCode::failure, result.solution_check->complaint);
  const RunStatistics& s = result.statistics;
  return {{"instance", key(family.name, size_names[static_cast<std::size_t>(size)], seed)},
          {"family", family.name},
          {"size", size_names[static_cast<std::size_t>(size)]},
          {"seed", seed},
          {"rows", milp.rows.size()},
          {"columns", milp.variables.size()},
          {"nonzeros", milp.entries.size()},
          {"policy", request.policy},
          {"settings", request.settings.preset},
          {"time_limit", time_limit_s},
          {"status", s.status},
          {"time", s.time_s},
          {"root_time", s.root_time_s},
          {"nodes", s.n_nodes},
          {"gap", std::isfinite(s.gap) ? ordered_json(s.gap) : ordered_json(nullptr)},
          {"commit", commit}};
}

/// The means over the seeds of each family and size.
void print_table(const std::vector<ordered_json>& records) {
  std::map<std::pair<std::string, std::size_t>, std::vector<ordered_json>> groups;
  for (const auto& record : records) {
    const auto rank = static_cast<std::size_t>(std::ranges::find(size_names, record.at("size").get<std::string>()) - size_names.begin());
    groups[{record.at("family"), rank}].push_back(record);
  }
  std::println("| family | size | rows | columns | nonzeros | solved | time (s) | root (s) | nodes |\n|---|---|---|---|---|---|---|---|---|");
  for (const auto& [name, group] : groups) {
    const auto mean = [&](const char* field) {
      double sum = 0;
      for (const auto& record : group) sum += record.at(field).get<double>();
      return sum / static_cast<double>(group.size());
    };
    const auto n_solved = std::ranges::count_if(group, [](const auto& record) { return record.at("status") == "optimal"; });
    std::println("| {} | {} | {:.0f} | {:.0f} | {:.0f} | {}/{} | {:.2f} | {:.2f} | {:.0f} |", name.first, size_names[name.second], mean("rows"),
                 mean("columns"), mean("nonzeros"), n_solved, group.size(), mean("time"), mean("root_time"), mean("nodes"));
  }
}

void run(const std::filesystem::path& out, double time_limit_s) {
  std::set<std::string> done;
  for (const auto& record : records_in(out)) done.insert(record.at("instance").get<std::string>());
  const TemporaryDirectory directory;
  const auto file = directory.path() / "instance.mps";
  for (std::size_t size = 0; size < size_names.size(); ++size) {
    for (const Family& family : families()) {
      for (std::uint64_t seed = 0; seed < (size < 2 ? 3U : 1U) && stop_signal() == 0; ++seed) {
        const std::string name = key(family.name, size_names[size], seed);
        if (done.contains(name)) continue;
        std::println(stderr, "{}", name);
        const ordered_json record = measure(family, static_cast<Size>(size), seed, time_limit_s, file);
        if (stop_signal() != 0) break;
        append_to_journal(out, record.dump());
      }
    }
  }
  print_table(records_in(out));
}

}  // namespace
}  // namespace bough::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    std::println(stderr, "usage: bough-sizes OUT.jsonl TIME_LIMIT_S");
    return 2;
  }
  bough::catch_stop_signals();
  try {
    bough::bench::run(argv[1], std::stod(argv[2]));
    return 0;
  } catch (const std::exception& error) {
    std::println(stderr, "bough-sizes: {}", error.what());
    return 1;
  }
}
