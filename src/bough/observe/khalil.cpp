// SPDX-License-Identifier: Apache-2.0
#include "bough/observe/khalil.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "bough/observe/feature_value.hpp"

namespace bough {
namespace {

using enum KhalilFeature;

constexpr std::size_t at(KhalilFeature feature) { return static_cast<std::size_t>(feature); }
static_assert(at(slack) == n_static_khalil_features);
static_assert(at(active_dual_max) + 1 == n_khalil_features);

// Pseudocosts below this are no information, and their quotient would be noise.
constexpr double smallest_pseudocost = 1e-5;

/// One pass over a sample.
class Sample {
 public:
  void add(double value) {
    if (n_ == 0) first_ = min_ = max_ = value;
    const double shifted = value - first_;
    ++n_;
    sum_ += value;
    shifted_sum_ += shifted;
    shifted_squares_ += shifted * shifted;
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }

  [[nodiscard]] double n() const { return n_; }
  [[nodiscard]] double sum() const { return sum_; }

  /// mean, population standard deviation, min, max; zeros for an empty sample.
  void write(std::span<float, 4> out) const {
    // Squares of the distances from the first value: equal values give exactly 0, and the relative error stays within n roundings
    // because no single distance exceeds sqrt(n) standard deviations.  (Plain squares cancel; Welford divides at every step.)
    const double mean = n_ > 0 ? first_ + shifted_sum_ / n_ : 0;
    const double variance = n_ > 0 ? (shifted_squares_ - shifted_sum_ * shifted_sum_ / n_) / n_ : 0;
    out[0] = feature_value(mean);
    out[1] = feature_value(std::sqrt(std::max(0.0, variance)));
    out[2] = feature_value(min_);
    out[3] = feature_value(max_);
  }

 private:
  double n_ = 0;
  double sum_ = 0;
  double first_ = 0;
  double shifted_sum_ = 0;
  double shifted_squares_ = 0;
  double min_ = 0;
  double max_ = 0;
};

/// The extremes of ratios.  They start at the opposite ends of what is possible, so that min > max tells that there was none.
struct Range {
  double min;
  double max;

  void add(double value) {
    min = std::min(min, value);
    max = std::max(max, value);
  }
  void write(std::span<float, 2> out) const {
    out[0] = feature_value(min);
    out[1] = feature_value(max);
  }
};

template <std::size_t n>
std::span<float, n> part(std::span<float> features, KhalilFeature first) {
  return std::span<float, n>(features.subspan(at(first), n));
}

/// The LP rows of a column; coefficients() has its entries in the same order.
std::span<SCIP_ROW* const> lp_rows(SCIP_COL* column) {
  return {SCIPcolGetRows(column), static_cast<std::size_t>(SCIPcolGetNLPNonz(column))};
}
const double* coefficients(SCIP_COL* column) { return SCIPcolGetVals(column); }

void write_static(SCIP_COL* column, std::span<float> features) {
  const double objective_coefficient = SCIPcolGetObj(column);
  Sample degrees;
  Sample positive;
  Sample negative;
  const auto rows = lp_rows(column);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    degrees.add(SCIProwGetNNonz(rows[k]));
    const double a = coefficients(column)[k];
    (a > 0 ? positive : negative).add(a);
  }
  features[at(objective)] = feature_value(objective_coefficient);
  features[at(objective_positive)] = feature_value(std::max(objective_coefficient, 0.0));
  features[at(objective_negative)] = feature_value(std::min(objective_coefficient, 0.0));
  features[at(n_rows)] = static_cast<float>(rows.size());
  degrees.write(part<4>(features, row_degree_mean));
  features[at(positive_coefficient_count)] = feature_value(positive.n());
  positive.write(part<4>(features, positive_coefficient_mean));
  features[at(negative_coefficient_count)] = feature_value(negative.n());
  negative.write(part<4>(features, negative_coefficient_mean));
}

/// What branching on the variable has done so far, weighted by how far it would move now.
void write_history(SCIP* scip, SCIP_VAR* variable, double fraction, std::span<float> features) {
  const double up = (1 - fraction) * SCIPgetVarPseudocost(scip, variable, SCIP_BRANCHDIR_UPWARDS);
  const double down = fraction * SCIPgetVarPseudocost(scip, variable, SCIP_BRANCHDIR_DOWNWARDS);
  const auto [smaller, larger] = std::minmax(up, down);
  features[at(slack)] = feature_value(std::min(fraction, 1 - fraction));
  features[at(ceil_distance)] = feature_value(1 - fraction);
  features[at(pseudocost_up)] = feature_value(up);
  features[at(pseudocost_down)] = feature_value(down);
  features[at(pseudocost_ratio)] = feature_value(larger < smallest_pseudocost ? 1 : smaller / larger);
  features[at(pseudocost_sum)] = feature_value(up + down);
  features[at(pseudocost_product)] = feature_value(up * down);

  const auto write_cutoffs = [&](SCIP_BRANCHDIR direction, KhalilFeature count, KhalilFeature rate) {
    const double n_cutoffs = SCIPvarGetCutoffSum(variable, direction);
    const auto n_branchings = static_cast<double>(SCIPvarGetNBranchings(variable, direction));
    features[at(count)] = feature_value(n_cutoffs);
    features[at(rate)] = feature_value(n_branchings > 0 ? n_cutoffs / n_branchings : 0);
  };
  write_cutoffs(SCIP_BRANCHDIR_UPWARDS, n_cutoffs_up, cutoff_rate_up);
  write_cutoffs(SCIP_BRANCHDIR_DOWNWARDS, n_cutoffs_down, cutoff_rate_down);
}

}  // namespace

