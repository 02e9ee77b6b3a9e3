// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "bough/dataset/loader.hpp"
#include "bough/train/network.hpp"

namespace bough {

/// Mean and deviation of some columns, in one pass over their rows.
class ColumnStatistics {
 public:
  explicit ColumnStatistics(std::size_t n_columns) : shift_(n_columns), sum_(n_columns), squares_(n_columns) {}
  /// rows (n_rows, n_columns), each counted `times` times.
  void add(const std::vector<float>& rows, double times = 1);
  [[nodiscard]] double mean(std::size_t column) const { return shift_[column] + sum_[column] / std::max(n_, 1.0); }
  /// 1 for a column that never varies.
  [[nodiscard]] double deviation(std::size_t column) const;

 private:
  double n_ = 0;
  // All sums are of differences to the first row: a constant column then has deviation 0 exactly.
  std::vector<double> shift_, sum_, squares_;  // (n_columns)
};

/// What a network has to know of its training set before training (docs/model.md: mean, std, scale).
class InputStatistics {
 public:
  void add(const Window& window);
  void write_to(Learner<float>& network) const;
  /// Whether there is a labelled state in which not all candidates are tied.
  [[nodiscard]] bool has_preference() const { return has_preference_; }

 private:
  ColumnStatistics variable_{n_variable_features}, row_{n_row_features}, edge_{1};
  double n_variables_ = 0, n_rows_ = 0, n_edges_ = 0;
  bool has_preference_ = false;
};

}  // namespace bough
