// SPDX-License-Identifier: Apache-2.0
//
// MIRPLIB's core model (Papageorgiou, Nemhauser, Sokol, Cheon & Keha 2014).  Ports i (sign g = +1 loading, -1 discharge), periods
// t = 0 .. T-1, vessels v of capacity Q.
//
//   x  binary   v uses an arc of its time-expanded network: source -> first node, (i,t) -> (i,t+1) waiting,
//               (i,t) -> (j,t+travel time), (i,t) -> sink; only arcs that v can reach
//   z  binary   v operates at i in t                          f  amount it loads or unloads
//   s  load of v at the start of t (fixed until v is there)   I  inventory of i at the start of t (fixed at t = 0)
//   alpha       amount i trades on the spot market            beta  fixed to 0, kept because the published files have it
//
//   min  travel cost + port fees - reward for ending early + attempt cost - revenue + spot market
//   flowBalance       out - in = 0                                        for all i, t, v
//   invBalanceVessel  s[v,t] + sum_i g f[i,t,v] - s[v,t+1] = 0            for all v, t
//   invBalancePort    I[i,t+1] - I[i,t] + g (sum_v f + alpha) = g rate    for all i, t
//   zOnlyIfSumx       z <= arcs of v into (i,t)
//   fjmax, fjmin      min amount z <= f <= F z    F = min(max amount of i, largest Q): the published LP optima hold with the
//                                                 fleet's largest vessel, not with v's own, which the bounds of s imply anyway
//   berthLimit        sum_v z <= berths                                   for all i, t
//   travelAtCap       Q x <= s[v,t+1]           arcs from a loading port to a discharge port or the sink
//   travelEmpty       s[v,t+1] + Q x <= Q       arcs from a discharge port to a loading port or the sink
//   cumSlack          sum_t alpha <= total_slack * rate[0], and the empty row cumBadSlack of beta
#include <algorithm>
#include <cassert>
#include <cmath>
#include <format>
#include <utility>

#include "bough/instance/maritime_data.hpp"

namespace bough {
namespace {

constexpr int outside = -5;  // the "port" of source and sink in the published names

struct Arc {
  int from;  // port, or outside
  int from_time;
  int to;
  int to_time;
  double cost;
  int column = -1;
};

class ModelBuilder {
 public:
  ModelBuilder(const MaritimeData& data, int horizon)
      : data_(data), horizon_(horizon), n_ports_(static_cast<int>(data.ports.size())), n_vessels_(static_cast<int>(data.vessels.size())) {}

  Milp build() {
    add_node_columns();
    add_vessel_columns();
    for (int v = 0; v < n_vessels_; ++v) add_arcs(v);
    for (int i = 0; i < n_ports_; ++i) {
      inventory_.push_back(milp_.add_variable({std::format("endingSupplyAtPort_{}", i), 0, 0, port(i).capacity}));
    }
    add_flow_rows();
    add_inventory_rows();
    add_operation_rows();
    add_load_rows();
    if (data_.total_slack) add_slack_rows(*data_.total_slack);
    return std::move(milp_);
  }

