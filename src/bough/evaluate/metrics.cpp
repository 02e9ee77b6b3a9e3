// SPDX-License-Identifier: Apache-2.0
#include "bough/evaluate/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>
#include <string_view>
#include <tuple>
#include <utility>

#include "bough/rng.hpp"
#include "bough/scip/settings.hpp"

namespace bough {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double clock_resolution_s = 0.01;
constexpr double equal_bounds = 1e-9;  // SCIP's numerics/epsilon
constexpr int n_resamples = 10'000;
constexpr std::size_t exact_up_to = 25;

// One (instance, seed) of a group.
struct Case {
  std::string_view instance;
  std::uint32_t seed;
  std::vector<const RunRecord*> runs;  // (n_policies), in the suite's order
};

std::size_t position_of(const std::vector<std::string>& policies, const std::string& policy) {
  return static_cast<std::size_t>(std::ranges::find(policies, policy) - policies.begin());
}

std::vector<Case> complete_cases(const Evaluation& evaluation, const std::string& group) {
  const std::vector<std::string> policies = policies_in(evaluation, group);
  std::vector<Case> cases;
  std::map<std::pair<std::string_view, std::uint32_t>, std::size_t> position;
  for (const RunRecord& run : evaluation.runs) {
    const std::size_t policy = position_of(policies, run.policy);
    if (run.group != group || policy == policies.size()) continue;
    const auto [entry, is_new] = position.try_emplace({run.instance, run.seed}, cases.size());
    if (is_new) cases.push_back({run.instance, run.seed, std::vector<const RunRecord*>(policies.size())});
    cases[entry->second].runs[policy] = &run;
  }
  std::erase_if(cases, [](const Case& one) { return std::ranges::contains(one.runs, nullptr); });
  return cases;
}

// What a run counts with.
class Clock {
 public:
  explicit Clock(const Evaluation& evaluation) : limit_s_(evaluation.time_limit_s) {
    const Preset* preset = find_preset(evaluation.settings);
    starts_after_root_ = preset != nullptr && preset->time_after_root;
    if (!starts_after_root_) return;
    for (const RunRecord& run : evaluation.runs) {
      double& root_s = longest_root_s_[key_of(run)];
      root_s = std::max(root_s, run.root_time_s);
    }
  }

  [[nodiscard]] double time(const RunRecord& run) const {
    if (run.solved()) return run.time_s;
    return starts_after_root_ ? root_time(run) + limit_s_ : limit_s_;
  }

  // The clock's resolution can put the end of a root node behind the limit, or behind the end of the solve.
  [[nodiscard]] double time_after_root(const RunRecord& run) const { return std::max(0.0, time(run) - root_time(run)); }

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::uint32_t>;
  static Key key_of(const RunRecord& run) { return {run.group, run.instance, run.seed}; }

  // A run without a result has no root time.  Where the limit starts after the root it takes the longest of its case: with none it would
  // be faster than those that needed the whole limit.
  [[nodiscard]] double root_time(const RunRecord& run) const {
    if (!starts_after_root_ || !run.status.empty()) return run.root_time_s;
    const auto found = longest_root_s_.find(key_of(run));
    return found == longest_root_s_.end() ? 0 : found->second;
  }

