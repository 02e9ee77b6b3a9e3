// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "bough/scip/scip.hpp"

namespace bough {

inline std::span<SCIP_ROW* const> lp_rows(SCIP* scip) { return {SCIPgetLPRows(scip), static_cast<std::size_t>(SCIPgetNLPRows(scip))}; }
inline std::span<SCIP_COL* const> lp_columns(SCIP* scip) { return {SCIPgetLPCols(scip), static_cast<std::size_t>(SCIPgetNLPCols(scip))}; }

/// Recognises the LP: everything that what we cache about its rows and columns depends on.
///
/// SCIP reuses the memory of freed rows, so a pointer alone says nothing; an index is never given twice within one run, and
/// SCIPgetNRuns tells the runs apart.  Sides, constant and number of LP nonzeros can change in a row that stays in the LP.
class LpKey {
 public:
  /// Takes over the present LP and tells whether it differs from the one before.  Linear in rows and columns.
  bool update(SCIP* scip);

 private:
  struct Row {
    const SCIP_ROW* row;
    int index;
    int n_nonzeros;
    double lhs, rhs, constant, norm;
    bool operator==(const Row&) const = default;
  };
  struct Column {
    const SCIP_COL* column;
    int index;
    double objective;
    bool operator==(const Column&) const = default;
  };
  int run_ = 0;
  double objective_norm_ = 0;
  std::vector<Row> rows_;
  std::vector<Column> columns_;
};

}  // namespace bough
