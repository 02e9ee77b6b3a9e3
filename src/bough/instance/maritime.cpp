// SPDX-License-Identifier: Apache-2.0
//
// Maritime inventory routing (MIRPLIB, Papageorgiou et al. 2014): the published data sets, and random ones with their statistics.
#include <algorithm>
#include <cmath>
#include <format>
#include <numeric>

#include "bough/error.hpp"
#include "bough/instance/family.hpp"
#include "bough/instance/maritime_data.hpp"

namespace bough {
namespace {

constexpr double largest_model = 2e7;  // columns; the largest published set has 1e5 at 60 periods

/// Range and median of a quantity over the 14 data sets of Group 1.
struct Spread {
  double low;
  double median;
  double high;
};
constexpr Spread loading_rate{27, 58, 134};
constexpr Spread discharge_rate{12, 27, 55};
constexpr Spread loading_periods_stored{5, 8, 11};  // capacity / rate
constexpr Spread discharge_periods_stored{5.5, 11, 15};
constexpr Spread share_stored{0.2, 0.5, 0.8};  // initial inventory / capacity
constexpr Spread max_amount_in_rates{2.5, 8, 16};
constexpr Spread fleet_in_rates{15, 20, 25};   // fleet capacity / production per period
constexpr double imbalance = 0.01;             // production and consumption differ by at most this share
constexpr double share_starting_empty = 0.55;  // at a loading port; the others start full at a discharge port
constexpr int latest_first_time = 7;
constexpr double nearest_discharge_km = 3800;
constexpr double region_side_km = 400;

/// Half of the mass on either side of the median, uniform within.
double draw(Rng& rng, const Spread& spread) {
  return rng.bernoulli(0.5) ? rng.uniform(spread.low, spread.median) : rng.uniform(spread.median, spread.high);
}

/// What a random instance is made of; see the parameters' help.
struct Shape {
  int horizon;
  int n_loading;
  int n_discharge;
  int n_loading_regions;
  int n_discharge_regions;
  int n_vessels;
  int n_classes;
  double max_distance_km;
};

void draw_fleet(const Shape& shape, Rng& rng, MaritimeData& data) {
  const double capacities[] = {300, rng.bernoulli(0.5) ? 250.0 : 260.0, rng.bernoulli(0.5) ? 200.0 : 220.0, 180, 150};
  for (int k = 0; k < shape.n_classes; ++k) {
    data.classes.push_back({.name = std::format("Vessel_Class_{}", k),
                            .capacity = capacities[k],
                            .speed_kn = static_cast<double>(rng.integer(13, 17)),
                            .cost_per_km = rng.integer(59, 95) / 1000.0,
                            .empty_discount = 0.2,
                            .travel_time = {}});
  }
  for (int v = 0; v < shape.n_vessels; ++v) {  // as many of each class, the larger classes first
    const bool empty = rng.bernoulli(share_starting_empty);
    const int kind = v * shape.n_classes / shape.n_vessels;
    data.vessels.push_back({.vessel_class = kind,
                            .initial_inventory = empty ? 0 : data.classes[static_cast<std::size_t>(kind)].capacity,
                            .initial_port = empty ? rng.integer(0, shape.n_loading - 1)
                                                  : shape.n_loading + rng.integer(0, shape.n_discharge - 1),
                            .first_time = rng.integer(0, std::min(latest_first_time, shape.horizon - 1))});
  }
}

double fleet_capacity(const MaritimeData& data) {
  double total = 0;
  for (const Vessel& vessel : data.vessels) total += data.classes[static_cast<std::size_t>(vessel.vessel_class)].capacity;
  return total;
}

/// Whole rates for all ports, loading first, that the fleet can carry; empty if this draw does not work out.
std::vector<int> draw_rates(const Shape& shape, double fleet, Rng& rng) {
  const double low = std::max({fleet / fleet_in_rates.high, shape.n_loading * loading_rate.low, shape.n_discharge * discharge_rate.low});
  const double high = std::min({fleet / fleet_in_rates.low, shape.n_loading * loading_rate.high, shape.n_discharge * discharge_rate.high});
  if (low > high) return {};

  std::vector<double> consumed(static_cast<std::size_t>(shape.n_discharge));
  for (double& rate : consumed) rate = draw(rng, discharge_rate);
  const double total = std::accumulate(consumed.begin(), consumed.end(), 0.0);
  if (total < low || total > high) {  // move all rates by the same share towards their smallest or largest value
    const double target = rng.uniform(low, high);
    const double end = total > high ? discharge_rate.low : discharge_rate.high;
    const double kept = (target - end * shape.n_discharge) / (total - end * shape.n_discharge);
    for (double& rate : consumed) rate = end + (rate - end) * kept;
  }
  std::vector<int> discharge;
  for (const double rate : consumed) discharge.push_back(static_cast<int>(std::round(rate)));
  const int consumption = std::accumulate(discharge.begin(), discharge.end(), 0);
  const int production = rng.integer(static_cast<int>(std::ceil(consumption * (1 - imbalance))),
                                     static_cast<int>(std::floor(consumption * (1 + imbalance))));
  if (production < low || production > high) return {};

  std::vector<double> weights(static_cast<std::size_t>(shape.n_loading));
  for (double& weight : weights) weight = draw(rng, loading_rate);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<int> rates;
  for (const double weight : weights) rates.push_back(static_cast<int>(std::floor(production * weight / sum)));
  for (std::size_t k = 0; std::accumulate(rates.begin(), rates.end(), 0) < production; k = (k + 1) % rates.size()) ++rates[k];
  if (!std::ranges::all_of(rates, [](int rate) { return rate >= loading_rate.low && rate <= loading_rate.high; })) return {};
  rates.insert(rates.end(), discharge.begin(), discharge.end());
  return rates;
}

void draw_ports(const Shape& shape, const std::vector<int>& rates, Rng& rng, MaritimeData& data) {
  std::vector<double> region_revenue;
  for (int r = 0; r < shape.n_loading_regions + shape.n_discharge_regions; ++r) region_revenue.push_back(rng.integer(470, 560) / 100.0);
  const auto horizon = static_cast<std::size_t>(shape.horizon);
  for (int i = 0; i < shape.n_loading + shape.n_discharge; ++i) {
    Port port;
    port.loading = i < shape.n_loading;
    const int number = port.loading ? i : i - shape.n_loading;
    const int n_regions = port.loading ? shape.n_loading_regions : shape.n_discharge_regions;
    const int n_ports = port.loading ? shape.n_loading : shape.n_discharge;
    port.region = number * n_regions / n_ports + (port.loading ? 0 : shape.n_loading_regions);
    port.name = std::format("{}Port_{}", port.loading ? "Loading" : "Discharge", number);
    const double rate = rates[static_cast<std::size_t>(i)];
    port.fee = rng.integer(10, 100);
    port.max_amount = std::round(rate * draw(rng, max_amount_in_rates));
    port.min_amount = 5 * rng.integer(4, std::min(24, static_cast<int>(port.max_amount / 5)));
    port.capacity = std::round(rate * draw(rng, port.loading ? loading_periods_stored : discharge_periods_stored));
    port.initial_inventory = std::round(port.capacity * draw(rng, share_stored));
    port.rate.assign(horizon, rate);
    if (!port.loading) port.revenue.assign(horizon, region_revenue[static_cast<std::size_t>(port.region)]);
    data.ports.push_back(std::move(port));
  }
}

/// Regions anywhere in a rectangle, ports anywhere in their region; false if a loading and a discharge port lie too close or too
/// far apart.
bool draw_places(const Shape& shape, Rng& rng, MaritimeData& data) {
  const int n_regions = shape.n_loading_regions + shape.n_discharge_regions;
  std::vector<Port> corner(static_cast<std::size_t>(n_regions));
  for (Port& place : corner) {
    place.x_km = std::round(rng.uniform(0, 1.25 * shape.max_distance_km));
    place.y_km = std::round(rng.uniform(0, shape.max_distance_km));
  }
  for (Port& port : data.ports) {
    port.x_km = corner[static_cast<std::size_t>(port.region)].x_km + std::round(rng.uniform(0, region_side_km));
    port.y_km = corner[static_cast<std::size_t>(port.region)].y_km + std::round(rng.uniform(0, region_side_km));
  }
  for (const Port& from : data.ports) {
    for (const Port& to : data.ports) {
      const double km = distance_km(from, to);
      if (from.loading && !to.loading && (km < nearest_discharge_km || km > shape.max_distance_km)) return false;
    }
  }
  return true;
}

/// Whether every vessel can finish its first call - load to the brim, or unload to the last unit - where it starts, one vessel a
/// period at each port, first come first served.
///
/// That proves the instance feasible.  A vessel may end its voyage there; a port without calls keeps its inventory by trading its
/// whole rate on the spot market (period_slack = 1, no total limit), and the market absorbs what is left over below.
bool first_calls_fit(const MaritimeData& data, int horizon) {
  std::vector<double> left;  // to load or to unload, by vessel
  for (const Vessel& vessel : data.vessels) left.push_back(data.classes[static_cast<std::size_t>(vessel.vessel_class)].capacity);
  std::vector<std::size_t> queue(left.size());
  std::iota(queue.begin(), queue.end(), 0);
  std::ranges::stable_sort(queue, {}, [&](std::size_t v) { return data.vessels[v].first_time; });

  for (std::size_t i = 0; i < data.ports.size(); ++i) {
    const Port& port = data.ports[i];
    double inventory = port.initial_inventory;
    for (int t = 0; t < horizon; ++t) {
      const double rate = port.rate[static_cast<std::size_t>(t)];
      const double available = rate + (port.loading ? inventory : port.capacity - inventory);
      double moved = 0;
      for (const std::size_t v : queue) {
        const Vessel& vessel = data.vessels[v];
        if (vessel.initial_port != static_cast<int>(i) || vessel.first_time > t || left[v] == 0) continue;
        double amount = std::min({left[v], port.max_amount, available});
        if (amount < left[v]) amount = std::min(amount, left[v] - port.min_amount);  // never leave less than a least amount behind
        if (amount < port.min_amount) continue;
        left[v] -= amount;
        moved = amount;
        break;
      }
      const double change = port.loading ? rate - moved : moved - rate;
      inventory = std::clamp(inventory + change, 0.0, port.capacity);
    }
  }
  return std::ranges::all_of(left, [](double amount) { return amount == 0; });
}

Milp generate(const Parameters& parameters, Rng& rng) {
  return build_maritime_model(draw_maritime_data(parameters, rng), parameters.integer("horizon"));
}

Milp from_data(const std::filesystem::path& directory, const Parameters& parameters) {
  const MaritimeData data = read_maritime_data(directory);
  const int horizon = parameters.integer("horizon");
  if (horizon > data.n_periods()) {
    throw Error(ExitCode::usage,
                std::format("maritime: --horizon is {}, but {} has the rates of {} periods", horizon, directory.string(), data.n_periods()),
                std::format("give a --horizon of at most {}", data.n_periods()));
  }
  for (std::size_t v = 0; v < data.vessels.size(); ++v) {
    if (data.vessels[v].first_time < horizon) continue;
    throw Error(ExitCode::usage,
                std::format("maritime: --horizon is {}, but vessel {} of {} appears only in period {}", horizon, v, directory.string(),
                            data.vessels[v].first_time),
                std::format("give a --horizon of at least {}", data.vessels[v].first_time + 1));
  }
  const auto n_ports = static_cast<double>(data.ports.size());
  if (const double n_columns = n_ports * (n_ports + 3) * horizon * static_cast<double>(data.vessels.size()); n_columns > largest_model) {
    throw Error(ExitCode::bad_input,
                std::format("{}: {} ports and {} vessels over {} periods make a model of up to {:.0f} columns; at most {:.0f} are built",
                            directory.string(), data.ports.size(), data.vessels.size(), horizon, n_columns, largest_model),
                "give a shorter --horizon");
  }
  Milp milp = build_maritime_model(data, horizon);
  const std::filesystem::path full = std::filesystem::absolute(directory / "").lexically_normal();
  milp.name = std::format("{}_t{}", full.parent_path().filename().string(), horizon);
  // The published files begin with five columns that are fixed to zero and in no row; with them the model is the published one.
  for (const char* unused : {"supplyAtNode_0", "alphaSlack_0", "betaSlack_0", "f_0,0"}) milp.add_variable({unused, 0, 0, 0});
  milp.add_variable({"z_0,0", 0, 0, 0, Milp::VarType::binary});
  return milp;
}

const FamilyRegistration registration{{
    .name = "maritime",
    .summary = "maritime inventory routing: vessels between ports whose storages fill and drain",
    .reference = "MIRPLIB, Papageorgiou et al. 2014, Group 1; random instances with the statistics of its 14 data sets",
    .parameters = {{"horizon", "periods (days)", {12, 30, 45, 60}, 2, 1000},
                   {"loading-ports", "ports that produce", {1, 1, 1, 2}, 1, 100},
                   {"discharge-ports", "ports that consume", {1, 3, 4, 4}, 1, 100},
                   {"loading-regions", "groups of neighbouring loading ports", {1, 1, 1, 2}, 1, 100},
                   {"discharge-regions", "groups of neighbouring discharge ports", {1, 1, 1, 2}, 1, 100},
                   {"vessels", "vessels", {3, 6, 8, 10}, 1, 100},
                   {"vessel-classes", "vessel classes, the first has the largest vessels", {1, 1, 3, 3}, 1, 5},
                   {"max-distance", "km from a loading to a discharge port, at most", {5000, 8000, 11000, 15000}, 4500, 20000, false},
                   {"spot-price", "price of a unit on the spot market", {20, 20, 20, 20}, 0, 1e6, false}},
    .generate = generate,
    .from_data = from_data,
    .data_format = "a MIRPLIB Group 1 directory (metadata.txt, loading_port_data.txt, ...)",
}};

}  // namespace

MaritimeData draw_maritime_data(const Parameters& parameters, Rng& rng) {
  const Shape shape{.horizon = parameters.integer("horizon"),
                    .n_loading = parameters.integer("loading-ports"),
                    .n_discharge = parameters.integer("discharge-ports"),
                    .n_loading_regions = std::min(parameters.integer("loading-regions"), parameters.integer("loading-ports")),
                    .n_discharge_regions = std::min(parameters.integer("discharge-regions"), parameters.integer("discharge-ports")),
                    .n_vessels = parameters.integer("vessels"),
                    .n_classes = std::min(parameters.integer("vessel-classes"), parameters.integer("vessels")),
                    .max_distance_km = parameters.real("max-distance")};

  // What fails is drawn anew from the same stream; the counts tell which parameter is to blame if nothing ever fits.
  constexpr int most_attempts = 20'000;
  int n_rates = 0;
  int n_places = 0;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    MaritimeData data;
    data.spot_price = parameters.real("spot-price");
    data.period_slack = 1;
    draw_fleet(shape, rng, data);
    const std::vector<int> rates = draw_rates(shape, fleet_capacity(data), rng);
    if (rates.empty()) continue;
    ++n_rates;
    draw_ports(shape, rates, rng, data);
    if (!draw_places(shape, rng, data)) continue;
    ++n_places;
    if (!first_calls_fit(data, shape.horizon)) continue;
    for (VesselClass& kind : data.classes) {
      for (const Port& from : data.ports) {
        for (const Port& to : data.ports) {
          kind.travel_time.push_back(&from == &to ? 0 : travel_periods(distance_km(from, to), kind.speed_kn, data.hours_per_period));
        }
      }
    }
    return data;
  }
  const std::string what = std::format("maritime: {} loading and {} discharge ports, {} vessels, {} periods", shape.n_loading,
                                       shape.n_discharge, shape.n_vessels, shape.horizon);
  if (n_rates == 0) {
    throw Error(ExitCode::usage, what + ": no rates of 27..134 (loading) and 12..55 (discharge) balance and suit the fleet's capacity",
                "a loading port feeds about two discharge ports, and two to three vessels serve a discharge port");
  }
  if (n_places == 0) {
    throw Error(ExitCode::usage, what + std::format(": the regions do not fit between 3800 and {} km apart", shape.max_distance_km),
                "raise --max-distance or lower the number of regions");
  }
  throw Error(ExitCode::usage, what + ": the vessels cannot all finish their first call in time", "raise --horizon or lower --vessels");
}

}  // namespace bough
