// SPDX-License-Identifier: Apache-2.0
//
// Combinatorial auction, winner determination (Leyton-Brown, Pearson & Shoham 2000, "arbitrary" relationships):
//   max  sum of the prices of the accepted bids,  every item sold at most once,  x binary.
#include <algorithm>
#include <cmath>
#include <format>

#include "bough/error.hpp"
#include "bough/instance/family.hpp"

namespace bough {
namespace {

struct Bid {
  std::vector<int> items;  // ascending
  double price = 0;
};

/// The goods for sale, as all bidders see them.
struct Market {
  std::vector<double> values;         // (n_items)           common value v_i
  std::vector<double> compatibility;  // (n_items, n_items)  c_ij = u_ij / sum_k u_kj with symmetric random u, u_ii = 0
  double deviation = 0;               // private values differ from the common ones by up to this
  double exponent = 1;                // a bundle K is worth the sum of its private values plus |K|^exponent
  bool whole_prices = false;
  bool two_rows_only = false;  // gasse-compat

  [[nodiscard]] std::size_t size() const { return values.size(); }
  [[nodiscard]] double compatible(std::size_t i, std::size_t j) const { return compatibility[i * size() + j]; }
};

/// Uniform on (0, 1]: never 0, so that every item outside a bundle keeps a positive weight and a bundle can always grow.
double positive_uniform(Rng& rng) { return 1 - rng.uniform(); }

Market open_market(const Parameters& parameters, Rng& rng) {
  const double low = parameters.real("min-value");
  const double high = parameters.real("max-value");
  if (low > high) {
    throw Error(ExitCode::usage, std::format("auction: --min-value {} is above --max-value {}", low, high));
  }
  Market market;
  market.deviation = high * parameters.real("value-deviation");
  market.exponent = 1 + parameters.real("additivity");
  market.whole_prices = parameters.flag("integers");
  market.two_rows_only = parameters.flag("gasse-compat");
  const auto n = static_cast<std::size_t>(parameters.integer("items"));
  market.values.resize(n);
  for (double& value : market.values) value = rng.uniform(low, high);

  market.compatibility.resize(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      market.compatibility[i * n + j] = market.compatibility[j * n + i] = positive_uniform(rng);
    }
  }
  std::vector<double> column_sum(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) column_sum[j] += market.compatible(i, j);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i != j) market.compatibility[i * n + j] /= column_sum[j];
    }
  }
  return market;
}

/// One bidder: how much he wants each item, what he pays for it, and the bundles he makes of that.
class Bidder {
 public:
  Bidder(const Market& market, Rng& rng) : market_(market), rng_(rng), interests_(market.size()), values_(market.size()) {
    for (std::size_t i = 0; i < interests_.size(); ++i) {
      interests_[i] = positive_uniform(rng);
      values_[i] = market.values[i] + market.deviation * (2 * interests_[i] - 1);
    }
  }

  /// The bundle he wants most.
  Bid first_bid(double add_item_probability) {
    begin_bundle(rng_.weighted(interests_));
    while (rng_.bernoulli(add_item_probability) && bundle_.size() < market_.size()) add_item();
    return finish_bundle();
  }

  /// A bundle of `size` items, one of them `item`.
  Bid substitute(int item, std::size_t size) {
    begin_bundle(static_cast<std::size_t>(item));
    while (bundle_.size() < size) add_item();
    return finish_bundle();
  }

 private:
  void begin_bundle(std::size_t item) {
    bundle_.clear();
    affinity_.assign(market_.size(), 0);
    take(item);
  }

  void take(std::size_t item) {
    bundle_.push_back(static_cast<int>(item));
    for (std::size_t i = 0; i < affinity_.size(); ++i) affinity_[i] += market_.compatible(i, item);
  }

  void add_item() {
    weights_.resize(market_.size());
    const auto n_in = static_cast<double>(bundle_.size());
    const auto n_out = static_cast<double>(market_.size()) - n_in;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      // Gasse et al. 2019 index the matrix with a 0/1 mask, so that only its rows 0 and 1 count, whatever the bundle holds.
      const double affinity =
          market_.two_rows_only ? n_out * market_.compatible(0, i) + n_in * market_.compatible(1, i) : affinity_[i];
      weights_[i] = interests_[i] * affinity;
    }
    for (const int i : bundle_) weights_[static_cast<std::size_t>(i)] = 0;
    take(rng_.weighted(weights_));
  }

  Bid finish_bundle() {
    std::ranges::sort(bundle_);
    double price = 0;
    for (const int i : bundle_) price += values_[static_cast<std::size_t>(i)];
    // In long double and rounded: libraries differ in the last bit of pow on doubles.
    price += static_cast<double>(std::pow(static_cast<long double>(bundle_.size()), static_cast<long double>(market_.exponent)));
    return {bundle_, market_.whole_prices ? std::floor(price) : price};
  }

  const Market& market_;
  Rng& rng_;
  std::vector<double> interests_;  // (n_items)
  std::vector<double> values_;     // (n_items)  private values
  std::vector<int> bundle_;        // the bundle in the making, in the order of choice
  std::vector<double> affinity_;   // (n_items)  sum of c_ij over the bundle's items j
  std::vector<double> weights_;    // (n_items)
};