const std::array<std::string_view, n_khalil_features> khalil_feature_names{
    "objective", "objective_positive", "objective_negative",
    "n_rows",
    "row_degree_mean", "row_degree_stddev", "row_degree_min", "row_degree_max",
    "positive_coefficient_count", "positive_coefficient_mean", "positive_coefficient_stddev", "positive_coefficient_min",
    "positive_coefficient_max",
    "negative_coefficient_count", "negative_coefficient_mean", "negative_coefficient_stddev", "negative_coefficient_min",
    "negative_coefficient_max",
    "slack", "ceil_distance",
    "pseudocost_up", "pseudocost_down", "pseudocost_ratio", "pseudocost_sum", "pseudocost_product",
    "n_cutoffs_up", "n_cutoffs_down", "cutoff_rate_up", "cutoff_rate_down",
    "dynamic_degree_mean", "dynamic_degree_stddev", "dynamic_degree_min", "dynamic_degree_max",
    "dynamic_degree_mean_ratio", "dynamic_degree_min_ratio", "dynamic_degree_max_ratio",
    "nonnegative_side_ratio_min", "nonnegative_side_ratio_max", "negative_side_ratio_min", "negative_side_ratio_max",
    "positive_to_positive_min", "positive_to_positive_max", "positive_to_negative_min", "positive_to_negative_max",
    "negative_to_positive_min", "negative_to_positive_max", "negative_to_negative_min", "negative_to_negative_max",
    "active_unit_count", "active_unit_sum", "active_unit_mean", "active_unit_stddev", "active_unit_min", "active_unit_max",
    "active_inverse_sum_count", "active_inverse_sum_sum", "active_inverse_sum_mean", "active_inverse_sum_stddev",
    "active_inverse_sum_min", "active_inverse_sum_max",
    "active_inverse_candidate_sum_count", "active_inverse_candidate_sum_sum", "active_inverse_candidate_sum_mean",
    "active_inverse_candidate_sum_stddev", "active_inverse_candidate_sum_min", "active_inverse_candidate_sum_max",
    "active_dual_count", "active_dual_sum", "active_dual_mean", "active_dual_stddev", "active_dual_min", "active_dual_max",
};

void KhalilExtractor::prepare(SCIP* scip) {
  const int run = SCIPgetNRuns(scip);
  // Always at a root, although its LP is often the one already seen: a later solve may have the same SCIP*, the same run number and
  // columns at the same addresses.
  if (scip == scip_ && run == run_ && SCIPgetDepth(scip) > 0) return;
  scip_ = scip;
  run_ = run;
  std::ranges::fill(slots_, -1);
  columns_.clear();
  std::ranges::fill(rows_, Row{});
  const std::span columns(SCIPgetLPCols(scip), static_cast<std::size_t>(SCIPgetNLPCols(scip)));
  columns_.reserve(columns.size());
  for (SCIP_COL* column : columns) static_features(column);
}

