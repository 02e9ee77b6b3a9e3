// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bough/evaluate/agreement.hpp"  // disagreements()
#include "bough/evaluate/record.hpp"

namespace bough {

/// Every definition, with what happens at a limit, at a zero and at opposite signs, is in docs/metrics.md.
///
/// Whatever is computed over a group is computed over its complete cases: the (instance, seed) for which every policy of the group
/// has a record.  An evaluation that was interrupted then still compares like with like.

/// exp(mean(log(x + shift))) - shift; NaN of nothing.
double shifted_geometric_mean(std::span<const double> values, double shift = 1);

/// A figure of a policy over a group.
struct Estimate {
  double mean = 0;       ///< NaN if there is nothing to average
  double deviation = 0;  ///< of the means of single seeds (n - 1); NaN with fewer than two seeds
};

struct PolicySummary {
  std::string policy;
  std::size_t n_runs = 0;
  std::size_t n_solved = 0;
  std::size_t n_wins = 0;      ///< solved, and strictly faster than every other policy
  Estimate time_s;             ///< 1-shifted geometric mean; unsolved at the limit
  Estimate time_after_root_s;  ///< likewise
  std::size_t n_common = 0;    ///< (instance, seed) solved by all policies that solved any: the next three are over these; the same for every policy
  Estimate nodes;              ///< 1-shifted geometric means; NaN for a policy that solved none
  Estimate fair_nodes;
  Estimate lp_iterations;
  double policy_time_s = 0;    ///< spent deciding, summed over the runs
  double policy_share = 0;     ///< of their time, summed likewise; 0 without any time
  std::int64_t n_decisions = 0;
  std::int64_t n_fallbacks = 0;
};

/// By policy, in the suite's order.
std::vector<PolicySummary> summarise(const Evaluation& evaluation, const std::string& group);

/// What a ratio compares.
enum class Figure { time, time_after_root, nodes, lp_iterations };

/// The mean of `policy` over that of `base`, over the same runs.
struct Ratio {
  double ratio = 0;    ///< 1 if both means are 0, infinity if only that of `base` is
  double low = 0;      ///< 95 % interval, paired bootstrap over instances; no wider than a point with one instance
  double high = 0;
  double p_value = 1;  ///< two-sided signed-rank test over instances
  std::size_t n_instances = 0;
};

/// With fewer instances a signed-rank test over them cannot come below 0.05, whatever the interval says: no difference can be told.
inline constexpr std::size_t least_instances = 6;

/// Whether a difference is shown: by the interval and, as that is too narrow for few instances, by the signed-rank test too.
inline bool is_shown(const Ratio& ratio) { return (ratio.low > 1 || ratio.high < 1) && ratio.p_value < 0.05; }

/// Times: over all runs; counts: over those that both solved.  Empty if there is no such run.
std::optional<Ratio> compare(const Evaluation& evaluation, const std::string& group, const std::string& policy, const std::string& base, Figure figure);

/// Two-sided p-value of Wilcoxon's signed-rank test; zeros are left out, ties share their rank.  1 if nothing is left.
/// Exact up to 25 differences, ties or not; beyond, the normal approximation.
double signed_rank_p_value(std::span<const double> differences);

/// The paper's equation 10 in the sense of minimisation: the integral of the dual bound over [0, T] minus T times the optimum.
/// Never positive for a valid trace; NaN without any dual bound.  Both bounds and `optimum` are in the problem's own sense.
double dual_integral_reward(const RunRecord& run, double time_limit_s, double optimum);

/// As the ML4CO competition computes it: the integral of the dual bound over [0, T] after the root node, in the sense of minimisation,
/// nothing subtracted.  NaN without any dual bound.
double dual_integral_ml4co(const RunRecord& run, double time_limit_s);

/// |primal - dual| / max(|primal|, |dual|); 0 if they are equal, otherwise 1 without an incumbent, without a dual bound or with opposite signs.
double primal_dual_gap(double primal, double dual);

/// The gap at each of `times_s`, averaged over the runs of `policy` in the group; NaN without any.
std::vector<double> mean_gap(const Evaluation& evaluation, const std::string& group, const std::string& policy, std::span<const double> times_s);

/// Share of the (instance, seed) that `policy` solved within `factor` times the fastest policy's time, for each of `factors`; NaN of none.
std::vector<double> performance_profile(const Evaluation& evaluation, const std::string& group, const std::string& policy, std::span<const double> factors);

/// What a run counts with: its time, or the limit if it ended without a proof, counted from where the settings count it.
double counted_time_s(const Evaluation& evaluation, const RunRecord& run);

/// How steady the machine was: the 90th over the 10th percentile of the calibration times; 1 with fewer than three.
struct Noise {
  double spread = 1;
  bool too_noisy = false;  ///< spread above `noise_limit`
  std::size_t n_calibrations = 0;
};
inline constexpr double noise_limit = 1.25;
Noise noise(const Evaluation& evaluation);

}  // namespace bough
