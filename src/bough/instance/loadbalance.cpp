// SPDX-License-Identifier: Apache-2.0
//
// Workload apportionment that survives the failure of any one worker (ML4CO competition 2021, "load balancing"):
//   min  sum_t y_t                                          workers in use
//   M_st y_t - r_st >= 0                                    reserve only on workers in use; M_st = max(capacity_t, load_s), weak on purpose
//   sum_s r_st <= capacity_t
//   sum_{t' in A_s, t' != t} r_st' >= load_s                for all t in A_s, the workers allowed for workload s
//   0 <= r_st <= capacity_t for t in A_s, else r_st = 0;  y binary
#include <algorithm>
#include <cmath>
#include <format>
#include <string>
#include <utility>

#include "bough/error.hpp"
#include "bough/instance/family.hpp"

namespace bough {
namespace {

struct Cluster {
  std::vector<double> capacity;           // (n_workers)
  std::vector<double> load;               // (n_workloads)
  std::vector<std::vector<int>> allowed;  // (n_workloads)  workers, ascending
};

struct Range {
  double low;
  double high;
};

Range range(const Parameters& parameters, const std::string& name) {
  const Range result{parameters.real(name + "-low"), parameters.real(name + "-high")};
  if (result.low > result.high) {
    throw Error(ExitCode::usage, std::format("loadbalance: --{}-low {} is above --{}-high {}", name, result.low, name, result.high));
  }
  return result;
}

Cluster draw_cluster(const Parameters& parameters, Rng& rng) {
  Cluster cluster;
  const auto add_workers = [&](const std::string& kind) {
    const Range capacity = range(parameters, kind + "-capacity");
    const int n_workers = parameters.integer(kind + "-workers");
    for (int i = 0; i < n_workers; ++i) cluster.capacity.push_back(rng.uniform(capacity.low, capacity.high));
  };
  const auto add_workloads = [&](const std::string& kind) {
    const Range load = range(parameters, kind + "-load");
    const double on_strong = parameters.real(kind + "-on-strong");
    const double on_weak = parameters.real(kind + "-on-weak");
    const int n_strong = parameters.integer("strong-workers");
    const int n_workloads = parameters.integer(kind + "-workloads");
    for (int i = 0; i < n_workloads; ++i) {
      cluster.load.push_back(rng.uniform(load.low, load.high));
      auto& allowed = cluster.allowed.emplace_back();
      for (int t = 0; std::cmp_less(t, cluster.capacity.size()); ++t) {
        if (rng.bernoulli(t < n_strong ? on_strong : on_weak)) allowed.push_back(t);
      }
    }
  };
  add_workers("strong");
  add_workers("weak");
  add_workloads("light");
  add_workloads("heavy");
  return cluster;
}

/// Looks for a reservation that uses every worker: each splits its capacity among its workloads in proportion to their weights, and a
/// workload that gets too little gains weight.  Finding one proves the instance feasible.  Not finding one proves nothing, but an
/// LP over 860 draws of all sizes found 3 feasible ones among those given up, too few to be worth a solver here.
bool certainly_feasible(const Cluster& cluster) {
  constexpr int n_rounds = 200;        // where it succeeds on the published size, it took at most 72
  constexpr double safety = 1 + 1e-9;  // beyond the rounding of the sums, below any solver's tolerance
  std::vector<double> weight = cluster.load;
  std::vector<double> claims(cluster.capacity.size());
  for (int round = 0; round < n_rounds; ++round) {
    std::ranges::fill(claims, 0.0);
    for (std::size_t s = 0; s < weight.size(); ++s) {
      for (const int t : cluster.allowed[s]) claims[static_cast<std::size_t>(t)] += weight[s];
    }
    bool all_served = true;
    for (std::size_t s = 0; s < weight.size(); ++s) {
      double sum = 0;
      double largest = 0;
      for (const int t : cluster.allowed[s]) {
        const double reserved = cluster.capacity[static_cast<std::size_t>(t)] * (weight[s] / claims[static_cast<std::size_t>(t)]);
        sum += reserved;
        largest = std::max(largest, reserved);
      }
      const double share = (sum - largest) / (cluster.load[s] * safety);  // what is left after the worst failure
      all_served = all_served && share >= 1;
      weight[s] /= std::clamp(share, 0.5, 2.0);
    }
    if (all_served) return true;
  }
  return false;
}

Milp build(const Cluster& cluster) {
  const std::size_t n_workers = cluster.capacity.size();
  const std::size_t n_workloads = cluster.load.size();
  std::size_t n_failures = 0;
  std::size_t n_entries = 3 * n_workers * n_workloads;
  for (const auto& allowed : cluster.allowed) {
    n_failures += allowed.size();
    n_entries += allowed.size() * (allowed.size() - 1);
  }
  Milp milp;
  milp.variables.reserve(n_workers * (n_workloads + 1));
  milp.rows.reserve(n_workers * (n_workloads + 1) + n_failures);
  milp.row_start.reserve(milp.rows.capacity() + 1);
  milp.entries.reserve(n_entries);

  for (std::size_t t = 0; t < n_workers; ++t) milp.add_binary(std::format("y_{}", t), 1);
  const auto y = [](std::size_t t) { return static_cast<int>(t); };
  const auto r = [&](std::size_t s, std::size_t t) { return static_cast<int>(n_workers * (s + 1) + t); };
  for (std::size_t s = 0; s < n_workloads; ++s) {
    for (std::size_t t = 0; t < n_workers; ++t) milp.add_variable({.name = std::format("r_{}_{}", s, t), .upper = 0});
    for (const int t : cluster.allowed[s]) {
      const auto worker = static_cast<std::size_t>(t);
      milp.variables[static_cast<std::size_t>(r(s, worker))].upper = cluster.capacity[worker];
    }
  }

  for (std::size_t s = 0; s < n_workloads; ++s) {
    for (std::size_t t = 0; t < n_workers; ++t) {
      milp.add_row(std::format("used_{}_{}", s, t), 0, Milp::infinity);
      milp.add_entry(y(t), std::max(cluster.capacity[t], cluster.load[s]));
      milp.add_entry(r(s, t), -1);
    }
  }
  for (std::size_t t = 0; t < n_workers; ++t) {
    milp.add_row(std::format("cap_{}", t), -Milp::infinity, cluster.capacity[t]);
    for (std::size_t s = 0; s < n_workloads; ++s) milp.add_entry(r(s, t), 1);
  }
  for (std::size_t s = 0; s < n_workloads; ++s) {
    for (const int failed : cluster.allowed[s]) {
      milp.add_row(std::format("fail_{}_{}", s, failed), cluster.load[s], Milp::infinity);
      for (const int t : cluster.allowed[s]) {
        if (t != failed) milp.add_entry(r(s, static_cast<std::size_t>(t)), 1);
      }
    }
  }
  return milp;
}

Milp generate(const Parameters& parameters, Rng& rng) {
  constexpr int n_tries = 100;
  if (parameters.integer("light-workloads") + parameters.integer("heavy-workloads") == 0) {
    throw Error(ExitCode::usage, "loadbalance: no workloads", "raise --light-workloads or --heavy-workloads");
  }
  for (int attempt = 0; attempt < n_tries; ++attempt) {
    const Cluster cluster = draw_cluster(parameters, rng);
    if (certainly_feasible(cluster)) return build(cluster);
  }
  throw Error(ExitCode::usage, std::format("loadbalance: {} draws in a row gave workers too small for the loads", n_tries),
              "raise the capacities or the --*-on-* probabilities, or lower the loads");
}

// The competition's instances are `hard`.  The smaller sizes scale it by q = 0.5 and 0.2: q times the workers and workloads,
// probabilities divided by q (at most 1), so that a workload still has about 55 workers and the capacity is 4/3 of the load.
// `tiny` also has smaller loads: its workers are too few for the others.
const FamilyRegistration registration{{
    .name = "loadbalance",
    .summary = "workload apportionment that survives the failure of one worker",
    .reference = "ML4CO competition 2021, benchmark 2 (its sizes are hard)",
    .parameters = {{"strong-workers", "workers of the strong class", {10, 100, 250, 500}, 0, 1e5},
                   {"weak-workers", "workers of the weak class", {10, 100, 250, 500}, 0, 1e5},
                   {"strong-capacity-low", "least capacity of a strong worker", {0.3, 0.3, 0.3, 0.3}, 0, 1e6, false},
                   {"strong-capacity-high", "largest capacity of a strong worker", {0.5, 0.5, 0.5, 0.5}, 0, 1e6, false},
                   {"weak-capacity-low", "least capacity of a weak worker", {0.1, 0.1, 0.1, 0.1}, 0, 1e6, false},
                   {"weak-capacity-high", "largest capacity of a weak worker", {0.3, 0.3, 0.3, 0.3}, 0, 1e6, false},
                   {"light-workloads", "workloads of the light class", {3, 10, 25, 50}, 0, 1e4},
                   {"heavy-workloads", "workloads of the heavy class", {2, 2, 5, 10}, 0, 1e4},
                   {"light-load-low", "least load of a light workload", {0.4, 1, 1, 1}, 1e-6, 1e6, false},
                   {"light-load-high", "largest load of a light workload", {0.9, 5, 5, 5}, 1e-6, 1e6, false},
                   {"heavy-load-low", "least load of a heavy workload", {0.3, 5, 5, 5}, 1e-6, 1e6, false},
                   {"heavy-load-high", "largest load of a heavy workload", {0.6, 10, 10, 10}, 1e-6, 1e6, false},
                   {"light-on-strong", "chance that a light workload may use a strong worker", {0.6, 0.5, 0.2, 0.1}, 0, 1, false},
                   {"light-on-weak", "chance that a light workload may use a weak worker", {0.2, 0.05, 0.02, 0.01}, 0, 1, false},
                   {"heavy-on-strong", "chance that a heavy workload may use a strong worker", {0.2, 0.05, 0.02, 0.01}, 0, 1, false},
                   {"heavy-on-weak", "chance that a heavy workload may use a weak worker", {0.6, 0.5, 0.2, 0.1}, 0, 1, false}},
    .generate = generate,
}};

}  // namespace
}  // namespace bough
