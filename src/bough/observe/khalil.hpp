// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bough/observe/khalil_features.hpp"
#include "bough/observe/policy.hpp"

namespace bough {

/// Computes the features of a node's candidates.  One extractor follows one solve at a time.
///
/// Static features are those of the LP at the last call at the root of the current run (SCIP restarts: a new run).  A user who does not
/// extract at every node calls prepare() at the others, or the features would depend on which node came first.  A column that the root
/// did not have gets those of the LP in which it is first a candidate.
///
/// Time: linear in the nonzeros of the candidates' columns, plus those of their rows that changed since they were last met; at a root,
/// all nonzeros of the LP.  Memory is reused: within a run, nothing is allocated unless the LP has more rows or columns, or `features`
/// more candidates, than ever before.
class KhalilExtractor {
 public:
  /// At the root of a run, takes the static features of all columns; elsewhere only if there are none of this run.
  void prepare(SCIP* scip);

  /// Row-major (n_candidates, 72) for the focus node's LP, which must be solved to optimality.  All values are finite.
  void extract(SCIP* scip, const Candidates& candidates, std::vector<float>& features);

  /// What the extractor holds; constant while nothing is allocated.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  /// An LP row, by its position in the LP.
  struct Row {
    // What the sums were computed from; see refresh().
    SCIP_ROW* handle = nullptr;
    int index = -1;
    int n_nonzeros = 0;
    double norm = 0;
    // Kept while the above stays the same.
    double positive_sum = 0;
    double negative_sum = 0;
    // Of the extraction with this number; older values are void, so that no pass is needed to clear them.
    std::int64_t extraction = 0;
    double candidates_sum = 0;  // of |a| over the candidates
    double lhs = 0;             // minus the row's constant, like rhs
    double rhs = 0;
    double dual = 0;  // absolute value
    bool has_lhs = false;
    bool has_rhs = false;
    bool active = false;
  };

  /// What is kept of a column from the root.
  struct Column {
    SCIP_COL* handle;
    std::array<float, n_static_khalil_features> features;
  };

  const Column& static_features(SCIP_COL* column);
  void refresh(SCIP* scip, SCIP_ROW* handle, Row& row) const;
  void visit_rows(SCIP* scip, const Candidates& candidates);
  void write_row_features(SCIP_COL* column, std::span<float, n_khalil_features> features) const;

  const SCIP* scip_ = nullptr;
  int run_ = 0;
  std::vector<int> slots_;       // (largest index of a column + 1)  SCIPcolGetIndex(), unique in a solve -> its place in columns_, or -1
  std::vector<Column> columns_;  // (n_columns met in this run)
  std::vector<Row> rows_;        // (most LP rows so far)  by SCIProwGetLPPos()
  std::int64_t extraction_ = 0;
  bool keep_sums_ = true;        // those of the last extraction still hold for rows that look the same
};

}  // namespace bough
