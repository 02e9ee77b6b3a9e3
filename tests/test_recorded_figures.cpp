// SPDX-License-Identifier: Apache-2.0
//
// The ratios in the README, in docs/results.md and in the tables of docs/results/ are what the records in bench/results/ say: they are
// computed again here, and a row that is not among them is an error that shows the row as it should be.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <format>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bough/evaluate/metrics.hpp"
#include "bough/evaluate/record.hpp"
#include "bough/file.hpp"
#include "bough/report/cells.hpp"
#include "bough/report/paper.hpp"
#include "bough/report/table.hpp"
#include "bough/report/tables.hpp"

namespace bough::test {
namespace {

namespace fs = std::filesystem;

const fs::path source = BOUGH_SOURCE_DIR;
const fs::path records = source / "bench/results";

/// Where the ratios of a family stand: a directory of records by size and settings, and the groups of its sizes.
struct Line {
  const char* title;
  const char* family;
  std::array<const char*, 3> directories;  // easy, medium, hard under the settings of the paper; null: not recorded
  const char* under_default;               // SCIP's own settings, easy and medium
};
constexpr Line lines[] = {
    {"set covering", "setcover", {"setcover-easy", "setcover-medium", "setcover-hard"}, "setcover-default"},
    {"combinatorial auctions", "auction", {"auction-easy", "auction-medium", nullptr}, "auction-default"},
    {"auctions of the published generator", "auction", {"auction-gasse", "auction-gasse", "auction-gasse"}, nullptr},
    {"facility location", "facility", {"facility-easy", "facility-medium", "facility-hard"}, "facility-default"},
    {"independent set", "indset", {"indset-easy", "indset-medium", "indset-hard"}, "indset-default"},
};
constexpr std::array sizes{"easy", "medium", "hard"};

/// "1.64 [1.56, 1.72]", the time of `policy` over that of tgat; a star where the instances are too few to tell; empty without a record.
std::string over_tgat(const char* directory, const Line& line, const char* size, const std::string& policy) {
  if (directory == nullptr) return "";
  const Evaluation evaluation = read_evaluation(records / directory);
  const std::string group = std::format("{}-{}", line.family, size);
  if (!std::ranges::contains(policies_in(evaluation, group), policy)) return "";
  const auto ratio = compare(evaluation, group, policy, "tgat", Figure::time);
  if (!ratio) return "";
  return ratio_text(*ratio) + (ratio->n_instances < least_instances ? " \\*" : "");
}

std::string cell(const std::string& text) { return text.empty() ? " |" : std::format(" {} |", text); }

std::vector<std::string> rows_of(const fs::path& document) {
  std::istringstream in(read_file(document));
  std::vector<std::string> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("| ")) rows.push_back(line);
  }
  return rows;
}

TEST(RecordedFigures, AreThoseOfTheReadme) {
  const std::vector<std::string> rows = rows_of(source / "README.md");
  for (const Line& line : lines) {
    std::string row = std::format("| {} |", line.title);
    for (std::size_t i = 0; i < sizes.size(); ++i) row += cell(over_tgat(line.directories[i], line, sizes[i], "relpscost"));
    for (const char* size : {"easy", "medium"}) row += cell(over_tgat(line.under_default, line, size, "relpscost"));
    EXPECT_TRUE(std::ranges::contains(rows, row)) << "README.md should have the row\n" << row;
  }
}

TEST(RecordedFigures, AreThoseOfTheSummaryOfResults) {
  const std::vector<std::string> rows = rows_of(source / "docs/results.md");
  const auto expect = [&](const Line& line, const char* directory, const char* size, const char* settings) {
    if (directory == nullptr) return;
    std::string row = std::format("| {} | {} | `{}` |", line.title, size, settings);
    for (const char* policy : {"relpscost", "pscost", "gcnn"}) row += cell(over_tgat(directory, line, size, policy));
    if (std::string_view(settings) == "paper") row += std::format(" {:.2f}", paper_figures(line.family, size, "relpscost")->time_s / paper_figures(line.family, size, "tgat")->time_s);
    EXPECT_TRUE(std::ranges::any_of(rows, [&](const std::string& found) { return found.starts_with(row); })) << "docs/results.md should have a row that begins with\n" << row;
  };
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < sizes.size(); ++i) expect(line, line.directories[i], sizes[i], "paper");
    for (const char* size : {"easy", "medium"}) expect(line, line.under_default, size, "default");
  }
}