  double limit_s_;
  bool starts_after_root_ = false;
  std::map<Key, double> longest_root_s_;  // by (group, instance, seed)
};

// Zero over zero is a tie: with the time after the root, that is a group in which no policy ever had to branch.
double quotient(double a, double b) { return a == 0 && b == 0 ? 1 : a / b; }

// By linear interpolation.
double percentile(std::span<const double> sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double weight = position - static_cast<double>(below);
  if (weight == 0 || sorted[below] == sorted[below + 1]) return sorted[below];  // infinity minus infinity is no number
  return sorted[below] + weight * (sorted[below + 1] - sorted[below]);
}

Estimate estimate(std::span<const Case> cases, std::size_t policy, const auto& value_of) {
  std::vector<double> all;
  std::map<std::uint32_t, std::vector<double>> by_seed;
  for (const Case& one : cases) {
    const auto value = static_cast<double>(value_of(*one.runs[policy]));
    all.push_back(value);
    by_seed[one.seed].push_back(value);
  }
  Estimate result{shifted_geometric_mean(all), nan};
  if (by_seed.size() < 2) return result;
  std::vector<double> means;
  for (const auto& [seed, values] : by_seed) means.push_back(shifted_geometric_mean(values));
  const auto n = static_cast<double>(means.size());
  const double centre = std::ranges::fold_left(means, 0.0, std::plus{}) / n;
  double squares = 0;
  for (const double mean : means) squares += (mean - centre) * (mean - centre);
  result.deviation = std::sqrt(squares / (n - 1));
  return result;
}

bool wins(const Case& one, std::size_t policy) {
  const RunRecord* run = one.runs[policy];
  return run->solved() && std::ranges::all_of(one.runs, [&](const RunRecord* other) {
           return other == run || !other->solved() || run->time_s < other->time_s;
         });
}

// In the sense of minimisation.
double integral_of_dual_bound(const RunRecord& run, double begin_s, double end_s) {
  std::optional<double> bound;
  double integral = 0;
  double time_s = begin_s;
  for (const BoundPoint& point : run.trace) {
    if (!std::isfinite(point.dual)) continue;
    const double next = run.maximise ? -point.dual : point.dual;
    if (!bound) bound = next;  // the first one counts from the beginning: minus infinity would swallow everything else
    const double until_s = std::clamp(point.time_s, time_s, end_s);
    integral += *bound * (until_s - time_s);
    time_s = until_s;
    bound = next;
  }
  return bound ? integral + *bound * (end_s - time_s) : nan;
}

double gap_at(const RunRecord& run, double time_s) {
  if (run.solved() && time_s >= run.time_s) return 0;  // "infeasible" and "objective limit" leave bounds that are infinite
  const auto next = std::ranges::upper_bound(run.trace, time_s, {}, &BoundPoint::time_s);
  if (next == run.trace.begin()) return 1;
  return primal_dual_gap(std::prev(next)->primal, std::prev(next)->dual);
}

// The logarithms of one instance, summed over its seeds: all that a ratio of geometric means needs of it.
struct PairedLogs {
  double policy = 0;
  double base = 0;
  double n_runs = 0;

  PairedLogs& operator+=(const PairedLogs& other) {
    policy += other.policy;
    base += other.base;
    n_runs += other.n_runs;
    return *this;
  }
  [[nodiscard]] double ratio() const { return quotient(std::expm1(policy / n_runs), std::expm1(base / n_runs)); }
};

}  // namespace

double shifted_geometric_mean(std::span<const double> values, double shift) {
  if (values.empty()) return nan;
  double sum = 0;
  for (const double value : values) sum += std::log(value + shift);
  return std::exp(sum / static_cast<double>(values.size())) - shift;
}

std::vector<PolicySummary> summarise(const Evaluation& evaluation, const std::string& group) {
  const std::vector<Case> cases = complete_cases(evaluation, group);
  const Clock clock(evaluation);
  std::vector<PolicySummary> summaries;
  const std::vector<std::string> policies = policies_in(evaluation, group);
  for (std::size_t policy = 0; policy < policies.size(); ++policy) {
    PolicySummary& summary = summaries.emplace_back();
    summary.policy = policies[policy];
    summary.n_runs = cases.size();
    double time_s = 0;
    for (const Case& one : cases) {
      const RunRecord& run = *one.runs[policy];
      summary.n_solved += run.solved() ? 1 : 0;
      summary.n_wins += wins(one, policy) ? 1 : 0;
      summary.n_decisions += run.n_decisions;
      summary.n_fallbacks += run.n_fallbacks();
      summary.policy_time_s += run.policy_time_s;
      time_s += run.time_s;
    }
    summary.policy_share = time_s > 0 ? summary.policy_time_s / time_s : 0;
    summary.time_s = estimate(cases, policy, [&](const RunRecord& run) { return clock.time(run); });
    summary.time_after_root_s = estimate(cases, policy, [&](const RunRecord& run) { return clock.time_after_root(run); });
  }

  // A policy that solves nothing would leave no case to compare the others on.  If none solves any, "all of them" is nobody and would
  // hold of every case.
  std::vector<Case> common;
  std::ranges::copy_if(cases, std::back_inserter(common), [&](const Case& one) {
    bool any = false;
    for (std::size_t policy = 0; policy < summaries.size(); ++policy) {
      if (summaries[policy].n_solved == 0) continue;
      if (!one.runs[policy]->solved()) return false;
      any = true;
    }
    return any;
  });
  for (std::size_t policy = 0; policy < summaries.size(); ++policy) {
    PolicySummary& summary = summaries[policy];
    summary.n_common = common.size();
    const auto over = summary.n_solved > 0 ? std::span<const Case>(common) : std::span<const Case>();
    summary.nodes = estimate(over, policy, [](const RunRecord& run) { return run.n_nodes; });
    summary.fair_nodes = estimate(over, policy, [](const RunRecord& run) { return run.n_fair_nodes; });
    summary.lp_iterations = estimate(over, policy, [](const RunRecord& run) { return run.n_lp_iterations; });
  }
  return summaries;
}