const KhalilExtractor::Column& KhalilExtractor::static_features(SCIP_COL* column) {
  const auto index = static_cast<std::size_t>(SCIPcolGetIndex(column));
  if (index >= slots_.size()) slots_.resize(index + 1, -1);
  if (const int slot = slots_[index]; slot >= 0 && columns_[static_cast<std::size_t>(slot)].handle == column) {
    return columns_[static_cast<std::size_t>(slot)];
  }
  slots_[index] = static_cast<int>(columns_.size());
  columns_.push_back({column, {}});
  write_static(column, columns_.back().features);
  return columns_.back();
}

// Everything but the two sums is read anew, so a change of a side or of the constant cannot go unnoticed.  The sums are over the row's LP
// nonzeros: they change with the row at this position (handle and index: SCIP reuses memory, not indices), with its coefficients
// (number and 1-norm), and with the columns in the LP (keep_sums_).
void KhalilExtractor::refresh(SCIP* scip, SCIP_ROW* handle, Row& row) const {
  const int index = SCIProwGetIndex(handle);
  const int n_nonzeros = SCIProwGetNLPNonz(handle);
  const double norm = SCIProwGetSumNorm(handle);
  if (!keep_sums_ || row.handle != handle || row.index != index || row.n_nonzeros != n_nonzeros || row.norm != norm) {
    row.handle = handle;
    row.index = index;
    row.n_nonzeros = n_nonzeros;
    row.norm = norm;
    row.positive_sum = row.negative_sum = 0;
    for (const double a : std::span(SCIProwGetVals(handle), static_cast<std::size_t>(n_nonzeros))) {
      (a > 0 ? row.positive_sum : row.negative_sum) += a;
    }
  }
  const double lhs = SCIProwGetLhs(handle);
  const double rhs = SCIProwGetRhs(handle);
  const double constant = SCIProwGetConstant(handle);
  const double activity = SCIPgetRowLPActivity(scip, handle);  // with the constant, like lhs and rhs
  row.has_lhs = !SCIPisInfinity(scip, -lhs);
  row.has_rhs = !SCIPisInfinity(scip, rhs);
  row.lhs = lhs - constant;
  row.rhs = rhs - constant;
  row.active = (row.has_lhs && SCIPisEQ(scip, activity, lhs)) || (row.has_rhs && SCIPisEQ(scip, activity, rhs));
  row.dual = std::abs(SCIProwGetDualsol(handle));
  row.candidates_sum = 0;
  row.extraction = extraction_;
}

/// Brings the rows of the candidates up to date.
void KhalilExtractor::visit_rows(SCIP* scip, const Candidates& candidates) {
  ++extraction_;
  // With every variable in the LP, a row's LP nonzeros are all its nonzeros.  Otherwise (pricing, dynamic columns) one column may
  // have replaced another in the same row.
  keep_sums_ = SCIPgetNLPCols(scip) == SCIPgetNVars(scip);
  if (const auto n = static_cast<std::size_t>(SCIPgetNLPRows(scip)); n > rows_.size()) rows_.resize(n);
  for (SCIP_VAR* variable : candidates.variables) {
    SCIP_COL* column = SCIPvarGetCol(variable);
    const auto rows = lp_rows(column);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      assert(SCIProwGetLPPos(rows[k]) >= 0 && "SCIP keeps a column's LP rows in front");
      Row& row = rows_[static_cast<std::size_t>(SCIProwGetLPPos(rows[k]))];
      if (row.extraction != extraction_) refresh(scip, rows[k], row);
      row.candidates_sum += std::abs(coefficients(column)[k]);
    }
  }
}

