// SPDX-License-Identifier: Apache-2.0
//
// bough-bench OUT.json              times contenders against each other and writes {name, ratio, low, high, ...} rows
// bough-bench OUT.json GROUP        only one group of rows: generate, observe, decision, collect, share; decision:setcover-easy for one of a group
//
// Contenders alternate within one run, so that a machine that slows down slows both; the result is the ratio of their medians, with
// the smallest and largest ratio of single rounds beside it.  Each answer is checked before its time counts.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <format>
#include <functional>
#include <print>
#include <stdexcept>
#include <vector>

#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/instance/write.hpp"
#include "bough/scip/problem.hpp"
#include "bough/train/network.hpp"
#include "bough/version.hpp"
#include "bench/rows.hpp"

namespace bough::bench {
double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

double seconds(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Row compare(const std::string& name, int rounds, const std::function<void()>& first, const std::function<void()>& second) {
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
  const double first_ms = 1e3 * median(first_s);
  const double second_ms = 1e3 * median(second_s);
  return finish({{"name", name}, {"ratio", first_ms / second_ms}, {"low", std::ranges::min(ratios)}, {"high", std::ranges::max(ratios)},
                 {"first_ms", first_ms}, {"second_ms", second_ms}, {"rounds", rounds}},
                std::format("{:.3g} ms : {:.3g} ms", first_ms, second_ms));
}

Row finish(Row row, const std::string& remark) {
  std::println("{:<44}{:>9.3g}   ({:.3g} .. {:.3g})   {}", row["name"].get<std::string>(), row["ratio"].get<double>(), row["low"].get<double>(),
               row["high"].get<double>(), remark);
  (void)std::fflush(stdout);
  return row;
}

namespace {

/// Generating and writing an instance against SCIP's reading it back.
Row generate_row(const std::string& family_name, Size size, const std::filesystem::path& directory) {
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
Row startup_row(const std::filesystem::path& directory) {
  const auto file = directory / "one.lp";
  write_file(file, "Maximize\n obj: x\nSubject To\n c: x <= 1\nBinaries\n x\nEnd\n");
  const auto run = [](const std::string& command) {
    if (std::system((command + " > /dev/null 2>&1").c_str()) != 0) throw std::runtime_error("failed: " + command);
  };
  return compare(
      "startup/solve-vs-scip", 21, [&] { run(std::format("'{}' solve '{}' -q", BOUGH_EXECUTABLE, file.string())); },
      [&] { run(std::format("scip -f '{}'", file.string())); });
}

/// Runs the groups of rows; `only` is GROUP or GROUP:NAME, empty for all.
void run(const std::filesystem::path& out, std::string_view only) {
  const TemporaryDirectory temporary;
  const std::filesystem::path& directory = temporary.path();
  const std::string_view group = only.substr(0, only.find(':'));
  const std::string_view name = only.size() > group.size() ? only.substr(group.size() + 1) : std::string_view();
  const auto wanted = [&](std::string_view candidate) { return group.empty() || group == candidate; };
  std::println("{:<44}{:>9}   (lowest .. highest)   medians", "benchmark", "ratio");
  Row rows = Row::array();
  const auto add = [&](const Row& more) {
    for (const Row& row : more) rows.push_back(row);
  };
  if (wanted("generate")) {
    for (const Family& family : families()) rows.push_back(generate_row(family.name, Size::easy, directory));
    rows.push_back(generate_row("loadbalance", Size::hard, directory));
    rows.push_back(startup_row(directory));
  }
  if (wanted("observe")) add(observe_rows(name));
  if (wanted("decision")) add(decision_rows(name));
  if (wanted("collect")) {
    add(collect_rows(directory));
    const Row train = train_rows(directory / "one");
    add(train);
    rows.push_back(loader_row(directory / "one", train[0]["fused_ms_per_state"].get<double>() / 1e3));
  }
  if (wanted("share")) rows.push_back(share_row());
  for (auto& row : rows) row["commit"] = commit;
  write_file(out, rows.dump(2) + "\n");
}

}  // namespace
}  // namespace bough::bench

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::println(stderr, "usage: bough-bench OUT.json [generate|observe|decision|collect|share[:NAME]]");
    return 2;
  }
  try {
    bough::use_one_thread_in_libtorch();
    bough::bench::run(argv[1], argc == 3 ? argv[2] : "");
    return 0;
  } catch (const std::exception& error) {
    std::println(stderr, "bough-bench: {}", error.what());
    return 1;
  }
}
