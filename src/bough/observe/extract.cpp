// SPDX-License-Identifier: Apache-2.0
#include "bough/observe/extract.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>

#include "bough/observe/feature_value.hpp"

namespace bough {
namespace {

/// One node's features, addressed by name.
template <class Feature>
class Features {
 public:
  explicit Features(float* values) : values_(values) {}
  void set(Feature feature, double value) { values_[static_cast<std::size_t>(feature)] = feature_value(value); }
  void set(Feature feature, bool value) { values_[static_cast<std::size_t>(feature)] = value ? 1.0F : 0.0F; }
  [[nodiscard]] float get(Feature feature) const { return values_[static_cast<std::size_t>(feature)]; }

 private:
  float* values_;
};

double reciprocal(double norm) { return norm > 0 ? 1 / norm : 1; }

}  // namespace

void GraphExtractor::begin(SCIP* scip) {
  key_ = LpKey();
  if (SCIPgetNRuns(scip) > 1) return;
  double square = 0;  // SCIP's own norm is that of the LP's columns, which do not exist yet
  for (SCIP_VAR* variable : std::span(SCIPgetVars(scip), static_cast<std::size_t>(SCIPgetNVars(scip)))) square += std::pow(SCIPvarGetObj(variable), 2);
  first_norm_ = std::sqrt(square) * SCIPgetTransObjscale(scip);
}

double GraphExtractor::objective_norm(SCIP* scip) const {
  return SCIPgetNRuns(scip) > 1 && first_norm_ > 0 ? first_norm_ / SCIPgetTransObjscale(scip) : SCIPgetObjNorm(scip);
}

const BipartiteGraph& GraphExtractor::extract(SCIP* scip) {
  const bool changed = key_.update(scip);
  if (changed) {
    rebuild(scip);
    ++version_;
    incumbent_index_ = -1;
  }
  update_incumbent(scip);
  update_variables(scip);
  update_rows(scip);
#ifndef NDEBUG
  if (!changed) {
    GraphExtractor fresh;
    fresh.first_norm_ = first_norm_;
    assert(graph_ == fresh.extract(scip));  // the cache is right
  }
#endif
  return graph_;
}

void GraphExtractor::rebuild(SCIP* scip) {
  const auto rows = lp_rows(scip);
  const auto columns = lp_columns(scip);
  objective_scale_ = reciprocal(objective_norm(scip));

  graph_.variable_features.assign(columns.size() * n_variable_features, 0);
  is_integral_.resize(columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    using enum VariableFeature;
    SCIP_VAR* var = SCIPcolGetVar(columns[j]);
    const bool implied = SCIPvarIsImpliedIntegral(var) != FALSE;
    const SCIP_VARTYPE type = SCIPvarGetType(var);
    Features<VariableFeature> node(&graph_.variable_features[j * n_variable_features]);
    node.set(objective, SCIPcolGetObj(columns[j]) * objective_scale_);
    node.set(is_binary, !implied && type == SCIP_VARTYPE_BINARY);
    node.set(is_integer, !implied && type == SCIP_VARTYPE_INTEGER);
    node.set(is_implied_integer, implied);
    node.set(is_continuous, !implied && type == SCIP_VARTYPE_CONTINUOUS);
    is_integral_[j] = SCIPvarIsIntegral(var) != FALSE;
  }

  Topology& topology = graph_.topology;
  sides_.clear();
  topology.row_start.assign(1, 0);
  topology.edge_variable.clear();
  topology.edge_coefficient.clear();
  graph_.row_features.clear();
  std::vector<std::pair<std::int32_t, double>> entries;  // of one row, by column: SCIP may reorder a row at any time
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto n = static_cast<std::size_t>(SCIProwGetNLPNonz(rows[i]));
    SCIP_COL** row_columns = SCIProwGetCols(rows[i]);
    const double* coefficients = SCIProwGetVals(rows[i]);
    entries.clear();
    double objective_product = 0;
    for (std::size_t k = 0; k < n; ++k) entries.emplace_back(SCIPcolGetLPPos(row_columns[k]), coefficients[k]);
    std::ranges::sort(entries);
    for (const auto& [j, a] : entries) objective_product += a * SCIPcolGetObj(columns[static_cast<std::size_t>(j)]);

    const double scale = reciprocal(SCIProwGetNorm(rows[i]));
    const auto add_side = [&](double side, float sign) {
      if (SCIPisInfinity(scip, std::abs(side))) return;
      sides_.push_back({static_cast<std::int32_t>(i), sign, side, scale});
      for (const auto& [j, a] : entries) {
        topology.edge_variable.push_back(j);
        topology.edge_coefficient.push_back(feature_value(sign * a * scale));
      }
      topology.row_start.push_back(static_cast<std::int32_t>(topology.edge_variable.size()));
      graph_.row_features.resize(graph_.row_features.size() + n_row_features);
      Features<RowFeature> node(&graph_.row_features[graph_.row_features.size() - n_row_features]);
      node.set(RowFeature::bias, sign * (side - SCIProwGetConstant(rows[i])) * scale);
      node.set(RowFeature::objective_cosine, sign * objective_product * scale * objective_scale_);
    };
    add_side(SCIProwGetLhs(rows[i]), -1);
    add_side(SCIProwGetRhs(rows[i]), +1);
  }
  topology.index_by_variable(columns.size());
}

