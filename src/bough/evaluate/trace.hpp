// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "bough/evaluate/record.hpp"

namespace bough {

/// The bounds over time of one solve, in bounded memory: when there are too many points, the distance in time that two must have doubles, and of
/// those that are closer the last one stays.  A point is never later than the bounds it shows were reached by more than that distance.
class Trace {
 public:
  static constexpr std::size_t most_points = 1000;

  void add(const BoundPoint& point);
  /// The end of the solve: always kept.
  void add_last(const BoundPoint& point);
  [[nodiscard]] std::span<const BoundPoint> points() const { return points_; }

 private:
  void thin();
  std::vector<BoundPoint> points_;
  double distance_s_ = 1e-3;
};

/// [[time, primal, dual, nodes], ...], null for infinity; and back.  What is of another form is nlohmann's exception.
nlohmann::ordered_json trace_to_json(std::span<const BoundPoint> points);
std::vector<BoundPoint> trace_from_json(const nlohmann::ordered_json& json, bool maximise);

}  // namespace bough