std::optional<Ratio> compare(const Evaluation& evaluation, const std::string& group, const std::string& policy, const std::string& base,
                             Figure figure) {
  const std::vector<std::string> policies = policies_in(evaluation, group);
  const std::size_t policy_position = position_of(policies, policy);
  const std::size_t base_position = position_of(policies, base);
  if (std::max(policy_position, base_position) == policies.size()) return std::nullopt;
  const Clock clock(evaluation);
  const auto value_of = [&](const RunRecord& run) {
    switch (figure) {
      case Figure::time: return clock.time(run);
      case Figure::time_after_root: return clock.time_after_root(run);
      case Figure::nodes: return static_cast<double>(run.n_nodes);
      case Figure::lp_iterations: return static_cast<double>(run.n_lp_iterations);
    }
    std::unreachable();
  };
  const bool is_count = figure == Figure::nodes || figure == Figure::lp_iterations;

  std::vector<PairedLogs> instances;
  std::map<std::string_view, std::size_t> position;
  PairedLogs total;
  for (const Case& one : complete_cases(evaluation, group)) {
    const RunRecord& run = *one.runs[policy_position];
    const RunRecord& other = *one.runs[base_position];
    if (is_count && !(run.solved() && other.solved())) continue;
    const auto [entry, is_new] = position.try_emplace(one.instance, instances.size());
    if (is_new) instances.emplace_back();
    const PairedLogs logs{std::log1p(value_of(run)), std::log1p(value_of(other)), 1};
    instances[entry->second] += logs;
    total += logs;
  }
  if (instances.empty()) return std::nullopt;

  // Instances are drawn with all their seeds: the seeds of one instance resemble each other, and drawing runs one by one would make
  // the interval look narrower than it is.
  Rng rng("bootstrap", 0);
  std::vector<double> ratios(n_resamples);
  for (double& ratio : ratios) {
    PairedLogs sum;
    for (std::size_t i = 0; i < instances.size(); ++i) sum += instances[rng.below(instances.size())];
    ratio = sum.ratio();
  }
  std::ranges::sort(ratios);

  std::vector<double> differences;
  for (const PairedLogs& logs : instances) differences.push_back((logs.policy - logs.base) / logs.n_runs);

  return Ratio{.ratio = total.ratio(),
               .low = percentile(ratios, 0.025),
               .high = percentile(ratios, 0.975),
               .p_value = signed_rank_p_value(differences),
               .n_instances = instances.size()};
}

double signed_rank_p_value(std::span<const double> differences) {
  std::vector<double> sorted;
  std::ranges::copy_if(differences, std::back_inserter(sorted), [](double difference) { return difference != 0; });
  const std::size_t n = sorted.size();
  if (n == 0) return 1;
  std::ranges::sort(sorted, {}, [](double difference) { return std::abs(difference); });

  // Ranks are doubled: a shared one, the mean of first + 1 .. last, is then a whole number too.
  std::vector<std::size_t> doubled_ranks(n);
  std::size_t positive = 0;
  double tie_correction = 0;
  for (std::size_t first = 0, last = 0; first < n; first = last) {
    while (last < n && std::abs(sorted[last]) == std::abs(sorted[first])) ++last;
    for (std::size_t i = first; i < last; ++i) {
      doubled_ranks[i] = first + 1 + last;
      if (sorted[i] > 0) positive += doubled_ranks[i];
    }
    const auto n_tied = static_cast<double>(last - first);
    tie_correction += n_tied * n_tied * n_tied - n_tied;
  }
  const std::size_t total = n * (n + 1);
  const std::size_t smaller = std::min(positive, total - positive);

  if (n <= exact_up_to) {
    // How many of the 2^n choices of signs give each sum.  Ties are counted as they are; the normal approximation calls five equal
    // differences significant (0.037), which no test on five signs can be (2/32).
    std::vector<double> n_choices(total + 1);
    n_choices[0] = 1;
    for (const std::size_t rank : doubled_ranks) {
      for (std::size_t sum = total; sum >= rank; --sum) n_choices[sum] += n_choices[sum - rank];
    }
    double as_extreme = 0;
    for (std::size_t sum = 0; sum <= smaller; ++sum) as_extreme += n_choices[sum];
    return std::min(1.0, std::ldexp(as_extreme, 1 - static_cast<int>(n)));
  }
  const auto count = static_cast<double>(n);
  const double deviation = std::sqrt(count * (count + 1) * (2 * count + 1) / 24 - tie_correction / 48);
  const double distance = static_cast<double>(total - 2 * smaller) / 4;  // of the undoubled sum from its mean, total / 4
  return std::erfc(std::max(0.0, distance - 0.5) / deviation / std::numbers::sqrt2);
}

