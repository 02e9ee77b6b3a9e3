// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bough/instance/family.hpp"
#include "bough/milp.hpp"
#include "bough/rng.hpp"

namespace bough {

/// A port with a storage that fills (loading) or drains (discharge) every period.
struct Port {
  std::string name;
  bool loading = true;
  int region = 0;  ///< numbered over all regions, those of the loading ports first
  double x_km = 0;
  double y_km = 0;
  double fee = 0;
  int n_berths = 1;
  double max_amount = 0;  ///< per vessel and period
  double min_amount = 0;
  double capacity = 0;
  double initial_inventory = 0;
  std::vector<double> rate;     // (n_periods)  produced or consumed
  std::vector<double> revenue;  // (n_periods)  per unit discharged; empty for a loading port
};

struct VesselClass {
  std::string name;
  double capacity = 0;
  double speed_kn = 0;
  double cost_per_km = 0;
  double empty_discount = 0;      ///< share of the cost saved on the way from a discharge to a loading port
  std::vector<int> travel_time;   // (n_ports * n_ports)  periods, row = from
};

struct Vessel {
  int vessel_class = 0;
  double initial_inventory = 0;
  int initial_port = 0;
  int first_time = 0;
};

/// A maritime inventory routing problem: one product, vessels that sail full from loading to discharge ports and empty back, and a
/// spot market that helps a port out at a price.
struct MaritimeData {
  std::vector<Port> ports;  // loading ports first
  std::vector<VesselClass> classes;
  std::vector<Vessel> vessels;
  double hours_per_period = 24;
  double spot_price = 1;
  double spot_discount = 0.999;         ///< a unit costs spot_price * spot_discount^t in period t
  double attempt_cost = 0.01;           ///< per operation and period, so that vessels operate early
  double finish_early_reward = 0.01;    ///< per period
  double period_slack = 0.5;            ///< a port trades at most round(period_slack * rate) on the spot market in a period
  std::optional<double> total_slack;    ///< and at most total_slack * (rate of period 0) in all; no limit if empty

  /// The longest horizon the ports' series allow.
  [[nodiscard]] int n_periods() const;
};

double distance_km(const Port& from, const Port& to);

/// Whole periods for `km` at `speed_kn`: ceil(km / (speed * 1.852 * hours)), at least 1.
int travel_periods(double km, double speed_kn, double hours_per_period);

/// Reads a directory in MIRPLIB's text format (metadata.txt, loading_port_data.txt, discharge_port_data.txt, vessel_class_data.txt,
/// vessel_data.txt, distances.txt, travelTimes.txt).  Throws Error: missing_input if one of them is missing, bad_input with file
/// and line if it is not what it should be.
MaritimeData read_maritime_data(const std::filesystem::path& directory);

/// A random problem with the statistics of MIRPLIB's Group 1, feasible for its horizon.  Deterministic in (parameters, rng); throws
/// Error (usage) if the parameters leave no room for one.
MaritimeData draw_maritime_data(const Parameters& parameters, Rng& rng);

/// The time-expanded arc-flow model over the periods 0 .. horizon-1 (formulas in the source), names as in MIRPLIB's MPS files.
/// Precondition: horizon <= data.n_periods(), and every vessel's first_time < horizon.
Milp build_maritime_model(const MaritimeData& data, int horizon);

}  // namespace bough
