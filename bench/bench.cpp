// SPDX-License-Identifier: Apache-2.0
//
// bough-bench OUT.json     times contenders against each other and writes {name, ratio, low, high, ...} rows
//
// Contenders alternate within one run, so that a machine that slows down slows both; the result is the ratio of their medians, with
// the smallest and largest ratio of single rounds beside it.  Each answer is checked before its time counts.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <format>
#include <functional>
#include <nlohmann/json.hpp>
#include <print>
#include <stdexcept>
#include <vector>

#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/instance/write.hpp"
#include "bough/scip/problem.hpp"
#include "bough/version.hpp"

namespace bough::bench {
namespace {

double seconds(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

/// time(first) / time(second), alternated `rounds` times.
nlohmann::ordered_json compare(const std::string& name, int rounds, const std::function<void()>& first, const std::function<void()>& second) {
  first();  // warm-up: page cache, lazy binding
  second();
  std::vector<double> first_s;
  std::vector<double> second_s;
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    first_s.push_back(seconds(first));
    second_s.push_back(seconds(second));
    ratios.push_back(first_s.back() / second_s.back());
  }
  const nlohmann::ordered_json row{{"name", name},
                                   {"ratio", median(first_s) / median(second_s)},
                                   {"low", std::ranges::min(ratios)},
                                   {"high", std::ranges::max(ratios)},
                                   {"first_ms", 1e3 * median(first_s)},
                                   {"second_ms", 1e3 * median(second_s)},
                                   {"rounds", rounds}};
  std::println("{:<44}{:>8.2f}   ({:.2f} .. {:.2f})   {:.1f} ms : {:.1f} ms", name, row["ratio"].get<double>(), row["low"].get<double>(),
               row["high"].get<double>(), row["first_ms"].get<double>(), row["second_ms"].get<double>());
  return row;
}

/// Generating and writing an instance against SCIP's reading it back.
nlohmann::ordered_json generate_row(const std::string& family_name, Size size, const std::filesystem::path& directory) {
  const Family& family = family_by_name(family_name);
  const Parameters parameters = resolve_parameters(family, size);
  const auto file = directory / (family_name + ".mps.gz");
  const std::size_t n_columns = generate_instance(family, parameters, 0).variables.size();
  return compare(
      std::format("generate/{}-{}/write-vs-read", family_name, size_names[static_cast<std::size_t>(size)]), 5,
      [&] { write_milp(generate_instance(family, parameters, 0), file); },
      [&] {
        const ScipPtr scip = create_scip();
        read_problem(scip.get(), file);
        if (static_cast<std::size_t>(SCIPgetNOrigVars(scip.get())) != n_columns) throw std::runtime_error("read back another instance");
      });
}

/// The whole process `bough solve` against the whole process `scip` on an instance that is solved at once.
nlohmann::ordered_json startup_row(const std::filesystem::path& directory) {
  const auto file = directory / "one.lp";
  write_file(file, "Maximize\n obj: x\nSubject To\n c: x <= 1\nBinaries\n x\nEnd\n");
  const auto run = [](const std::string& command) {
    if (std::system((command + " > /dev/null 2>&1").c_str()) != 0) throw std::runtime_error("failed: " + command);
  };
  return compare(
      "startup/solve-vs-scip", 21, [&] { run(std::format("'{}' solve '{}' -q", BOUGH_EXECUTABLE, file.string())); },
      [&] { run(std::format("scip -f '{}'", file.string())); });
}

void run_all(const std::filesystem::path& out) {
  const TemporaryDirectory temporary;
  const std::filesystem::path& directory = temporary.path();
  std::println("{:<44}{:>8}   (lowest .. highest)   medians", "benchmark", "ratio");
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Family& family : families()) rows.push_back(generate_row(family.name, Size::easy, directory));
  rows.push_back(generate_row("loadbalance", Size::hard, directory));
  rows.push_back(startup_row(directory));
  for (auto& row : rows) row["commit"] = commit;
  write_file(out, rows.dump(2) + "\n");
}

}  // namespace
}  // namespace bough::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    std::println(stderr, "usage: bough-bench OUT.json");
    return 2;
  }
  try {
    bough::bench::run_all(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::println(stderr, "bough-bench: {}", error.what());
    return 1;
  }
}