/// Counts are over what everybody solved: of a policy that solves little they are said of all others without it, and of itself not at all.
void leave_out_counts(Table& table, const std::string& policy) {
  for (Section& section : table.sections) {
    for (Row& row : section.rows) {
      if (row.cells.front().text != policy) continue;
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const Column& column = table.columns[i];
        if (column.group == "nodes" || column.heading == "nodes" || column.heading == "fair nodes" || column.heading == "LP iterations") row.cells[i] = {"n/a"};
      }
    }
  }
}

/// All rows of all tables that the records give: with all policies, and without those that solve little.
std::set<std::string> rows_of_records() {
  std::set<std::string> rows;
  const auto add = [&](const Table& table) {
    std::istringstream in(markdown(table));
    for (std::string line; std::getline(in, line);) rows.insert(line);
  };
  for (const auto& entry : fs::directory_iterator(records)) {
    if (!fs::exists(entry.path() / "suite.json")) continue;
    Evaluation evaluation = read_evaluation(entry.path());
    std::vector<Table> tables = report_tables(std::span(&evaluation, 1));
    std::ranges::for_each(tables, add);
    for (const char* slow : {"random", "pscost"}) {
      for (Table& table : tables) leave_out_counts(table, slow);
      std::ranges::for_each(tables, add);
      std::erase_if(evaluation.policies, [&](const PolicyInfo& policy) { return policy.name == slow; });
      std::erase_if(evaluation.runs, [&](const RunRecord& run) { return run.policy == slow; });
      for (GroupInfo& group : evaluation.groups) std::erase(group.policies, slow);
      tables = report_tables(std::span(&evaluation, 1));
      std::ranges::for_each(tables, add);
    }
  }
  return rows;
}

// Tables of docs/results/ that have the headings of one of `bough report`.
TEST(RecordedFigures, AreThoseOfEveryTableOfResults) {
  const std::set<std::string> known = rows_of_records();
  int n_rows = 0;
  for (const auto& page : fs::directory_iterator(source / "docs/results")) {
    std::istringstream in(read_file(page.path()));
    bool is_of_report = false;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("| policy |")) {
        is_of_report = true;
      } else if (!line.starts_with("|")) {
        is_of_report = false;
      } else if (is_of_report && line.starts_with("| ")) {
        ++n_rows;
        EXPECT_TRUE(known.contains(line)) << page.path().filename() << " has a row that no record gives:\n" << line;
      }
    }
  }
  EXPECT_GT(n_rows, 100);
}

// Records that do not tell the choice at the root from the rest of the root node: what the time after the root would be with that choice in
// it, as the root node is the same for both but for it.
TEST(RecordedFigures, AreThoseOfTheTimeAfterTheRoot) {
  const std::vector<std::string> rows = rows_of(source / "docs/results.md");
  const auto corrected = [](const char* directory, const Line& line, const char* size) -> std::string {
    constexpr std::array<std::string_view, 2> tell_apart{"facility-easy", "setcover-hard"};
    if (directory == nullptr || std::ranges::contains(tell_apart, std::string_view(directory))) return "";
    const Evaluation evaluation = read_evaluation(records / directory);
    const std::string group = std::format("{}-{}", line.family, size);
    std::map<std::pair<std::string, std::uint32_t>, const RunRecord*> of_tgat;
    for (const RunRecord& run : evaluation.runs) {
      if (run.group == group && run.policy == "tgat") of_tgat[{run.instance, run.seed}] = &run;
    }
    std::vector<double> relpscost, tgat;
    for (const RunRecord& run : evaluation.runs) {
      const auto other = of_tgat.find({run.instance, run.seed});
      if (run.group != group || run.policy != "relpscost" || other == of_tgat.end()) continue;
      relpscost.push_back(counted_time_s(evaluation, run) - other->second->root_time_s);
      tgat.push_back(counted_time_s(evaluation, *other->second) - other->second->root_time_s);
    }
    return std::format("{:.2f} instead of {:.2f}", shifted_geometric_mean(relpscost) / shifted_geometric_mean(tgat), compare(evaluation, group, "relpscost", "tgat", Figure::time_after_root)->ratio);
  };
  for (const Line& line : lines) {
    std::string row = std::format("| {} |", line.title);
    for (std::size_t i = 0; i < sizes.size(); ++i) row += cell(corrected(line.directories[i], line, sizes[i]));
    EXPECT_TRUE(std::ranges::contains(rows, row)) << "docs/results.md should have the row\n" << row;
  }
}

}  // namespace
}  // namespace bough::test