 private:
  [[nodiscard]] const Port& port(int i) const { return data_.ports[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Vessel& vessel(int v) const { return data_.vessels[static_cast<std::size_t>(v)]; }
  [[nodiscard]] const VesselClass& class_of(int v) const { return data_.classes[static_cast<std::size_t>(vessel(v).vessel_class)]; }
  [[nodiscard]] static double sign(const Port& p) { return p.loading ? 1 : -1; }
  [[nodiscard]] std::size_t node(int i, int t) const {  // t = T is the end
    return static_cast<std::size_t>(t) * static_cast<std::size_t>(n_ports_) + static_cast<std::size_t>(i);
  }
  [[nodiscard]] std::size_t call(int i, int t, int v) const {
    return node(i, t) * static_cast<std::size_t>(n_vessels_) + static_cast<std::size_t>(v);
  }
  [[nodiscard]] int load(int v, int t) const {
    return load_[static_cast<std::size_t>(v) * static_cast<std::size_t>(horizon_ + 1) + static_cast<std::size_t>(t)];
  }
  [[nodiscard]] double max_amount(int i) const {
    const auto largest = std::ranges::max_element(data_.classes, {}, &VesselClass::capacity);
    return std::min(largest->capacity, port(i).max_amount);
  }

  template <class Visit>
  void for_each_node(Visit visit) const {
    for (int t = 0; t < horizon_; ++t) {
      for (int i = 0; i < n_ports_; ++i) visit(i, t);
    }
  }

  void add_node_columns() {
    double spot_price = data_.spot_price;
    for (int t = 0; t < horizon_; ++t, spot_price *= data_.spot_discount) {
      for (int i = 0; i < n_ports_; ++i) {
        const Port& p = port(i);
        const auto at = static_cast<std::size_t>(t);
        const double most_spot = std::round(data_.period_slack * p.rate[at]);
        const double start = p.initial_inventory;
        inventory_.push_back(
            milp_.add_variable({std::format("supplyAtNode_({},{})", i, t), 0, t == 0 ? start : 0, t == 0 ? start : p.capacity}));
        spot_.push_back(milp_.add_variable({std::format("alphaSlack_({},{})", i, t), spot_price, 0, most_spot}));
        milp_.add_variable({std::format("betaSlack_({},{})", i, t), spot_price, 0, 0});
        for (int v = 0; v < n_vessels_; ++v) {
          const double revenue = p.loading ? 0 : p.revenue[at];
          amount_.push_back(milp_.add_variable({std::format("f_({},{}),{}", i, t, v), -revenue, 0, max_amount(i)}));
          operate_.push_back(milp_.add_binary(std::format("z_({},{}),{}", i, t, v), data_.attempt_cost * t));
        }
      }
    }
  }

  void add_vessel_columns() {
    for (int v = 0; v < n_vessels_; ++v) {
      const double start = vessel(v).initial_inventory;
      for (int t = 0; t <= horizon_; ++t) {
        const bool fixed = t <= vessel(v).first_time;
        load_.push_back(milp_.add_variable(
            {std::format("supplyOnVessel_{},{}", v, t), 0, fixed ? start : 0, fixed ? start : class_of(v).capacity}));
      }
    }
  }

  void add_arc(int v, Arc arc) {
    const std::string name = std::format("({},{}),({},{}),{}", arc.from, arc.from_time, arc.to, arc.to_time, v);
    const double lower = arc.from == outside ? 1 : 0;
    arc.column = milp_.add_variable({"x_" + name, arc.cost, lower, 1, Milp::VarType::binary});
    if (arc.to != outside) arcs_in_[call(arc.to, arc.to_time, v)].push_back(arc.column);
    if (arc.from != outside) arcs_out_[call(arc.from, arc.from_time, v)].push_back(arc);
  }

  /// Ports of one kind are connected within a region only: a vessel loads in one region and unloads in one region.
  [[nodiscard]] bool connected(int i, int j) const {
    return port(i).loading != port(j).loading || port(i).region == port(j).region;
  }

  void add_arcs(int v) {
    const std::size_t n_nodes = node(0, horizon_);
    arcs_in_.resize(n_nodes * static_cast<std::size_t>(n_vessels_));
    arcs_out_.resize(arcs_in_.size());
    const VesselClass& kind = class_of(v);
    const Vessel& ship = vessel(v);
    assert(ship.first_time < horizon_ && "a vessel must appear within the horizon");

    add_arc(v, {outside, -1, ship.initial_port, ship.first_time, port(ship.initial_port).fee});
    std::vector<bool> reached(n_nodes);
    reached[node(ship.initial_port, ship.first_time)] = true;
    std::vector<Arc> moves;
    for_each_node([&](int i, int t) {
      if (!reached[node(i, t)]) return;
      add_arc(v, {i, t, outside, horizon_, -data_.finish_early_reward * (horizon_ - 1 - t)});
      moves.clear();
      for (int j = 0; j < n_ports_; ++j) {
        const int n_periods = i == j ? 1 : kind.travel_time[static_cast<std::size_t>(i * n_ports_ + j)];
        if (!connected(i, j) || n_periods >= horizon_ - t) continue;
        const bool empty = !port(i).loading && port(j).loading;
        const double travel_cost = distance_km(port(i), port(j)) * kind.cost_per_km * (empty ? 1 - kind.empty_discount : 1);
        moves.push_back({i, t, j, t + n_periods, i == j ? 0 : travel_cost + port(j).fee});
        reached[node(j, t + n_periods)] = true;
      }
      std::ranges::stable_sort(moves, {}, &Arc::to_time);
      for (const Arc& arc : moves) add_arc(v, arc);
    });
  }

  void add_flow_rows() {
    for_each_node([&](int i, int t) {
      for (int v = 0; v < n_vessels_; ++v) {
        milp_.add_row(std::format("flowBalance_({},{}),{}", i, t, v), 0, 0);
        for (const Arc& arc : arcs_out_[call(i, t, v)]) milp_.add_entry(arc.column, 1);
        for (const int column : arcs_in_[call(i, t, v)]) milp_.add_entry(column, -1);
      }
    });
  }

  void add_inventory_rows() {
    for (int v = 0; v < n_vessels_; ++v) {
      for (int t = 0; t < horizon_; ++t) {
        milp_.add_row(std::format("invBalanceVessel_{},{}", v, t), 0, 0);
        milp_.add_entry(load(v, t), 1);
        for (int i = 0; i < n_ports_; ++i) milp_.add_entry(amount_[call(i, t, v)], sign(port(i)));
        milp_.add_entry(load(v, t + 1), -1);
      }
    }
    for_each_node([&](int i, int t) {
      const double g = sign(port(i));
      const double side = g * port(i).rate[static_cast<std::size_t>(t)];
      milp_.add_row(std::format("invBalancePort_({},{})", i, t), side, side);
      milp_.add_entry(inventory_[node(i, t + 1)], 1);
      milp_.add_entry(inventory_[node(i, t)], -1);
      for (int v = 0; v < n_vessels_; ++v) milp_.add_entry(amount_[call(i, t, v)], g);
      milp_.add_entry(spot_[node(i, t)], g);
    });
  }

  void add_operation_rows() {
    for_each_node([&](int i, int t) {
      for (int v = 0; v < n_vessels_; ++v) {
        const std::size_t at = call(i, t, v);
        const std::string name = std::format("({},{}),{}", i, t, v);
        milp_.add_row("zOnlyIfSumx_" + name, -Milp::infinity, 0);
        milp_.add_entry(operate_[at], 1);
        for (const int column : arcs_in_[at]) milp_.add_entry(column, -1);
        milp_.add_row("fjmax_" + name, -Milp::infinity, 0);
        milp_.add_entry(amount_[at], 1);
        milp_.add_entry(operate_[at], -max_amount(i));
        milp_.add_row("fjmin_" + name, 0, Milp::infinity);
        milp_.add_entry(amount_[at], 1);
        if (port(i).min_amount != 0) milp_.add_entry(operate_[at], -port(i).min_amount);
      }
    });
    for_each_node([&](int i, int t) {
      milp_.add_row(std::format("berthLimit_({},{})", i, t), -Milp::infinity, port(i).n_berths);
      for (int v = 0; v < n_vessels_; ++v) milp_.add_entry(operate_[call(i, t, v)], 1);
    });
  }

  void add_load_rows() {
    for_each_node([&](int i, int t) {
      for (int v = 0; v < n_vessels_; ++v) {
        const double capacity = class_of(v).capacity;
        const bool loading = port(i).loading;
        for (const Arc& arc : arcs_out_[call(i, t, v)]) {
          if (arc.to != outside && port(arc.to).loading == loading) continue;
          const std::string name = std::format("({},{}),({},{}),{}", i, t, arc.to, arc.to_time, v);
          milp_.add_row((loading ? "travelAtCap_" : "travelEmpty_") + name, -Milp::infinity, loading ? 0 : capacity);
          milp_.add_entry(arc.column, capacity);
          milp_.add_entry(load(v, t + 1), loading ? -1 : 1);
        }
      }
    });
  }

  void add_slack_rows(double total_slack) {
    for (int i = 0; i < n_ports_; ++i) {
      milp_.add_row(std::format("cumSlack_{}", i), -Milp::infinity, total_slack * port(i).rate[0]);
      for (int t = 0; t < horizon_; ++t) milp_.add_entry(spot_[node(i, t)], 1);
      milp_.add_row(std::format("cumBadSlack_{}", i), -Milp::infinity, 0);
    }
  }

  const MaritimeData& data_;
  int horizon_;
  int n_ports_;
  int n_vessels_;
  Milp milp_;
  std::vector<int> inventory_;                  // ((T+1) * n_ports)              columns by node()
  std::vector<int> spot_;                       // (T * n_ports)
  std::vector<int> amount_;                     // (T * n_ports * n_vessels)      columns by call()
  std::vector<int> operate_;                    // (T * n_ports * n_vessels)
  std::vector<int> load_;                       // (n_vessels * (T+1))
  std::vector<std::vector<int>> arcs_in_;       // (T * n_ports * n_vessels)      columns of the arcs into a node
  std::vector<std::vector<Arc>> arcs_out_;      // (T * n_ports * n_vessels)      sink first, then by arrival
};

}  // namespace

Milp build_maritime_model(const MaritimeData& data, int horizon) {
  assert(horizon >= 1 && horizon <= data.n_periods());
  return ModelBuilder(data, horizon).build();
}

}  // namespace bough
