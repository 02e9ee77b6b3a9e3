// SPDX-License-Identifier: Apache-2.0
//
// Set covering (Balas & Ho 1980):  min c'x,  every row covered by at least one chosen column,  x binary.
#include <algorithm>
#include <cstdint>
#include <format>
#include <numeric>

#include "bough/error.hpp"
#include "bough/instance/data_file.hpp"
#include "bough/instance/family.hpp"

namespace bough {
namespace {

/// The MILP of a cover matrix given by columns: columns[j] lists the rows that column j covers.
Milp build(int n_rows, const std::vector<std::vector<int>>& columns, const std::vector<int>& costs) {
  Milp milp;
  for (std::size_t j = 0; j < columns.size(); ++j) milp.add_binary(std::format("x{}", j + 1), costs[j]);

  std::vector<std::vector<int>> covering(static_cast<std::size_t>(n_rows));  // row -> columns, in column order
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (const int i : columns[j]) covering[static_cast<std::size_t>(i)].push_back(static_cast<int>(j));
  }
  for (std::size_t i = 0; i < covering.size(); ++i) {
    milp.add_row(std::format("cover{}", i + 1), 1, Milp::infinity);
    for (const int j : covering[i]) milp.add_entry(j, 1);
  }
  return milp;
}

Milp generate(const Parameters& parameters, Rng& rng) {
  const int n_rows = parameters.integer("rows");
  const int n_columns = parameters.integer("columns");
  const auto n_nonzeros = static_cast<std::int64_t>(static_cast<double>(n_rows) * n_columns * parameters.real("density"));
  const std::int64_t least = std::max<std::int64_t>(n_rows, 2 * std::int64_t{n_columns});
  if (n_nonzeros < least || n_rows < 2) {
    throw Error(ExitCode::usage,
                std::format("setcover: {} x {} at density {} gives {} nonzeros; at least {} are needed so that every row is covered "
                            "and every column covers two rows",
                            n_rows, n_columns, parameters.real("density"), n_nonzeros, least),
                "raise --density or --rows");
  }

  // Column counts: two each, the rest uniform over the (column, row) places still free, so that no column exceeds n_rows.
  std::vector<int> count(static_cast<std::size_t>(n_columns), 2);
  for (std::int64_t left = n_nonzeros - 2 * std::int64_t{n_columns}; left > 0;) {
    const std::size_t j = rng.below(static_cast<std::uint64_t>(n_columns));
    // Accepting with the free share of the column is the same as drawing a free place without replacement.
    if (rng.below(static_cast<std::uint64_t>(n_rows - 2)) >= static_cast<std::uint64_t>(count[j] - 2)) {
      ++count[j];
      --left;
    }
  }

  // Slots in column order; the first n_rows slots hold a permutation of the rows, so that every row is covered.
  const std::vector<int> first = rng.permutation(n_rows);
  std::vector<std::vector<int>> columns(count.size());
  std::size_t slot = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    auto& rows = columns[j];
    const auto wanted = static_cast<std::size_t>(count[j]);
    while (rows.size() < wanted && slot < first.size()) rows.push_back(first[slot++]);
    if (rows.size() == wanted) continue;
    std::vector<int> free(first.size());
    std::iota(free.begin(), free.end(), 0);
    std::erase_if(free, [&](int i) { return std::ranges::contains(rows, i); });
    const std::size_t missing = wanted - rows.size();
    rng.shuffle_front(free, missing);
    rows.insert(rows.end(), free.begin(), free.begin() + static_cast<std::ptrdiff_t>(missing));
  }

  std::vector<int> costs(columns.size());
  for (int& cost : costs) cost = rng.integer(1, parameters.integer("max-cost"));
  return build(n_rows, columns, costs);
}

/// OR-Library `scp`: m n, the n costs, then for every row the number of columns that cover it and their (1-based) numbers.
Milp from_data(const std::filesystem::path& path, const Parameters&) {
  NumberReader in(path);
  const int n_rows = in.integer("the number of rows", 1, 10'000'000);
  const int n_columns = in.integer("the number of columns", 1, 10'000'000);
  std::vector<int> costs(static_cast<std::size_t>(n_columns));
  for (int& cost : costs) cost = in.integer("a column's cost", 0, 1'000'000'000);
  std::vector<std::vector<int>> columns(costs.size());
  for (int i = 0; i < n_rows; ++i) {
    const int n_covering = in.integer("the number of columns that cover a row", 1, n_columns);
    for (int k = 0; k < n_covering; ++k) {
      auto& rows = columns[static_cast<std::size_t>(in.integer("a column's number", 1, n_columns) - 1)];
      if (!rows.empty() && rows.back() == i) in.fail(std::format("row {} names the same column twice", i + 1));
      rows.push_back(i);
    }
  }
  in.expect_end();
  return build(n_rows, columns, costs);
}

const FamilyRegistration registration{{
    .name = "setcover",
    .summary = "set covering with random costs",
    .reference = "Balas & Ho 1980; sizes of Gasse et al. 2019",
    .parameters = {{"rows", "rows to cover", {180, 500, 1000, 2000}, 2, 1e6},
                   {"columns", "columns to choose from", {120, 1000, 1000, 1000}, 1, 1e6},
                   {"density", "share of nonzeros", {0.08, 0.05, 0.05, 0.05}, 0, 1, false},
                   {"max-cost", "costs are uniform on 1..max-cost", {100, 100, 100, 100}, 1, 1e6}},
    .generate = generate,
    .from_data = from_data,
    .data_format = "an OR-Library scp file",
}};

}  // namespace
}  // namespace bough