/// The features over the rows of a column: all that follow the cutoffs.
void KhalilExtractor::write_row_features(SCIP_COL* column, std::span<float, n_khalil_features> features) const {
  Sample degrees;
  Range nonnegative_side{1, -1};
  Range negative_side{1, -1};
  Range positive_to_positive{1, 0};
  Range positive_to_negative{1, 0};
  Range negative_to_positive{1, 0};
  Range negative_to_negative{1, 0};
  struct Weighted {
    double weights = 0;
    Sample values;
    void add(double weight, double value) {
      weights += weight;
      values.add(weight * value);
    }
  };
  Weighted unit;
  Weighted inverse_sum;
  Weighted inverse_candidate_sum;
  Weighted dual;

  const auto add_side = [&](double a, double side) {  // a x + ... <= side
    (side >= 0 ? nonnegative_side : negative_side).add(a / (std::abs(a) + std::abs(side)));
  };
  const auto rows = lp_rows(column);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Row& row = rows_[static_cast<std::size_t>(SCIProwGetLPPos(rows[k]))];
    const double a = coefficients(column)[k];
    degrees.add(row.n_nonzeros);
    if (row.has_rhs) add_side(a, row.rhs);
    if (row.has_lhs) add_side(-a, -row.lhs);
    if (a > 0) {
      positive_to_positive.add(a / row.positive_sum);
      positive_to_negative.add(a / (a - row.negative_sum));
    } else {
      negative_to_positive.add(a / (a - row.positive_sum));
      negative_to_negative.add(a / row.negative_sum);
    }
    if (row.active) {
      unit.add(1, std::abs(a));
      inverse_sum.add(1 / (row.positive_sum - row.negative_sum), std::abs(a));
      inverse_candidate_sum.add(1 / row.candidates_sum, std::abs(a));
      dual.add(row.dual, std::abs(a));
    }
  }

  degrees.write(part<4>(features, dynamic_degree_mean));
  const auto write_ratio = [&](KhalilFeature ratio, KhalilFeature now, KhalilFeature root) {
    const double sum = features[at(now)] + features[at(root)];
    features[at(ratio)] = feature_value(sum > 0 ? features[at(now)] / sum : 0);
  };
  write_ratio(dynamic_degree_mean_ratio, dynamic_degree_mean, row_degree_mean);
  write_ratio(dynamic_degree_min_ratio, dynamic_degree_min, row_degree_min);
  write_ratio(dynamic_degree_max_ratio, dynamic_degree_max, row_degree_max);
  nonnegative_side.write(part<2>(features, nonnegative_side_ratio_min));
  negative_side.write(part<2>(features, negative_side_ratio_min));
  positive_to_positive.write(part<2>(features, positive_to_positive_min));
  positive_to_negative.write(part<2>(features, positive_to_negative_min));
  negative_to_positive.write(part<2>(features, negative_to_positive_min));
  negative_to_negative.write(part<2>(features, negative_to_negative_min));
  const auto write_active = [&](const Weighted& active, KhalilFeature first) {
    const auto out = part<6>(features, first);
    out[0] = feature_value(active.weights);
    out[1] = feature_value(active.values.sum());
    active.values.write(out.subspan<2, 4>());
  };
  write_active(unit, active_unit_count);
  write_active(inverse_sum, active_inverse_sum_count);
  write_active(inverse_candidate_sum, active_inverse_candidate_sum_count);
  write_active(dual, active_dual_count);
}

void KhalilExtractor::extract(SCIP* scip, const Candidates& candidates, std::vector<float>& features) {
  prepare(scip);
  visit_rows(scip, candidates);
  features.resize(candidates.variables.size() * n_khalil_features);
  for (std::size_t i = 0; i < candidates.variables.size(); ++i) {
    const auto out = std::span<float, n_khalil_features>(std::span(features).subspan(i * n_khalil_features, n_khalil_features));
    SCIP_COL* column = SCIPvarGetCol(candidates.variables[i]);
    std::ranges::copy(static_features(column).features, out.begin());
    write_history(scip, candidates.variables[i], candidates.fractions[i], out);
    write_row_features(column, out);
  }
}

std::size_t KhalilExtractor::memory_bytes() const {
  return slots_.capacity() * sizeof(int) + columns_.capacity() * sizeof(Column) + rows_.capacity() * sizeof(Row);
}

}  // namespace bough
