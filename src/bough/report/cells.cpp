// SPDX-License-Identifier: Apache-2.0
#include "bough/report/cells.hpp"

#include <algorithm>
#include <cmath>
#include <format>

namespace bough {
namespace {

/// "1,234.5"
std::string grouped(double value, int decimals) {
  std::string text = std::format("{:.{}f}", value, decimals);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = std::min(text.find('.'), text.size()); at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

int decimals_of_ratio(double value) { return value >= 100 ? 0 : value >= 10 ? 1 : 2; }

}  // namespace

int decimals_of_seconds(double value) { return value >= 1000 ? 0 : value >= 100 ? 1 : value >= 0.1 ? 2 : 3; }
int decimals_of_count(double value) { return value >= 10 ? 0 : 1; }

Cell count_cell(std::int64_t count) { return {grouped(static_cast<double>(count), 0), static_cast<double>(count)}; }

Cell number_cell(double value, int decimals) { return std::isfinite(value) ? Cell{grouped(value, decimals), value} : Cell{"n/a"}; }

Cell estimate_cell(const Estimate& estimate, int (*decimals_of)(double)) {
  const int decimals = decimals_of(estimate.mean);
  Cell cell = number_cell(estimate.mean, decimals);
  if (cell.value && std::isfinite(estimate.deviation)) {
    cell.text += " ± " + grouped(estimate.deviation, decimals);
    cell.parts = {{"deviation", estimate.deviation}};
  }
  return cell;
}

std::string ratio_text(const Ratio& ratio) {
  const int decimals = decimals_of_ratio(ratio.ratio);
  std::string text = grouped(ratio.ratio, decimals);
  if (std::isfinite(ratio.low) && std::isfinite(ratio.high)) text += std::format(" [{}, {}]", grouped(ratio.low, decimals), grouped(ratio.high, decimals));
  return text;
}

Cell ratio_cell(const std::optional<Ratio>& ratio) {
  if (!ratio || !std::isfinite(ratio->ratio)) return {"n/a"};
  return {ratio_text(*ratio), ratio->ratio, false, {{"low", ratio->low}, {"high", ratio->high}}};
}

Cell p_cell(const std::optional<Ratio>& ratio) {
  if (!ratio || !std::isfinite(ratio->p_value)) return {"n/a"};
  return {ratio->p_value < 0.001 ? "< 0.001" : grouped(ratio->p_value, 3), ratio->p_value};
}

void mark_best(Section& section, std::size_t column, bool lowest) {
  std::vector<Cell*> cells;
  for (Row& row : section.rows) {
    if (column < row.cells.size() && row.cells[column].value) cells.push_back(&row.cells[column]);
  }
  if (cells.empty()) return;
  const auto [low, high] = std::ranges::minmax(cells, {}, [](const Cell* cell) { return *cell->value; });
  if (*low->value == *high->value) return;
  const double best = lowest ? *low->value : *high->value;
  for (Cell* cell : cells) cell->best = *cell->value == best;
}

}  // namespace bough
