// SPDX-License-Identifier: Apache-2.0
//
// The load-balancing family against a file of the competition it comes from: one reader understands both, and checks both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bough/instance/family.hpp"
#include "bough/scip/problem.hpp"
#include "bough/scip/scip.hpp"
#include "tests/milps.hpp"

namespace bough::test {
namespace {

Milp make(Size size, std::uint64_t seed, const std::map<std::string, double, std::less<>>& overrides = {}) {
  const Family& family = family_by_name("loadbalance");
  return generate_instance(family, resolve_parameters(family, size, overrides), seed);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// A cluster as the rows of the problem describe it, whoever wrote them; expects the model's form on the way.  Numbers may differ by
/// `tolerance` (relative): the competition's file has six digits.
class Cluster {
 public:
  Cluster(const Milp& milp, double tolerance)
      : milp_(milp), tolerance_(tolerance), n_columns_(milp.variables.size()), worker_of_(n_columns_, n_columns_),
        m_of_(n_columns_), m_of_worker_(n_columns_) {
    EXPECT_FALSE(milp.maximize);
    capacity.assign(n_columns_, 0);
    sort_rows();
    if (!testing::Test::HasFatalFailure()) read_capacities();
    if (!testing::Test::HasFatalFailure()) read_workloads();
    if (!testing::Test::HasFatalFailure()) check_big_m();
  }

  std::vector<double> capacity;                   // by column of the worker
  std::vector<double> load;                       // (n_workloads)
  std::vector<std::vector<std::size_t>> allowed;  // (n_workloads)  columns of the workers
  std::size_t n_workers = 0;
  std::size_t n_allowed = 0;
  std::size_t n_fixed = 0;

 private:
  [[nodiscard]] bool near(double a, double b) const { return std::abs(a - b) <= tolerance_ * std::max(std::abs(a), std::abs(b)); }
  [[nodiscard]] const Milp::Variable& variable(const Milp::Entry& entry) const {
    return milp_.variables[static_cast<std::size_t>(entry.column)];
  }

  /// Rows with a worker's binary tie one reservation to it; the others are sums with an upper (capacity) or a lower side (failure).
  void sort_rows() {
    const auto is_binary = [&](const Milp::Entry& e) { return variable(e).type == Milp::VarType::binary; };
    for (std::size_t i = 0; i < milp_.rows.size(); ++i) {
      const auto& [name, lhs, rhs] = milp_.rows[i];
      const auto entries = milp_.row(i);
      const auto binary = std::ranges::find_if(entries, is_binary);
      if (binary == entries.end()) {
        ASSERT_TRUE(std::ranges::all_of(entries, [](const auto& e) { return e.value == 1; })) << name;
        ASSERT_NE(rhs < Milp::infinity, lhs > -Milp::infinity) << name;
        (rhs < Milp::infinity ? capacity_rows_ : failure_rows_).push_back(i);
        continue;
      }
      const auto other = std::ranges::find_if_not(entries, is_binary);
      ASSERT_TRUE(entries.size() == 2 && other != entries.end() && other->value == -1 && lhs == 0 && rhs == Milp::infinity) << name;
      const auto column = static_cast<std::size_t>(other->column);
      ASSERT_EQ(worker_of_[column], n_columns_) << "two rows tie " << milp_.variables[column].name;
      worker_of_[column] = static_cast<std::size_t>(binary->column);
      m_of_[column] = binary->value;
      m_of_worker_[worker_of_[column]].push_back(binary->value);
    }
  }

  /// A capacity row holds all the reservations on one worker; each is at most the capacity, or fixed at zero.
  void read_capacities() {
    for (const std::size_t i : capacity_rows_) {
      const std::size_t worker = worker_of_[static_cast<std::size_t>(milp_.row(i).front().column)];
      ASSERT_EQ(std::exchange(capacity[worker], milp_.rows[i].rhs), 0) << "two capacities for one worker";
      ASSERT_EQ(milp_.row(i).size(), m_of_worker_[worker].size());
      for (const auto& entry : milp_.row(i)) {
        const auto& reserved = variable(entry);
        ASSERT_EQ(worker_of_[static_cast<std::size_t>(entry.column)], worker);
        ASSERT_TRUE(reserved.lower == 0 && (reserved.upper == 0 || near(reserved.upper, capacity[worker]))) << reserved.name;
        n_fixed += reserved.upper == 0;
      }
    }
  }

  /// The failure rows of one workload: each leaves out another one of its reservations, and all ask for the same load.
  void read_workloads() {
    std::vector<std::size_t> workload_of(n_columns_, n_columns_);
    std::vector<std::set<std::vector<int>>> rows_of;  // workload -> its rows' columns
    for (const std::size_t i : failure_rows_) {
      std::size_t s = n_columns_;
      std::vector<int> columns;
      for (const auto& entry : milp_.row(i)) {
        columns.push_back(entry.column);
        s = std::min(s, workload_of[static_cast<std::size_t>(entry.column)]);
      }
      if (s == n_columns_) {
        s = load.size();
        load.push_back(milp_.rows[i].lhs);
        allowed.emplace_back();
        rows_of.emplace_back();
      }
      ASSERT_EQ(milp_.rows[i].lhs, load[s]) << milp_.rows[i].name;
      for (const int column : columns) {
        const auto c = static_cast<std::size_t>(column);
        ASSERT_GT(milp_.variables[c].upper, 0) << "a failure row counts on a worker that is not allowed";
        ASSERT_TRUE(near(m_of_[c], std::max(capacity[worker_of_[c]], load[s]))) << milp_.variables[c].name;
        if (workload_of[c] == n_columns_) allowed[s].push_back(worker_of_[c]);
        workload_of[c] = s;
      }
      std::ranges::sort(columns);
      ASSERT_TRUE(rows_of[s].insert(columns).second) << "two rows for the failure of one worker";
    }
    for (std::size_t s = 0; s < load.size(); ++s) {
      n_allowed += allowed[s].size();
      ASSERT_EQ(rows_of[s].size(), allowed[s].size());
      for (const auto& columns : rows_of[s]) ASSERT_EQ(columns.size(), allowed[s].size() - 1);
    }
  }

  /// Also where a worker is not allowed, M is the larger of its capacity and the load: its rows show every workload.
  void check_big_m() {
    for (std::size_t t = 0; t < n_columns_; ++t) {
      const bool is_worker = milp_.variables[t].type == Milp::VarType::binary;
      ASSERT_EQ(milp_.variables[t].objective, is_worker ? 1 : 0);
      if (!is_worker) continue;
      ++n_workers;
      std::vector<double> expected;
      for (const double l : load) expected.push_back(std::max(capacity[t], l));
      std::ranges::sort(expected);
      std::ranges::sort(m_of_worker_[t]);
      ASSERT_TRUE(std::ranges::equal(m_of_worker_[t], expected, [&](double a, double b) { return near(a, b); }));
    }
    EXPECT_EQ(n_workers, capacity_rows_.size());
    EXPECT_EQ(n_fixed + n_allowed, n_workers * load.size());
    EXPECT_EQ(n_columns_, n_workers * (load.size() + 1));
    EXPECT_EQ(milp_.rows.size(), n_columns_ + n_allowed);
  }

  const Milp& milp_;
  double tolerance_;
  std::size_t n_columns_;
  std::vector<std::size_t> worker_of_;            // (n_columns)  of a reservation
  std::vector<double> m_of_;                      // (n_columns)  of a reservation
  std::vector<std::vector<double>> m_of_worker_;  // (n_columns)  of a worker: M of all its reservations
  std::vector<std::size_t> capacity_rows_, failure_rows_;
};

TEST(LoadBalance, HasTheFormOfTheCompetitionsInstances) {
  const auto path = std::filesystem::path(BOUGH_SHARED_INSTANCES) / "ml4co" / "load_balancing_9900.mps.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << ": the competition's file is not on this machine";
  const ScipPtr scip = create_scip();
  read_problem(scip.get(), path);
  const Milp milp = to_milp(scip.get());
  EXPECT_EQ(milp.rows.size(), 64'286U);
  EXPECT_EQ(milp.variables.size(), 61'000U);
  EXPECT_EQ(milp.entries.size(), 359'274U);
  const Cluster data(milp, 1e-5);
  EXPECT_EQ(data.load.size(), 60U);
  EXPECT_EQ(data.n_workers, 1000U);
  EXPECT_EQ(data.n_allowed, 3286U);
  EXPECT_EQ(data.n_fixed, 56'714U);
}

TEST(LoadBalance, GeneratesThatForm) {
  const std::tuple<Size, unsigned, unsigned> sizes[]{{Size::easy, 12, 200}, {Size::medium, 30, 500}, {Size::hard, 60, 1000}};
  for (const auto& [size, n_workloads, n_workers] : sizes) {
    const Milp milp = make(size, 1);
    const Cluster data(milp, 0);
    EXPECT_EQ(data.load.size(), n_workloads);
    EXPECT_EQ(data.n_workers, n_workers);
    EXPECT_NEAR(static_cast<double>(data.n_allowed) / n_workloads, 55, 4 * std::sqrt(55.0 / n_workloads));
  }
}

// The competition's numbers: 500 + 500 workers, 50 + 10 workloads, and for each of the four combinations its own probability.
TEST(LoadBalance, DrawsCapacitiesLoadsAndPermissionsByClass) {
  const Milp milp = make(Size::hard, 2);
  const Cluster data(milp, 0);
  ASSERT_FALSE(HasFatalFailure());
  const auto expect_uniform = [](std::vector<double> values, double low, double high) {
    EXPECT_GE(std::ranges::min(values), low);
    EXPECT_LE(std::ranges::max(values), high);
    EXPECT_NEAR(mean(values), (low + high) / 2, 4 * (high - low) / std::sqrt(12.0 * static_cast<double>(values.size())));
  };
  expect_uniform({data.capacity.begin(), data.capacity.begin() + 500}, 0.3, 0.5);
  expect_uniform({data.capacity.begin() + 500, data.capacity.begin() + 1000}, 0.1, 0.3);
  expect_uniform({data.load.begin(), data.load.begin() + 50}, 1, 5);
  expect_uniform({data.load.begin() + 50, data.load.end()}, 5, 10);

  double counts[2][2]{};
  for (std::size_t s = 0; s < 60; ++s) {
    for (const std::size_t t : data.allowed[s]) ++counts[s < 50 ? 0 : 1][t < 500 ? 0 : 1];
  }
  const auto expect_count = [](double count, double n, double p) { EXPECT_NEAR(count, n * p, 4 * std::sqrt(n * p * (1 - p))); };
  expect_count(counts[0][0], 50 * 500, 0.1);
  expect_count(counts[0][1], 50 * 500, 0.01);
  expect_count(counts[1][0], 10 * 500, 0.01);
  expect_count(counts[1][1], 10 * 500, 0.1);
}

// With all workers in use the LP must be feasible.  Loads near the limit: some draws are rejected, and those kept must be right.
TEST(LoadBalance, IsAlwaysFeasible) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const double heavy : {0.6, 0.75}) {
      EXPECT_TRUE(lp_optimum(make(Size::tiny, seed, {{"heavy-load-low", heavy}, {"heavy-load-high", heavy}}))) << seed;
    }
  }
}

}  // namespace
}  // namespace bough::test
