// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
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
  /// 1 for a column that does not vary, or by less than 1e-6.
  [[nodiscard]] double deviation(std::size_t column) const;

 private:
  double n_ = 0;
  // All sums are of differences to the first row: a constant column then has deviation 0 exactly.
  std::vector<double> shift_, sum_, squares_;  // (n_columns)
};

/// Writes a mean and deviation into a network's tensors NAME.mean and NAME.std.  A column whose deviation is less than `least_share` of its mean counts as
/// one that does not vary.
void write_statistics(const std::string& name, const ColumnStatistics& columns, Learner<float>& network, double least_share = 0);

/// What a network has to know of its training set before training (docs/model.md, section 1).
class InputStatistics {
 public:
  void add(const Window& window);
  void write_to(Learner<float>& network) const;
  /// Whether there is a labelled state in which not all candidates are tied.
  [[nodiscard]] bool has_preference() const { return has_preference_; }

 private:
  ColumnStatistics variable_{n_variable_features}, row_{n_row_features}, edge_{1};
  bool has_preference_ = false;
};

}  // namespace bough
