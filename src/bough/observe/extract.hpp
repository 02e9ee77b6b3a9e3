// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "bough/observe/graph.hpp"
#include "bough/observe/lp_key.hpp"
#include "bough/scip/scip.hpp"

namespace bough {

/// Observes the LP of SCIP's focus node.  One extractor serves all nodes of a solve: topology and static features are computed
/// when the LP's rows or columns change, everything else at every call, into the same memory.
///
/// Has no side effect on the solve.  The same extractor serves collecting and solving.
class GraphExtractor {
 public:
  /// The graph of the focus node, valid until the next call.  Precondition: its LP is solved to optimality.
  const BipartiteGraph& extract(SCIP* scip);

  /// A run of branch and bound begins, the first of a solve or another after a restart; call it from a plugin's initsol.  The next
  /// call builds everything anew, and scales the objective as in the first run: after a restart SCIP's norm of it counts only the
  /// variables that are not fixed yet, sometimes a fifth of them, and the same node would look like another.
  void begin(SCIP* scip);

  /// Changes whenever the topology may have changed; counts from 1.
  [[nodiscard]] std::uint64_t topology_version() const { return version_; }

 private:
  /// One row node: a side of LP row `row`, with the sign that turns it into  a'x <= b.
  struct Side {
    std::int32_t row;
    float sign;
    double value;  ///< as SCIP holds it, the row's constant included
    double scale;  ///< 1 / |a|
  };

  [[nodiscard]] double objective_norm(SCIP* scip) const;
  void rebuild(SCIP* scip);
  void update_variables(SCIP* scip);
  void update_rows(SCIP* scip);
  void update_incumbent(SCIP* scip);

  LpKey key_;
  std::uint64_t version_ = 0;
  double first_norm_ = 0;       ///< |c| of the first run in the units of the original problem; 0: begin() did not see that run
  double objective_scale_ = 1;  ///< 1 / |c|
  std::vector<Side> sides_;               // (n_rows)
  std::vector<std::uint8_t> is_integral_;  // (n_variables)
  int incumbent_index_ = -1;              ///< SCIPsolGetIndex of the incumbent whose values are in the graph; -1: none
  BipartiteGraph graph_;
};

/// The graph's index of each candidate: its position among the LP's columns.
void locate_candidates(std::span<SCIP_VAR* const> candidates, std::vector<std::int32_t>& columns);

}  // namespace bough
