// SPDX-License-Identifier: Apache-2.0
#include "bough/evaluate/trace.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "bough/branch/solve_json.hpp"

namespace bough {

void Trace::add(const BoundPoint& point) {
  if (points_.size() > 1 && point.time_s - points_[points_.size() - 2].time_s < distance_s_) {
    points_.back() = point;
    return;
  }
  points_.push_back(point);
  if (points_.size() > most_points) thin();
}

void Trace::add_last(const BoundPoint& point) { points_.push_back(point); }

void Trace::thin() {
  while (points_.size() > most_points / 2) {
    distance_s_ *= 2;
    const std::vector<BoundPoint> all = std::move(points_);
    points_.clear();
    for (const BoundPoint& point : all) add(point);
  }
}

nlohmann::ordered_json trace_to_json(std::span<const BoundPoint> points) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const BoundPoint& point : points) {
    json.push_back({std::round(1e4 * point.time_s) / 1e4, finite_or_null(point.primal), finite_or_null(point.dual), point.n_nodes});
  }
  return json;
}

std::vector<BoundPoint> trace_from_json(const nlohmann::ordered_json& json, bool maximise) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<BoundPoint> points;
  for (const auto& point : json) {
    const auto bound = [&](std::size_t k, double absent) { return point.at(k).is_null() ? absent : point.at(k).get<double>(); };
    points.push_back({point.at(0).get<double>(), bound(1, maximise ? -infinity : infinity), bound(2, maximise ? infinity : -infinity), point.at(3).get<std::int64_t>()});
  }
  return points;
}

}  // namespace bough