double common_value(const Market& market, const Bid& bid) {
  double sum = 0;
  for (const int i : bid.items) sum += market.values[static_cast<std::size_t>(i)];
  return sum;
}

/// What one bidder bids: `first` and the dearest of the acceptable substitutes; at most `n_most` bids.
std::vector<Bid> bids_of(Bidder& bidder, const Bid& first, const Market& market, const Parameters& parameters, std::size_t n_most) {
  std::vector<Bid> substitutes;
  for (const int item : first.items) substitutes.push_back(bidder.substitute(item, first.items.size()));
  std::ranges::stable_sort(substitutes, std::ranges::greater{}, &Bid::price);

  const double budget = parameters.real("budget-factor") * first.price;
  const double least_resale = parameters.real("resale-factor") * common_value(market, first);
  const std::size_t n_allowed = std::min(n_most, static_cast<std::size_t>(parameters.integer("max-substitutes")) + 1);
  std::vector<Bid> bids{first};
  for (const Bid& bid : substitutes) {
    if (bids.size() >= n_allowed) break;
    const bool acceptable = bid.price >= 0 && bid.price <= budget && common_value(market, bid) >= least_resale;
    if (acceptable && !std::ranges::contains(bids, bid.items, &Bid::items)) bids.push_back(bid);
  }
  return bids;
}

Milp generate(const Parameters& parameters, Rng& rng) {
  const auto n_items = static_cast<std::size_t>(parameters.integer("items"));
  const auto n_bids = static_cast<std::size_t>(parameters.integer("bids"));
  const Market market = open_market(parameters, rng);

  std::vector<double> prices;
  std::vector<std::vector<int>> bids_on(n_items);  // item -> its bids; the dummy items follow the real ones
  for (int n_discarded = 0; prices.size() < n_bids;) {
    Bidder bidder(market, rng);
    const Bid first = bidder.first_bid(parameters.real("add-item-probability"));
    if (first.price < 0) {
      if (++n_discarded < 10'000) continue;
      throw Error(ExitCode::usage, std::format("auction: {} bidders in a row would pay less than nothing", n_discarded),
                  "lower --value-deviation or raise --min-value");
    }
    n_discarded = 0;
    const std::vector<Bid> bids = bids_of(bidder, first, market, parameters, n_bids - prices.size());
    // A dummy item makes a bidder's bids exclusive, but only from three on: the published generators leave pairs free, and so
    // must we to draw from the same distribution.
    const bool exclusive = bids.size() > 2;
    if (exclusive) bids_on.emplace_back();
    for (const Bid& bid : bids) {
      const auto column = static_cast<int>(prices.size());
      for (const int i : bid.items) bids_on[static_cast<std::size_t>(i)].push_back(column);
      if (exclusive) bids_on.back().push_back(column);
      prices.push_back(bid.price);
    }
  }

  Milp milp;
  milp.maximize = true;
  for (std::size_t b = 0; b < prices.size(); ++b) milp.add_binary(std::format("bid{}", b + 1), prices[b]);
  for (std::size_t i = 0; i < bids_on.size(); ++i) {
    if (bids_on[i].empty()) continue;
    milp.add_row(i < n_items ? std::format("item{}", i + 1) : std::format("xor{}", i - n_items + 1), -Milp::infinity, 1);
    for (const int b : bids_on[i]) milp.add_entry(b, 1);
  }
  return milp;
}

const FamilyRegistration registration{{
    .name = "auction",
    .summary = "winner determination of a combinatorial auction",
    .reference = "Leyton-Brown, Pearson & Shoham 2000 (arbitrary relationships); sizes of Gasse et al. 2019",
    .parameters = {{"items", "items for sale", {40, 100, 200, 300}, 2, 5000},
                   {"bids", "bids", {100, 500, 1000, 1500}, 1, 1e6},
                   {"min-value", "least common value of an item", {1, 1, 1, 1}, 0, 1e6, false},
                   {"max-value", "largest common value of an item", {100, 100, 100, 100}, 0, 1e6, false},
                   {"value-deviation", "private values differ by up to this share of max-value", {0.5, 0.5, 0.5, 0.5}, 0, 100,
                    false},
                   {"add-item-probability", "chance that a bundle takes one more item", {0.7, 0.7, 0.7, 0.7}, 0, 1, false},
                   {"max-substitutes", "bids of one bidder besides his first", {5, 5, 5, 5}, 0, 1e6},
                   {"additivity", "k items together are worth k^(1 + additivity) more", {0.2, 0.2, 0.2, 0.2}, -1, 1, false},
                   {"budget-factor", "a substitute costs at most this times the first bid", {1.5, 1.5, 1.5, 1.5}, 0, 1e6, false},
                   {"resale-factor", "a substitute's common value is at least this times the first bid's", {0.5, 0.5, 0.5, 0.5}, 0, 1e6,
                    false},
                   {"integers", "1: prices are rounded down to whole numbers", {0, 0, 0, 0}, 0, 1},
                   {"gasse-compat", "1: weigh a bundle's next item by the same two rows always, as Gasse's generator does",
                    {0, 0, 0, 0}, 0, 1}},
    .generate = generate,
}};

}  // namespace
}  // namespace bough
