// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bough {

/// The features of Khalil, Le Bodic, Song, Nemhauser and Dilkina, "Learning to branch in mixed integer programming" (AAAI 2016).
/// docs/khalil.md defines every one, with its value where it is undefined.
enum class KhalilFeature : std::uint8_t {
  // Static: of the LP at the root of the run.
  objective, objective_positive, objective_negative,
  n_rows,
  row_degree_mean, row_degree_stddev, row_degree_min, row_degree_max,
  positive_coefficient_count, positive_coefficient_mean, positive_coefficient_stddev, positive_coefficient_min, positive_coefficient_max,
  negative_coefficient_count, negative_coefficient_mean, negative_coefficient_stddev, negative_coefficient_min, negative_coefficient_max,
  // Dynamic: of the focus node's LP and of the search so far.
  slack, ceil_distance,
  pseudocost_up, pseudocost_down, pseudocost_ratio, pseudocost_sum, pseudocost_product,
  n_cutoffs_up, n_cutoffs_down, cutoff_rate_up, cutoff_rate_down,
  dynamic_degree_mean, dynamic_degree_stddev, dynamic_degree_min, dynamic_degree_max,
  dynamic_degree_mean_ratio, dynamic_degree_min_ratio, dynamic_degree_max_ratio,
  nonnegative_side_ratio_min, nonnegative_side_ratio_max, negative_side_ratio_min, negative_side_ratio_max,
  positive_to_positive_min, positive_to_positive_max, positive_to_negative_min, positive_to_negative_max,
  negative_to_positive_min, negative_to_positive_max, negative_to_negative_min, negative_to_negative_max,
  active_unit_count, active_unit_sum, active_unit_mean, active_unit_stddev, active_unit_min, active_unit_max,
  active_inverse_sum_count, active_inverse_sum_sum, active_inverse_sum_mean,
  active_inverse_sum_stddev, active_inverse_sum_min, active_inverse_sum_max,
  active_inverse_candidate_sum_count, active_inverse_candidate_sum_sum, active_inverse_candidate_sum_mean,
  active_inverse_candidate_sum_stddev, active_inverse_candidate_sum_min, active_inverse_candidate_sum_max,
  active_dual_count, active_dual_sum, active_dual_mean, active_dual_stddev, active_dual_min, active_dual_max,
};
inline constexpr std::size_t n_khalil_features = 72;
inline constexpr std::size_t n_static_khalil_features = 18;  // the first ones

/// By feature; the names of the enumerators.
extern const std::array<std::string_view, n_khalil_features> khalil_feature_names;

}  // namespace bough
