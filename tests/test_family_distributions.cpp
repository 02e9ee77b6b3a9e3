// SPDX-License-Identifier: Apache-2.0
//
// What the generated instances look like, family by family, read off the rows alone.  Tolerances are four standard deviations of the
// estimate unless they say otherwise; the seeds are fixed, so a test that passes once passes always.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bough/instance/family.hpp"

namespace bough {
namespace {

Milp make(std::string_view family_name, Size size, std::uint64_t seed, const std::map<std::string, double, std::less<>>& overrides = {}) {
  const Family& family = family_by_name(family_name);
  return generate_instance(family, resolve_parameters(family, size, overrides), seed);
}

/// Column -> the rows it is in.
std::vector<std::vector<std::size_t>> rows_of_columns(const Milp& milp) {
  std::vector<std::vector<std::size_t>> rows(milp.variables.size());
  for (std::size_t i = 0; i < milp.rows.size(); ++i) {
    for (const auto& entry : milp.row(i)) rows[static_cast<std::size_t>(entry.column)].push_back(i);
  }
  return rows;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(const std::vector<double>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum / static_cast<double>(values.size());
}

// ---- set covering ----------------------------------------------------------------------------------------------------------------

TEST(SetCover, HasExactlyTheNonzerosOfItsDensityAndCoversEveryRow) {
  const std::tuple<Size, std::size_t, std::size_t> sizes[]{
      {Size::easy, 500, 25'000}, {Size::medium, 1000, 50'000}, {Size::hard, 2000, 100'000}};
  for (const auto& [size, n_rows, n_nonzeros] : sizes) {
    const Milp milp = make("setcover", size, 3);
    EXPECT_FALSE(milp.maximize);
    EXPECT_EQ(milp.rows.size(), n_rows);
    EXPECT_EQ(milp.variables.size(), 1000U);
    EXPECT_EQ(milp.entries.size(), n_nonzeros);
    for (std::size_t i = 0; i < milp.rows.size(); ++i) EXPECT_TRUE(!milp.row(i).empty() && milp.rows[i].lhs == 1);
    for (const auto& rows : rows_of_columns(milp)) EXPECT_GE(rows.size(), 2U);
    for (const auto& entry : milp.entries) EXPECT_EQ(entry.value, 1);
  }
}

// Beyond two in each column, the other 23,000 nonzeros are a sample without replacement of the 498,000 places left: a column's count
// has mean 23 and the hypergeometric variance 21.92 (independent draws would give 22.98).
TEST(SetCover, SpreadsNonzerosAndCostsAsBalasAndHo) {
  std::vector<double> costs;
  std::vector<double> counts;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Milp milp = make("setcover", Size::easy, seed);
    for (const auto& v : milp.variables) costs.push_back(v.objective);
    for (const auto& rows : rows_of_columns(milp)) counts.push_back(static_cast<double>(rows.size()));
  }
  EXPECT_EQ(mean(counts), 25);
  EXPECT_NEAR(variance(counts), 21.92, 4 * 21.92 * std::sqrt(2.0 / 40'000));
  EXPECT_EQ(std::ranges::min(costs), 1);
  EXPECT_EQ(std::ranges::max(costs), 100);
  EXPECT_NEAR(mean(costs), 50.5, 4 * std::sqrt(9999.0 / 12 / 40'000));
  for (const double cost : costs) ASSERT_EQ(cost, std::floor(cost));
}

TEST(SetCover, FirstColumnsShareNoRow) {
  const Milp milp = make("setcover", Size::easy, 5);
  std::set<std::size_t> covered;
  std::size_t n_slots = 0;
  for (const auto& rows : rows_of_columns(milp)) {
    n_slots += rows.size();
    if (n_slots > 500) break;
    covered.insert(rows.begin(), rows.end());
    EXPECT_EQ(covered.size(), n_slots);
  }
  EXPECT_GT(n_slots, 500U);
}

// ---- auction ---------------------------------------------------------------------------------------------------------------------

struct AuctionBid {
  double price = 0;
  std::vector<int> items;  // by row; dummy items not included
  int xor_row = -1;
};

/// The bids as the rows of the problem describe them.
std::vector<AuctionBid> bids_of(const Milp& milp) {
  std::vector<AuctionBid> bids(milp.variables.size());
  for (std::size_t b = 0; b < bids.size(); ++b) bids[b].price = milp.variables[b].objective;
  for (std::size_t i = 0; i < milp.rows.size(); ++i) {
    EXPECT_EQ(milp.rows[i].rhs, 1);
    EXPECT_FALSE(milp.row(i).empty());
    for (const auto& [column, value] : milp.row(i)) {
      AuctionBid& bid = bids[static_cast<std::size_t>(column)];
      EXPECT_EQ(value, 1);
      if (milp.rows[i].name.starts_with("xor")) {
        EXPECT_EQ(std::exchange(bid.xor_row, static_cast<int>(i)), -1) << "a bid of two bidders";
      } else {
        bid.items.push_back(static_cast<int>(i));
      }
    }
  }
  return bids;
}

/// The bidders with three bids or more: consecutive bids that share a dummy item.
std::vector<std::vector<AuctionBid>> bidders_of(const std::vector<AuctionBid>& bids) {
  std::vector<std::vector<AuctionBid>> bidders;
  for (const auto chunk : bids | std::views::chunk_by([](const auto& a, const auto& b) { return a.xor_row == b.xor_row; })) {
    if (chunk.front().xor_row >= 0) bidders.emplace_back(chunk.begin(), chunk.end());
  }
  return bidders;
}

TEST(Auction, BiddersOfferSubstitutesOfEqualSizeWithinTheirBudget) {
  std::size_t largest = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Milp milp = make("auction", Size::easy, seed);
    EXPECT_TRUE(milp.maximize);
    ASSERT_EQ(milp.variables.size(), 500U);
    EXPECT_EQ(std::ranges::count_if(milp.rows, [](const auto& row) { return row.name.starts_with("item"); }), 100);
    const auto bidders = bidders_of(bids_of(milp));
    const auto n_xor_rows = std::ranges::count_if(milp.rows, [](const auto& row) { return row.name.starts_with("xor"); });
    EXPECT_EQ(static_cast<std::size_t>(n_xor_rows), bidders.size()) << "the bids of one bidder are not consecutive";
    for (const auto& bids : bidders) {
      EXPECT_GE(bids.size(), 3U);
      largest = std::max(largest, bids.size());
      const AuctionBid& first = bids.front();
      std::set<std::vector<int>> bundles{first.items};
      for (std::size_t k = 1; k < bids.size(); ++k) {
        EXPECT_EQ(bids[k].items.size(), first.items.size());
        EXPECT_TRUE(bundles.insert(bids[k].items).second) << "the same bundle twice";
        EXPECT_TRUE(std::ranges::any_of(bids[k].items, [&](int i) { return std::ranges::contains(first.items, i); }));
        EXPECT_GE(bids[k].price, 0);
        EXPECT_LE(bids[k].price, 1.5 * first.price);
        EXPECT_TRUE(k == 1 || bids[k].price <= bids[k - 1].price) << "not the dearest first";
      }
    }
  }
  EXPECT_EQ(largest, 6U) << "five substitutes at most, and some bidders use them all";
}

// Without deviation all bidders agree on the value v_i of an item: bids on one item give it away as price - 1, and with it the price
// and the resale value of all others.
TEST(Auction, PricesAreTheItemsValuesPlusTheBundlesOwn) {
  const Milp milp = make("auction", Size::easy, 0, {{"value-deviation", 0}, {"items", 20}, {"bids", 3000}});
  const auto bids = bids_of(milp);
  std::vector<double> value(20, -1);
  for (const auto& bid : bids) {
    if (bid.items.size() == 1) value[static_cast<std::size_t>(bid.items[0])] = bid.price - 1;
  }
  const auto common_value = [&](const AuctionBid& bid) {
    double sum = 0;
    for (const int i : bid.items) sum += value[static_cast<std::size_t>(i)];
    return sum;
  };
  for (const double v : value) EXPECT_TRUE(v >= 1 && v <= 100) << v;
  EXPECT_LT(std::ranges::min(value), 30);
  EXPECT_GT(std::ranges::max(value), 70);
  for (const auto& bid : bids) {
    EXPECT_NEAR(bid.price, common_value(bid) + std::pow(bid.items.size(), 1.2), 1e-9);  // rounding of the sums
  }
  double least_resale = 1;
  for (const auto& bidder : bidders_of(bids)) {
    for (const auto& bid : bidder) least_resale = std::min(least_resale, common_value(bid) / common_value(bidder.front()));
  }
  EXPECT_GE(least_resale, 0.5);
  EXPECT_LT(least_resale, 0.55) << "no bid comes near the limit: is it applied?";
}

// One bid each and no deviation: no bidder is turned away, and a bundle's size is geometric with mean 1 / 0.3.
TEST(Auction, BundleSizesAreGeometric) {
  const Milp milp = make("auction", Size::easy, 1, {{"value-deviation", 0}, {"max-substitutes", 0}, {"items", 200}, {"bids", 10'000}});
  std::vector<double> sizes;
  for (const auto& bid : bids_of(milp)) sizes.push_back(static_cast<double>(bid.items.size()));
  EXPECT_TRUE(bidders_of(bids_of(milp)).empty());
  EXPECT_NEAR(mean(sizes), 1 / 0.3, 4 * std::sqrt(0.7) / 0.3 / 100);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(sizes, 1)), 3000, 4 * std::sqrt(10'000 * 0.3 * 0.7));
}

// All common values 10, deviation 5, one item a bid: the price is 10 + 5 (2 r - 1) + 1 with the bidder's interest r, and an item is
// chosen in proportion to r, so that r has density 2 r, mean 2/3 and variance 1/18 (with 100 items the mean is 0.001 less).
TEST(Auction, BiddersPreferWhatTheyValue) {
  const Milp milp = make("auction", Size::easy, 2,
                         {{"min-value", 10}, {"max-value", 10}, {"add-item-probability", 0}, {"items", 100}, {"bids", 10'000}});
  std::vector<double> interests;
  for (const auto& v : milp.variables) interests.push_back((v.objective - 6) / 10);
  EXPECT_GE(std::ranges::min(interests), -1e-12);
  EXPECT_LE(std::ranges::max(interests), 1 + 1e-12);
  EXPECT_NEAR(mean(interests), 2.0 / 3 - 0.001, 4 * std::sqrt(1.0 / 18 / 10'000));
  EXPECT_NEAR(variance(interests), 1.0 / 18, 0.003);
}

/// The relative spread (standard deviation over mean).
double spread(const std::vector<double>& values) { return std::sqrt(variance(values)) / mean(values); }

/// Bids of two items and more: how unequal the items are, and how unequal the pairs.
std::pair<double, double> item_and_pair_spread(double gasse_compat) {
  const Milp milp = make("auction", Size::easy, 3,
                         {{"value-deviation", 0}, {"max-substitutes", 0}, {"items", 20}, {"bids", 40'000}, {"gasse-compat", gasse_compat}});
  std::vector<double> items(20);
  std::map<std::pair<int, int>, double> pairs;
  for (const auto& bid : bids_of(milp)) {
    if (bid.items.size() != 2) continue;
    for (const int i : bid.items) ++items[static_cast<std::size_t>(i)];
    ++pairs[{bid.items[0], bid.items[1]}];
  }
  std::vector<double> pair_counts(190);
  std::ranges::copy(pairs | std::views::values, pair_counts.begin());
  return {spread(items), spread(pair_counts)};
}

// A pair's count is in proportion to its compatibility u ~ U(0, 1), whose relative spread is 0.58; 44 bids a pair add a sampling noise
// of 0.15.  Gasse's rule looks at two fixed items instead of those in the bundle: some items are then hardly ever added.
TEST(Auction, CompatibleItemsAreBidForTogether) {
  const auto [items, pairs] = item_and_pair_spread(0);
  EXPECT_NEAR(pairs, std::hypot(0.58, 0.15), 0.1);  // 190 compatibilities are a small sample
  EXPECT_LT(items, 0.2);
  const auto [items_gasse, pairs_gasse] = item_and_pair_spread(1);
  EXPECT_GT(items_gasse, 1.3 * items);
}

TEST(Auction, RoundsPricesDownOnRequest) {
  const Milp rounded = make("auction", Size::easy, 4, {{"integers", 1}, {"max-substitutes", 0}});
  const Milp real = make("auction", Size::easy, 4, {{"max-substitutes", 0}});
  for (std::size_t b = 0; b < 500; ++b) EXPECT_EQ(rounded.variables[b].objective, std::floor(real.variables[b].objective));
}

// ---- facility location -----------------------------------------------------------------------------------------------------------

/// The data as the rows of the problem describe them; expects the model's form on the way.
struct FacilityData {
  explicit FacilityData(const Milp& milp) {
    while (milp.variables[n_facilities].type == Milp::VarType::binary) ++n_facilities;
    const std::size_t n_customers = milp.variables.size() / n_facilities - 1;
    EXPECT_EQ(milp.rows.size(), n_customers + n_facilities + 1 + n_customers * n_facilities);
    std::size_t row = 0;
    for (std::size_t i = 0; i < n_customers; ++i, ++row) {
      EXPECT_EQ(milp.rows[row].lhs, 1);
      EXPECT_EQ(milp.row(row).size(), n_facilities);
    }
    demand.resize(n_customers);
    for (std::size_t j = 0; j < n_facilities; ++j, ++row) {
      EXPECT_EQ(milp.rows[row].rhs, 0);
      for (std::size_t i = 0; i < n_customers; ++i) demand[i] = milp.row(row)[i].value;
      capacity.push_back(-milp.row(row)[n_customers].value);
      EXPECT_EQ(milp.row(row)[n_customers].column, static_cast<int>(j));
    }
    EXPECT_EQ(milp.rows[row].lhs, std::accumulate(demand.begin(), demand.end(), 0.0));
    for (std::size_t j = 0; j < n_facilities; ++j) EXPECT_EQ(milp.row(row)[j].value, capacity[j]);
    for (++row; row < milp.rows.size(); ++row) {
      EXPECT_TRUE(milp.rows[row].rhs == 0 && milp.row(row).size() == 2);
      EXPECT_EQ(milp.row(row)[0].value + milp.row(row)[1].value, 0);
    }
    for (std::size_t k = 0; k < milp.variables.size(); ++k) {
      (k < n_facilities ? fixed_cost : transport).push_back(milp.variables[k].objective);
      EXPECT_TRUE(milp.variables[k].lower == 0 && milp.variables[k].upper == 1);
    }
  }

  [[nodiscard]] double distance(std::size_t i, std::size_t j) const { return transport[i * n_facilities + j] / (10 * demand[i]); }

  std::size_t n_facilities = 0;
  std::vector<double> demand, capacity, fixed_cost, transport;
};

TEST(Facility, HasTheSizesOfThePublishedInstances) {
  const std::tuple<Size, std::size_t, std::size_t> sizes[]{
      {Size::easy, 10'201, 10'100}, {Size::medium, 20'301, 20'100}, {Size::hard, 40'501, 40'100}};
  for (const auto& [size, n_rows, n_columns] : sizes) {
    const Milp milp = make("facility", size, 0);
    EXPECT_FALSE(milp.maximize);
    EXPECT_EQ(milp.rows.size(), n_rows);
    EXPECT_EQ(milp.variables.size(), n_columns);
    EXPECT_EQ(FacilityData(milp).n_facilities, 100U);
  }
}

TEST(Facility, DrawsDemandsCapacitiesAndDistancesInTheirRanges) {
  std::vector<double> demands;
  std::vector<double> distances;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FacilityData data(make("facility", Size::easy, seed));
    demands.insert(demands.end(), data.demand.begin(), data.demand.end());
    const double total_demand = std::accumulate(data.demand.begin(), data.demand.end(), 0.0);
    const double total_capacity = std::accumulate(data.capacity.begin(), data.capacity.end(), 0.0);
    EXPECT_LE(total_capacity, 5 * total_demand);
    EXPECT_GT(total_capacity, 5 * total_demand - 100) << "each of 100 facilities loses less than 1 to rounding down";
    for (std::size_t i = 0; i < 100; ++i) {
      for (std::size_t j = 0; j < 100; ++j) {
        distances.push_back(data.distance(i, j));
        const std::size_t i2 = (i + 1 + seed) % 100;
        const std::size_t j2 = (j + 7) % 100;
        const double detour = data.distance(i, j2) + data.distance(i2, j2) + data.distance(i2, j);
        EXPECT_LE(data.distance(i, j), detour + 1e-12);  // rounding
      }
    }
  }
  EXPECT_EQ(std::ranges::min(demands), 5);
  EXPECT_EQ(std::ranges::max(demands), 35);
  EXPECT_NEAR(mean(demands), 20, 4 * std::sqrt(960.0 / 12 / 2000));
  EXPECT_LE(std::ranges::max(distances), std::sqrt(2));
  // Two random points of the unit square are 0.5214 apart on average; points shared by many pairs leave a deviation of about 0.002.
  EXPECT_NEAR(mean(distances), 0.5214, 0.01);
}

// Whatever the capacities u_j were before scaling, they were whole numbers from 10 to 160 with some sum U, they became
// floor(5 u_j D / U) with the total demand D, and the fixed costs came from them.  We look for a U under which all of that is true.
TEST(Facility, FixedCostsComeFromTheCapacitiesBeforeScaling) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const FacilityData data(make("facility", Size::tiny, seed, {{"customers", 50}, {"facilities", 20}}));
    const double total_demand = std::accumulate(data.demand.begin(), data.demand.end(), 0.0);
    int n_explanations = 0;
    for (int total = 200; total <= 3200; ++total) {
      double sum = 0;
      const bool explains = std::ranges::all_of(std::views::iota(0U, 20U), [&](std::size_t j) {
        const double u = std::ceil(data.capacity[j] * total / (5 * total_demand));
        sum += u;
        return u >= 10 && u <= 160 && std::floor(u * 5 * total_demand / total) == data.capacity[j] &&
               data.fixed_cost[j] == std::floor(data.fixed_cost[j]) && data.fixed_cost[j] >= std::floor(100 * std::sqrt(u)) &&
               data.fixed_cost[j] <= 110 * std::sqrt(u) + 90;
      });
      n_explanations += explains && sum == total;
    }
    EXPECT_GE(n_explanations, 1) << "seed " << seed;
  }
}

// ---- independent set -------------------------------------------------------------------------------------------------------------

/// Every pair that shares a row, and how often.
std::map<std::pair<int, int>, int> edges_of(const Milp& milp) {
  std::map<std::pair<int, int>, int> edges;
  for (std::size_t i = 0; i < milp.rows.size(); ++i) {
    EXPECT_EQ(milp.rows[i].rhs, 1);
    EXPECT_GE(milp.row(i).size(), 2U);
    for (const auto& a : milp.row(i)) {
      EXPECT_EQ(a.value, 1);
      for (const auto& b : milp.row(i)) {
        if (a.column < b.column) ++edges[{a.column, b.column}];
      }
    }
  }
  return edges;
}

// A row that is no clique would add pairs that are no edges, and the counts below would not come out.
TEST(IndependentSet, EveryNodeOfABarabasiAlbertGraphBringsFourEdgesEachInOneRow) {
  for (const auto& [n_nodes, n_edges] : {std::pair{500, 1984U}, {750, 2984U}, {1000, 3984U}, {1500, 5984U}}) {
    const Milp milp = make("indset", Size::easy, 1, {{"nodes", n_nodes}});
    EXPECT_TRUE(milp.maximize);
    for (const auto& v : milp.variables) EXPECT_EQ(v.objective, 1);
    const auto edges = edges_of(milp);
    EXPECT_EQ(edges.size(), n_edges);
    std::vector<int> older(static_cast<std::size_t>(n_nodes));
    for (const auto& [edge, n_rows] : edges) {
      EXPECT_EQ(n_rows, 1);
      ++older[static_cast<std::size_t>(edge.second)];
    }
    for (std::size_t v = 0; v < older.size(); ++v) EXPECT_EQ(older[v], v == 0 ? 0 : v <= 4 ? 1 : 4) << "node " << v;
  }
}

// Of a large Barabasi-Albert graph with four edges a node, 2/(4+2) of the nodes keep degree 4; if new nodes joined all others alike, it
// would be 1/(4+1).  The largest degree grows like 4 sqrt(n), not like 4 log(n).
TEST(IndependentSet, WellConnectedNodesGetMoreEdges) {
  double n_leaves = 0;
  double largest = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<int> degree(1000);
    for (const auto& [edge, n_rows] : edges_of(make("indset", Size::medium, seed))) {
      ++degree[static_cast<std::size_t>(edge.first)];
      ++degree[static_cast<std::size_t>(edge.second)];
    }
    n_leaves += static_cast<double>(std::ranges::count(degree, 4)) / 10'000;
    largest += std::ranges::max(degree) / 10.0;
  }
  EXPECT_NEAR(n_leaves, 1.0 / 3, 0.02);
  EXPECT_NEAR(largest, 4 * std::sqrt(1000), 40);
}

// The greedy partition done again, the slow way: the free node of largest degree and, in the same order, all that fit.
TEST(IndependentSet, CliqueRowsAreTheGreedyPartition) {
  for (const double edge_probability : {0.0, 0.4}) {
    const Milp milp = make("indset", Size::tiny, 2, {{"nodes", 80}, {"edge-probability", edge_probability}});
    const auto edges = edges_of(milp);
    for (const auto& [edge, n_rows] : edges) EXPECT_EQ(n_rows, 1);
    const auto adjacent = [&](int u, int v) { return edges.contains(std::minmax(u, v)); };
    const auto degree = [&](int u) { return std::ranges::count_if(std::views::iota(0, 80), [&](int v) { return adjacent(u, v); }); };
    std::vector<int> order(80);
    std::ranges::iota(order, 0);
    std::ranges::stable_sort(order, std::ranges::greater{}, degree);
    std::set<std::vector<int>> expected;
    while (!order.empty()) {
      std::vector<int> clique;
      for (const int v : order) {
        if (std::ranges::all_of(clique, [&](int u) { return adjacent(u, v); })) clique.push_back(v);
      }
      std::erase_if(order, [&](int v) { return std::ranges::contains(clique, v); });
      std::ranges::sort(clique);
      if (clique.size() > 1) expected.insert(clique);
    }
    std::set<std::vector<int>> cliques;
    for (std::size_t i = 0; i < milp.rows.size(); ++i) {
      if (!milp.rows[i].name.starts_with("clique")) continue;
      std::vector<int> clique;
      for (const auto& entry : milp.row(i)) clique.push_back(entry.column);
      cliques.insert(clique);
    }
    EXPECT_EQ(cliques, expected);
  }
}

TEST(IndependentSet, ErdosRenyiPairsAreEdgesWithTheGivenProbability) {
  double n_edges = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    n_edges += static_cast<double>(edges_of(make("indset", Size::tiny, seed, {{"nodes", 100}, {"edge-probability", 0.25}})).size());
  }
  EXPECT_NEAR(n_edges, 49'500 * 0.25, 4 * std::sqrt(49'500 * 0.25 * 0.75));
}

}  // namespace
}  // namespace bough