void GraphExtractor::update_incumbent(SCIP* scip) {
  // Values of the incumbent are asked for once: for a solution that lives in the original space each costs a search.
  SCIP_SOL* incumbent = SCIPgetBestSol(scip);
  const int index = incumbent != nullptr ? SCIPsolGetIndex(incumbent) : -1;
  if (index == incumbent_index_) return;
  incumbent_index_ = index;
  const auto columns = lp_columns(scip);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    Features<VariableFeature> node(&graph_.variable_features[j * n_variable_features]);
    node.set(VariableFeature::incumbent, SCIPgetSolVal(scip, incumbent, SCIPcolGetVar(columns[j])));
  }
}

void GraphExtractor::update_variables(SCIP* scip) {
  using enum VariableFeature;
  const auto columns = lp_columns(scip);
  const double age_scale = 1.0 / (static_cast<double>(SCIPgetNLPs(scip)) + 5);
  const bool has_incumbent = incumbent_index_ >= 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    SCIP_COL* column = columns[j];
    const double lower = SCIPcolGetLb(column);
    const double upper = SCIPcolGetUb(column);
    const double lp_value = SCIPcolGetPrimsol(column);
    const SCIP_BASESTAT basis = SCIPcolGetBasisStatus(column);
    Features<VariableFeature> node(&graph_.variable_features[j * n_variable_features]);
    node.set(has_lower, !SCIPisInfinity(scip, -lower));
    node.set(has_upper, !SCIPisInfinity(scip, upper));
    node.set(reduced_cost, SCIPgetColRedcost(scip, column) * objective_scale_);
    node.set(value, lp_value);
    node.set(fraction, is_integral_[j] != 0 ? SCIPfeasFrac(scip, lp_value) : 0.0);
    node.set(at_lower, SCIPisEQ(scip, lp_value, lower) != FALSE);
    node.set(at_upper, SCIPisEQ(scip, lp_value, upper) != FALSE);
    node.set(age, SCIPcolGetAge(column) * age_scale);
    // SCIP's average begins in the middle of the bounds, which for an infinite one is no number to average with.
    SCIP_VAR* variable = SCIPcolGetVar(column);
    const bool bounded = !SCIPisInfinity(scip, -SCIPvarGetLbGlobal(variable)) && !SCIPisInfinity(scip, SCIPvarGetUbGlobal(variable));
    node.set(average_incumbent, !has_incumbent ? 0.0 : bounded ? SCIPvarGetAvgSol(variable) : static_cast<double>(node.get(incumbent)));
    node.set(basis_lower, basis == SCIP_BASESTAT_LOWER);
    node.set(basis_basic, basis == SCIP_BASESTAT_BASIC);
    node.set(basis_upper, basis == SCIP_BASESTAT_UPPER);
    node.set(basis_zero, basis == SCIP_BASESTAT_ZERO);
  }
}

void GraphExtractor::update_rows(SCIP* scip) {
  using enum RowFeature;
  const auto rows = lp_rows(scip);
  const double age_scale = 1.0 / (static_cast<double>(SCIPgetNLPs(scip)) + 5);
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const Side& side = sides_[i];
    SCIP_ROW* row = rows[static_cast<std::size_t>(side.row)];
    Features<RowFeature> node(&graph_.row_features[i * n_row_features]);
    node.set(is_tight, SCIPisEQ(scip, SCIPgetRowLPActivity(scip, row), side.value) != FALSE);
    node.set(dual, side.sign * SCIProwGetDualsol(row) * side.scale * objective_scale_);
    node.set(age, SCIProwGetAge(row) * age_scale);
  }
}

void locate_candidates(std::span<SCIP_VAR* const> candidates, std::vector<std::int32_t>& columns) {
  columns.resize(candidates.size());
  for (std::size_t k = 0; k < candidates.size(); ++k) columns[k] = SCIPcolGetLPPos(SCIPvarGetCol(candidates[k]));
}

}  // namespace bough