double dual_integral_reward(const RunRecord& run, double time_limit_s, double optimum) {
  return integral_of_dual_bound(run, 0, time_limit_s) - time_limit_s * (run.maximise ? -optimum : optimum);
}

double dual_integral_ml4co(const RunRecord& run, double time_limit_s) {
  return integral_of_dual_bound(run, run.root_time_s, run.root_time_s + time_limit_s);
}

double primal_dual_gap(double primal, double dual) {
  if (primal == dual) return 0;  // infinities too: a proven "infeasible" leaves nothing to do
  if (!std::isfinite(primal) || !std::isfinite(dual)) return 1;
  if (std::abs(primal - dual) <= equal_bounds) return 0;  // an optimum of 0 ends with bounds like 1e-12 and -1e-12
  if ((primal < 0) != (dual < 0)) return 1;
  return std::abs(primal - dual) / std::max(std::abs(primal), std::abs(dual));
}

std::vector<double> mean_gap(const Evaluation& evaluation, const std::string& group, const std::string& policy, std::span<const double> times_s) {
  const std::vector<std::string> policies = policies_in(evaluation, group);
  const std::size_t position = position_of(policies, policy);
  if (position == policies.size()) return std::vector<double>(times_s.size(), nan);
  const std::vector<Case> cases = complete_cases(evaluation, group);
  std::vector<double> means;
  for (const double time_s : times_s) {
    double sum = 0;
    for (const Case& one : cases) sum += gap_at(*one.runs[position], time_s);
    means.push_back(sum / static_cast<double>(cases.size()));
  }
  return means;
}

std::vector<double> performance_profile(const Evaluation& evaluation, const std::string& group, const std::string& policy,
                                        std::span<const double> factors) {
  const std::vector<std::string> policies = policies_in(evaluation, group);
  const std::size_t position = position_of(policies, policy);
  if (position == policies.size()) return std::vector<double>(factors.size(), nan);
  const std::vector<Case> cases = complete_cases(evaluation, group);
  std::vector<double> shares;
  for (const double factor : factors) {
    double n_within = 0;
    for (const Case& one : cases) {
      double best_s = std::numeric_limits<double>::infinity();
      for (const RunRecord* run : one.runs) best_s = run->solved() ? std::min(best_s, run->time_s) : best_s;
      const RunRecord& run = *one.runs[position];
      n_within += run.solved() && run.time_s <= factor * std::max(best_s, clock_resolution_s) ? 1 : 0;
    }
    shares.push_back(n_within / static_cast<double>(cases.size()));
  }
  return shares;
}

Noise noise(const Evaluation& evaluation) {
  Noise result{.n_calibrations = evaluation.calibrations.size()};
  if (result.n_calibrations < 3) return result;
  std::vector<double> times_s;
  for (const Calibration& calibration : evaluation.calibrations) times_s.push_back(calibration.time_s);
  std::ranges::sort(times_s);
  result.spread = quotient(percentile(times_s, 0.9), percentile(times_s, 0.1));
  result.too_noisy = result.spread > noise_limit;
  return result;
}

double counted_time_s(const Evaluation& evaluation, const RunRecord& run) { return Clock(evaluation).time(run); }

}  // namespace bough
