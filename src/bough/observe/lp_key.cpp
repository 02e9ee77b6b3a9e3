// SPDX-License-Identifier: Apache-2.0
#include "bough/observe/lp_key.hpp"

#include <utility>

namespace bough {
namespace {

template <class T>
bool replace(T& old, const T& now) {
  return std::exchange(old, now) != now;
}

}  // namespace

bool LpKey::update(SCIP* scip) {
  bool changed = replace(run_, SCIPgetNRuns(scip));
  changed |= replace(objective_norm_, SCIPgetObjNorm(scip));
  const auto rows = lp_rows(scip);
  const auto columns = lp_columns(scip);
  changed |= rows.size() != rows_.size() || columns.size() != columns_.size();
  rows_.resize(rows.size());
  columns_.resize(columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCIP_ROW* row = rows[i];
    changed |= replace(rows_[i], {row, SCIProwGetIndex(row), SCIProwGetNLPNonz(row), SCIProwGetLhs(row), SCIProwGetRhs(row), SCIProwGetConstant(row), SCIProwGetNorm(row)});
  }
  for (std::size_t j = 0; j < columns.size(); ++j) {
    changed |= replace(columns_[j], {columns[j], SCIPcolGetIndex(columns[j]), SCIPcolGetObj(columns[j])});
  }
  return changed;
}

}  // namespace bough
