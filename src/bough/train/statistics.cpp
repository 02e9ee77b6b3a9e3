// SPDX-License-Identifier: Apache-2.0
#include "bough/train/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace bough {

void ColumnStatistics::add(const std::vector<float>& rows, double times) {
  const std::size_t n_columns = sum_.size();
  if (rows.empty()) return;
  if (n_ == 0) std::copy_n(rows.begin(), n_columns, shift_.begin());
  for (std::size_t at = 0; at < rows.size(); at += n_columns) {
    for (std::size_t c = 0; c < n_columns; ++c) {
      const double x = static_cast<double>(rows[at + c]) - shift_[c];
      sum_[c] += times * x;
      squares_[c] += times * x * x;
    }
  }
  n_ += times * static_cast<double>(rows.size() / n_columns);
}

double ColumnStatistics::deviation(std::size_t column) const {
  const double n = std::max(n_, 1.0), mean = sum_[column] / n;
  const double variance = squares_[column] / n - mean * mean;
  const auto deviation = static_cast<float>(std::sqrt(std::max(variance, 0.0)));
  return deviation > 1e-6F ? static_cast<double>(deviation) : 1.0;
}

void InputStatistics::add(const Window& window) {
  const auto states = window.states();
  for (std::size_t s = 0; s < states.size(); ++s) {
    variable_.add(states[s].variable_features);
    row_.add(states[s].row_features);
    const Topology& topology = window.topology(states[s]);
    if (states[s].label) has_preference_ = has_preference_ || std::ranges::count(states[s].label->best, 0) > 0;
    // A topology counts as often as the window has it.
    const auto same = [&](const State& other) { return other.topology == states[s].topology; };
    if (std::none_of(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(s), same)) {
      edge_.add(topology.edge_coefficient, static_cast<double>(std::ranges::count_if(states, same)));
    }
  }
}

void write_statistics(const std::string& name, const ColumnStatistics& columns, Learner<float>& network, double least_share) {
  const auto mean = network.statistic(name + ".mean"), deviation = network.statistic(name + ".std");
  for (std::size_t c = 0; c < mean.size(); ++c) {
    mean[c] = static_cast<float>(columns.mean(c));
    deviation[c] = static_cast<float>(columns.deviation(c) < least_share * std::abs(columns.mean(c)) ? 1.0 : columns.deviation(c));
  }
}

void InputStatistics::write_to(Learner<float>& network) const {
  // With equal costs a feature like c / |c| is 1 / sqrt(n), the same in all states but for what presolving removes.  Magnified to unit deviation it
  // would put an instance of twice the size hundreds of deviations off.
  constexpr double least_share = 0.01;
  write_statistics("variable", variable_, network, least_share);
  write_statistics("row", row_, network, least_share);
  write_statistics("edge", edge_, network, least_share);
}

}  // namespace bough
