// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/observe/khalil.hpp"
#include "bough/scip/problem.hpp"
#include "bough/scip/settings.hpp"
#include "tests/nodes.hpp"

namespace bough::test {
namespace {

using Values = std::map<std::string, double, std::less<>>;  // feature -> value
using Visit = std::function<void(SCIP*, const Candidates&)>;

/// Looks at every node before SCIP's pscost rule branches there.
void watch(SCIP* scip, const Visit& visit) {
  solve_visiting(scip, [&](SCIP* s) {
    visit(s, lp_candidates(s));
    return SCIP_DIDNOTRUN;
  });
}

/// The LP exactly as written: nothing but the simplex method and branching.
ScipPtr bare(const Milp& milp) {
  ScipPtr scip = create_scip();
  load_problem(scip.get(), milp);
  check(SCIPsetPresolving(scip.get(), SCIP_PARAMSETTING_OFF, TRUE));
  check(SCIPsetSeparating(scip.get(), SCIP_PARAMSETTING_OFF, TRUE));
  check(SCIPsetHeuristics(scip.get(), SCIP_PARAMSETTING_OFF, TRUE));
  for (const auto& [name, value] : {std::pair{"propagating/maxrounds", "0"}, {"propagating/maxroundsroot", "0"}, {"misc/scaleobj", "FALSE"},
                                    {"numerics/pseudocostdelta", "0"}}) {  // what SCIP adds to a gain before it enters a pseudocost
    set_parameter(scip.get(), name, value);
  }
  return scip;
}

std::string name_of(SCIP_VAR* variable) {
  const std::string name = SCIPvarGetName(variable);
  return name.starts_with("t_") ? name.substr(2) : name;  // SCIP's mark of a transformed variable
}

/// The features of every candidate at the root, by the variable's name; `before` may write a history first.
std::map<std::string, Values> at_the_root(const Milp& milp, const std::function<void(SCIP*, SCIP_VAR*)>& before) {
  std::map<std::string, Values> found;
  const ScipPtr scip = bare(milp);
  set_parameter(scip.get(), "limits/nodes", "1");
  watch(scip.get(), [&](SCIP* s, const Candidates& candidates) {
    for (SCIP_VAR* variable : candidates.variables) before(s, variable);
    KhalilExtractor extractor;
    std::vector<float> features;
    extractor.extract(s, candidates, features);
    ASSERT_EQ(features.size(), candidates.variables.size() * n_khalil_features);
    for (std::size_t i = 0; i < candidates.variables.size(); ++i) {
      Values& values = found[name_of(candidates.variables[i])];
      for (std::size_t f = 0; f < n_khalil_features; ++f) {
        values[std::string(khalil_feature_names[f])] = features[i * n_khalil_features + f];
      }
    }
  });
  return found;
}

void expect_values(const std::string& variable, const Values& found, const Values& expected) {
  for (const auto& [feature, value] : expected) {
    const auto it = found.find(feature);
    ASSERT_NE(it, found.end()) << feature << " is no feature";
    EXPECT_NEAR(it->second, value, 1e-6 * std::max(1.0, std::abs(value))) << variable << " " << feature << "; floats have 24 bits";
  }
}

/// min 13x - 8y + 3.5z, x, y, z integral in [0, 10]
///   c1   2x + 4y - z <= 11       active, dual -1
///   c2  -2x + 8y + z  = 16       active, dual 0.5
///   c3   8x - 4y + z >=  4       active, dual 2
///   c4    x -  y     >= -5       activity -0.75
/// LP optimum 5 at (1.5, 2.25, 1), the only one: c = -1 c1 + 0.5 c2 + 2 c3 with no dual zero.  Candidates: x and y.
Milp example() {
  Milp milp;
  milp.name = "example";
  for (const auto& [name, objective] : {std::pair{"x", 13.0}, {"y", -8.0}, {"z", 3.5}}) {
    milp.add_variable({name, objective, 0, 10, Milp::VarType::integer});
  }
  const auto add = [&](const char* name, double lhs, std::vector<double> row, double rhs) {
    milp.add_row(name, lhs, rhs);
    for (std::size_t j = 0; j < row.size(); ++j) milp.add_entry(static_cast<int>(j), row[j]);
  };
  add("c1", -Milp::infinity, {2, 4, -1}, 11);
  add("c2", 16, {-2, 8, 1}, 16);
  add("c3", 4, {8, -4, 1}, Milp::infinity);
  add("c4", -5, {1, -1}, Milp::infinity);
  return milp;
}

/// x: pseudocosts 2 down, 6 up, cutoffs 1 down, 3 up;  y: 4 down, 2 up, cutoffs 2 down, 0 up; one branching in each direction.
void write_history(SCIP* scip, SCIP_VAR* variable) {
  const bool x = name_of(variable) == "x";
  check(SCIPinitVarBranchStats(scip, variable, x ? 2 : 4, x ? 6 : 2, 0, 0, 0, 0, 0, 0, x ? 1 : 2, x ? 3 : 0));
}

// Sums of the rows' coefficients, positive / negative / absolute / absolute over x and y:
//   c1 6 / -1 / 7 / 6,   c2 9 / -2 / 11 / 10,   c3 9 / -4 / 13 / 12,   c4 1 / -1 / 2 / 2
TEST(Khalil, FeaturesOfXAreThoseComputedByHand) {
  const auto found = at_the_root(example(), write_history);
  ASSERT_EQ(found.size(), 2U);
  const Values expected{
      {"objective", 13}, {"objective_positive", 13}, {"objective_negative", 0}, {"n_rows", 4},
      // degrees 3 3 3 2: deviations 1/4 1/4 1/4 -3/4, variance (3/16 + 9/16) / 4 = 3/16
      {"row_degree_mean", 2.75}, {"row_degree_stddev", std::sqrt(3.0 / 16)}, {"row_degree_min", 2}, {"row_degree_max", 3},
      // 2 8 1: sum 11, variance (4 + 64 + 1) / 3 - 121/9 = 86/9
      {"positive_coefficient_count", 3}, {"positive_coefficient_mean", 11.0 / 3}, {"positive_coefficient_stddev", std::sqrt(86.0) / 3},
      {"positive_coefficient_min", 1}, {"positive_coefficient_max", 8},
      {"negative_coefficient_count", 1}, {"negative_coefficient_mean", -2}, {"negative_coefficient_stddev", 0},
      {"negative_coefficient_min", -2}, {"negative_coefficient_max", -2},
      {"slack", 0.5}, {"ceil_distance", 0.5},
      // up 0.5 * 6, down 0.5 * 2
      {"pseudocost_up", 3}, {"pseudocost_down", 1}, {"pseudocost_ratio", 1.0 / 3}, {"pseudocost_sum", 4}, {"pseudocost_product", 3},
      {"n_cutoffs_up", 3}, {"n_cutoffs_down", 1}, {"cutoff_rate_up", 3}, {"cutoff_rate_down", 1},
      // the root's LP is the current one: d / (d + d)
      {"dynamic_degree_mean", 2.75}, {"dynamic_degree_stddev", std::sqrt(3.0 / 16)}, {"dynamic_degree_min", 2}, {"dynamic_degree_max", 3},
      {"dynamic_degree_mean_ratio", 0.5}, {"dynamic_degree_min_ratio", 0.5}, {"dynamic_degree_max_ratio", 0.5},
      // sides >= 0: c1 2/(2+11), c2 -2/(2+16), c4 negated -1/(1+5);  sides < 0: c2 negated 2/(2+16), c3 negated -8/(8+4)
      {"nonnegative_side_ratio_min", -1.0 / 6}, {"nonnegative_side_ratio_max", 2.0 / 13},
      {"negative_side_ratio_min", -2.0 / 3}, {"negative_side_ratio_max", 1.0 / 9},
      // c1 2/6 and 2/(2+1), c3 8/9 and 8/(8+4), c4 1/1 and 1/(1+1);  c2 2/(2+9) and 2/2
      {"positive_to_positive_min", 1.0 / 3}, {"positive_to_positive_max", 1},
      {"positive_to_negative_min", 0.5}, {"positive_to_negative_max", 2.0 / 3},
      {"negative_to_positive_min", 2.0 / 11}, {"negative_to_positive_max", 2.0 / 11},
      {"negative_to_negative_min", 1}, {"negative_to_negative_max", 1},
      // 2 2 8: deviations -2 -2 4, variance 24/3
      {"active_unit_count", 3}, {"active_unit_sum", 12}, {"active_unit_mean", 4}, {"active_unit_stddev", std::sqrt(8.0)},
      {"active_unit_min", 2}, {"active_unit_max", 8},
      // weights 1/7 1/11 1/13 = (143 91 77)/1001, values (286 182 616)/1001: sum 1084, variance 494376/3 - (1084/3)^2 = 308072/9
      {"active_inverse_sum_count", 311.0 / 1001}, {"active_inverse_sum_sum", 1084.0 / 1001}, {"active_inverse_sum_mean", 1084.0 / 3003},
      {"active_inverse_sum_stddev", std::sqrt(308072.0) / 3003}, {"active_inverse_sum_min", 2.0 / 11}, {"active_inverse_sum_max", 8.0 / 13},
      // weights 1/6 1/10 1/12, values (5 3 10)/15: mean 6/15, deviations (-1 -3 4)/15, variance 26/675
      {"active_inverse_candidate_sum_count", 0.35}, {"active_inverse_candidate_sum_sum", 1.2}, {"active_inverse_candidate_sum_mean", 0.4},
      {"active_inverse_candidate_sum_stddev", std::sqrt(26.0 / 675)}, {"active_inverse_candidate_sum_min", 0.2},
      {"active_inverse_candidate_sum_max", 2.0 / 3},
      // weights 1 1/2 2, values 2 1 16: sum 19, variance 261/3 - 361/9 = 422/9
      {"active_dual_count", 3.5}, {"active_dual_sum", 19}, {"active_dual_mean", 19.0 / 3}, {"active_dual_stddev", std::sqrt(422.0) / 3},
      {"active_dual_min", 1}, {"active_dual_max", 16}};
  EXPECT_EQ(expected.size(), n_khalil_features);
  expect_values("x", found.at("x"), expected);
}

TEST(Khalil, FeaturesOfYAreThoseComputedByHand) {
  const auto found = at_the_root(example(), write_history);
  ASSERT_EQ(found.size(), 2U);
  const Values expected{
      {"objective", -8}, {"objective_positive", 0}, {"objective_negative", -8}, {"n_rows", 4},
      {"row_degree_mean", 2.75}, {"row_degree_stddev", std::sqrt(3.0 / 16)}, {"row_degree_min", 2}, {"row_degree_max", 3},
      // 4 8 and -4 -1
      {"positive_coefficient_count", 2}, {"positive_coefficient_mean", 6}, {"positive_coefficient_stddev", 2},
      {"positive_coefficient_min", 4}, {"positive_coefficient_max", 8},
      {"negative_coefficient_count", 2}, {"negative_coefficient_mean", -2.5}, {"negative_coefficient_stddev", 1.5},
      {"negative_coefficient_min", -4}, {"negative_coefficient_max", -1},
      {"slack", 0.25}, {"ceil_distance", 0.75},
      // up 0.75 * 2, down 0.25 * 4
      {"pseudocost_up", 1.5}, {"pseudocost_down", 1}, {"pseudocost_ratio", 2.0 / 3}, {"pseudocost_sum", 2.5}, {"pseudocost_product", 1.5},
      {"n_cutoffs_up", 0}, {"n_cutoffs_down", 2}, {"cutoff_rate_up", 0}, {"cutoff_rate_down", 2},
      {"dynamic_degree_mean", 2.75}, {"dynamic_degree_stddev", std::sqrt(3.0 / 16)}, {"dynamic_degree_min", 2}, {"dynamic_degree_max", 3},
      {"dynamic_degree_mean_ratio", 0.5}, {"dynamic_degree_min_ratio", 0.5}, {"dynamic_degree_max_ratio", 0.5},
      // sides >= 0: c1 4/(4+11), c2 8/(8+16), c4 negated 1/(1+5);  sides < 0: c2 negated -8/(8+16), c3 negated 4/(4+4)
      {"nonnegative_side_ratio_min", 1.0 / 6}, {"nonnegative_side_ratio_max", 1.0 / 3},
      {"negative_side_ratio_min", -1.0 / 3}, {"negative_side_ratio_max", 0.5},
      // c1 4/6 and 4/(4+1), c2 8/9 and 8/(8+2);  c3 4/(4+9) and 4/4, c4 1/(1+1) and 1/1
      {"positive_to_positive_min", 2.0 / 3}, {"positive_to_positive_max", 8.0 / 9},
      {"positive_to_negative_min", 0.8}, {"positive_to_negative_max", 0.8},
      {"negative_to_positive_min", 4.0 / 13}, {"negative_to_positive_max", 0.5},
      {"negative_to_negative_min", 1}, {"negative_to_negative_max", 1},
      // 4 8 4: variance 96/3 - 256/9 = 32/9
      {"active_unit_count", 3}, {"active_unit_sum", 16}, {"active_unit_mean", 16.0 / 3}, {"active_unit_stddev", std::sqrt(32.0) / 3},
      {"active_unit_min", 4}, {"active_unit_max", 8},
      // (572 728 308)/1001: sum 1608, variance 952032/3 - 536^2 = 30048
      {"active_inverse_sum_count", 311.0 / 1001}, {"active_inverse_sum_sum", 1608.0 / 1001}, {"active_inverse_sum_mean", 536.0 / 1001},
      {"active_inverse_sum_stddev", std::sqrt(30048.0) / 1001}, {"active_inverse_sum_min", 4.0 / 13}, {"active_inverse_sum_max", 8.0 / 11},
      // (10 12 5)/15: mean 9/15, deviations (1 3 -4)/15
      {"active_inverse_candidate_sum_count", 0.35}, {"active_inverse_candidate_sum_sum", 1.8}, {"active_inverse_candidate_sum_mean", 0.6},
      {"active_inverse_candidate_sum_stddev", std::sqrt(26.0 / 675)}, {"active_inverse_candidate_sum_min", 1.0 / 3},
      {"active_inverse_candidate_sum_max", 0.8},
      // 4 4 8
      {"active_dual_count", 3.5}, {"active_dual_sum", 16}, {"active_dual_mean", 16.0 / 3}, {"active_dual_stddev", std::sqrt(32.0) / 3},
      {"active_dual_min", 4}, {"active_dual_max", 8}};
  EXPECT_EQ(expected.size(), n_khalil_features);
  expect_values("y", found.at("y"), expected);
}

/// min -2x - y,  2x + 2y <= 3,  x, y integral in [0, 10]: LP optimum -3 at (1.5, 0).  x meets no negative coefficient, no negative side.
TEST(Khalil, AStatisticOverNothingHasItsDocumentedValue) {
  Milp milp;
  milp.add_variable({"x", -2, 0, 10, Milp::VarType::integer});
  milp.add_variable({"y", -1, 0, 10, Milp::VarType::integer});
  milp.add_row("c", -Milp::infinity, 3);
  milp.add_entry(0, 2);
  milp.add_entry(1, 2);
  const auto history = [](SCIP* scip, SCIP_VAR* variable) {
    check(SCIPinitVarBranchStats(scip, variable, 4e-6, 2e-6, 0, 0, 0, 0, 0, 0, 0, 0));
  };
  const auto found = at_the_root(milp, history);
  ASSERT_EQ(found.size(), 1U);
  expect_values("x", found.at("x"),
                {{"negative_coefficient_count", 0}, {"negative_coefficient_mean", 0}, {"negative_coefficient_stddev", 0},
                 {"negative_coefficient_min", 0}, {"negative_coefficient_max", 0}, {"pseudocost_ratio", 1},
                 {"negative_side_ratio_min", 1}, {"negative_side_ratio_max", -1},
                 {"negative_to_positive_min", 1}, {"negative_to_positive_max", 0},
                 {"negative_to_negative_min", 1}, {"negative_to_negative_max", 0},
                 {"positive_to_positive_max", 0.5}, {"positive_to_negative_min", 1},
                 {"active_unit_count", 1}, {"active_unit_stddev", 0}, {"active_inverse_sum_max", 0.5}, {"active_inverse_candidate_sum_max", 1}});
  const auto unbranched = at_the_root(milp, [](SCIP*, SCIP_VAR*) {});
  expect_values("x", unbranched.at("x"), {{"n_cutoffs_up", 0}, {"n_cutoffs_down", 0}, {"cutoff_rate_up", 0}, {"cutoff_rate_down", 0}});
}

// ---- the same definitions once more, slowly: sets of names, two passes, nothing kept but the root's LP ---------------------------

void put_statistics(Values& out, const std::string& prefix, const std::vector<double>& sample) {
  double mean = 0, variance = 0;
  for (const double v : sample) mean += v / static_cast<double>(sample.size());
  for (const double v : sample) variance += (v - mean) * (v - mean) / static_cast<double>(sample.size());
  out[prefix + "_mean"] = mean;
  out[prefix + "_stddev"] = std::sqrt(variance);
  out[prefix + "_min"] = sample.empty() ? 0 : *std::ranges::min_element(sample);
  out[prefix + "_max"] = sample.empty() ? 0 : *std::ranges::max_element(sample);
}

void put_extremes(Values& out, const std::string& prefix, const std::vector<double>& sample, double max_of_none) {
  out[prefix + "_min"] = sample.empty() ? 1 : *std::ranges::min_element(sample);
  out[prefix + "_max"] = sample.empty() ? max_of_none : *std::ranges::max_element(sample);
}

struct NaiveRow {
  std::map<std::string, double> entries;  // over the columns in the LP
  int degree;                             // with those that are not
  std::vector<std::pair<double, double>> sides;  // sign, side: sign a x <= side
  bool active;
  double dual;
};

class Naive {
 public:
  void read_lp(SCIP* scip) {
    rows_.clear();
    for (SCIP_ROW* row : std::span(SCIPgetLPRows(scip), static_cast<std::size_t>(SCIPgetNLPRows(scip)))) {
      NaiveRow out{{}, SCIProwGetNNonz(row), {}, false, std::abs(SCIProwGetDualsol(row))};
      for (int k = 0; k < SCIProwGetNNonz(row); ++k) {
        SCIP_COL* column = SCIProwGetCols(row)[k];
        if (SCIPcolIsInLP(column)) out.entries[SCIPvarGetName(SCIPcolGetVar(column))] = SCIProwGetVals(row)[k];
      }
      const double activity = SCIPgetRowLPActivity(scip, row);
      if (!SCIPisInfinity(scip, SCIProwGetRhs(row))) {
        out.sides.emplace_back(1, SCIProwGetRhs(row) - SCIProwGetConstant(row));
        out.active = out.active || SCIPisEQ(scip, activity, SCIProwGetRhs(row));
      }
      if (!SCIPisInfinity(scip, -SCIProwGetLhs(row))) {
        out.sides.emplace_back(-1, -(SCIProwGetLhs(row) - SCIProwGetConstant(row)));
        out.active = out.active || SCIPisEQ(scip, activity, SCIProwGetLhs(row));
      }
      rows_.push_back(std::move(out));
    }
    if (SCIPgetDepth(scip) > 0) return;
    static_.clear();
    for (int j = 0; j < SCIPgetNLPCols(scip); ++j) put_static(SCIPcolGetVar(SCIPgetLPCols(scip)[j]));
  }

  [[nodiscard]] Values features(SCIP* scip, const Candidates& candidates, std::size_t i) const {
    SCIP_VAR* variable = candidates.variables[i];
    const std::string name = SCIPvarGetName(variable);
    Values out = static_.at(name);
    const double f = candidates.fractions[i];
    out["slack"] = std::min(f, 1 - f);
    out["ceil_distance"] = 1 - f;
    const double up = SCIPgetVarPseudocost(scip, variable, SCIP_BRANCHDIR_UPWARDS) * (1 - f);
    const double down = SCIPgetVarPseudocost(scip, variable, SCIP_BRANCHDIR_DOWNWARDS) * f;
    out["pseudocost_up"] = up;
    out["pseudocost_down"] = down;
    out["pseudocost_ratio"] = up < 1e-5 && down < 1e-5 ? 1 : std::min(up, down) / std::max(up, down);
    out["pseudocost_sum"] = up + down;
    out["pseudocost_product"] = up * down;
    for (const auto& [suffix, direction] : {std::pair{"up", SCIP_BRANCHDIR_UPWARDS}, {"down", SCIP_BRANCHDIR_DOWNWARDS}}) {
      const double n = SCIPvarGetCutoffSum(variable, direction);
      const auto branchings = static_cast<double>(SCIPvarGetNBranchings(variable, direction));
      out[std::string("n_cutoffs_") + suffix] = n;
      out[std::string("cutoff_rate_") + suffix] = branchings == 0 ? 0 : n / branchings;
    }

    std::map<std::string, std::vector<double>> samples;
    std::map<std::string, std::vector<double>> weights;
    for (const NaiveRow& row : rows_) {
      if (!row.entries.contains(name)) continue;
      const double a = row.entries.at(name);
      double positive = 0, negative = 0, absolute = 0, of_candidates = 0;
      for (const auto& [other, b] : row.entries) {
        (b > 0 ? positive : negative) += b;
        absolute += std::abs(b);
      }
      for (SCIP_VAR* candidate : candidates.variables) {
        const auto it = row.entries.find(SCIPvarGetName(candidate));
        if (it != row.entries.end()) of_candidates += std::abs(it->second);
      }
      samples["dynamic_degree"].push_back(static_cast<double>(row.entries.size()));
      for (const auto& [sign, side] : row.sides) {
        samples[side < 0 ? "negative_side_ratio" : "nonnegative_side_ratio"].push_back(sign * a / (std::abs(a) + std::abs(side)));
      }
      samples[a > 0 ? "positive_to_positive" : "negative_to_positive"].push_back(a > 0 ? a / positive : a / (a - positive));
      samples[a > 0 ? "positive_to_negative" : "negative_to_negative"].push_back(a > 0 ? a / (a - negative) : a / negative);
      if (!row.active) continue;
      for (const auto& [scheme, weight] : {std::pair{"active_unit", 1.0}, {"active_inverse_sum", 1 / absolute},
                                           {"active_inverse_candidate_sum", 1 / of_candidates}, {"active_dual", row.dual}}) {
        weights[scheme].push_back(weight);
        samples[scheme].push_back(weight * std::abs(a));
      }
    }
    put_statistics(out, "dynamic_degree", samples["dynamic_degree"]);
    for (const std::string which : {"mean", "min", "max"}) {
      const double now = out.at("dynamic_degree_" + which);
      out["dynamic_degree_" + which + "_ratio"] = now == 0 ? 0 : now / (now + out.at("row_degree_" + which));
    }
    for (const char* prefix : {"nonnegative_side_ratio", "negative_side_ratio"}) put_extremes(out, prefix, samples[prefix], -1);
    for (const char* prefix : {"positive_to_positive", "positive_to_negative", "negative_to_positive", "negative_to_negative"}) {
      put_extremes(out, prefix, samples[prefix], 0);
    }
    for (const std::string scheme : {"active_unit", "active_inverse_sum", "active_inverse_candidate_sum", "active_dual"}) {
      put_statistics(out, scheme, samples[scheme]);
      out[scheme + "_count"] = 0;
      out[scheme + "_sum"] = 0;
      for (const double weight : weights[scheme]) out[scheme + "_count"] += weight;
      for (const double value : samples[scheme]) out[scheme + "_sum"] += value;
    }
    return out;
  }

 private:
  void put_static(SCIP_VAR* variable) {
    const std::string name = SCIPvarGetName(variable);
    std::vector<double> degrees, positive, negative;
    for (const NaiveRow& row : rows_) {
      const auto it = row.entries.find(name);
      if (it == row.entries.end()) continue;
      degrees.push_back(row.degree);
      (it->second > 0 ? positive : negative).push_back(it->second);
    }
    Values& out = static_[name];
    out["objective"] = SCIPvarGetObj(variable);
    out["objective_positive"] = std::max(0.0, SCIPvarGetObj(variable));
    out["objective_negative"] = std::min(0.0, SCIPvarGetObj(variable));
    out["n_rows"] = static_cast<double>(degrees.size());
    put_statistics(out, "row_degree", degrees);
    out["positive_coefficient_count"] = static_cast<double>(positive.size());
    put_statistics(out, "positive_coefficient", positive);
    out["negative_coefficient_count"] = static_cast<double>(negative.size());
    put_statistics(out, "negative_coefficient", negative);
  }

  std::vector<NaiveRow> rows_;
  std::map<std::string, Values> static_;  // by variable
};

/// Compares an extractor that follows the whole solve with the slow implementation, at every node.
class Comparison {
 public:
  int n_nodes = 0;
  int n_runs = 0;
  int n_rows_new_in_tree = 0;   ///< met below the root, not in the root's LP
  int n_columns_moved = 0;      ///< candidates whose LP position is not their probindex
  int n_growths = 0;            ///< extractions that needed memory though the LP did not grow

  void visit(SCIP* scip, const Candidates& candidates) {
    ++n_nodes;
    note_lp(scip, candidates);
    const std::size_t memory = extractor_.memory_bytes();
    const float* data = features_.data();
    const bool warm = n_runs == SCIPgetNRuns(scip) && static_cast<std::size_t>(SCIPgetNLPRows(scip)) <= most_rows_;
    const bool fits = candidates.variables.size() * n_khalil_features <= features_.capacity();
    extractor_.extract(scip, candidates, features_);
    if ((warm && extractor_.memory_bytes() != memory) || (fits && features_.data() != data)) ++n_growths;
    n_runs = SCIPgetNRuns(scip);
    most_rows_ = std::max(most_rows_, static_cast<std::size_t>(SCIPgetNLPRows(scip)));

    naive_.read_lp(scip);
    ASSERT_EQ(features_.size(), candidates.variables.size() * n_khalil_features);
    for (std::size_t i = 0; i < candidates.variables.size(); ++i) {
      const Values expected = naive_.features(scip, candidates, i);
      ASSERT_EQ(expected.size(), n_khalil_features);
      for (std::size_t f = 0; f < n_khalil_features; ++f) {
        const double value = features_[i * n_khalil_features + f];
        const double right = expected.at(std::string(khalil_feature_names[f]));
        // A float's rounding, and the order of summation where a deviation is nothing but rounding.
        if (!(std::abs(value - right) <= 1e-6 * std::abs(right) + 1e-7)) {
          ADD_FAILURE() << SCIPvarGetName(candidates.variables[i]) << " " << khalil_feature_names[f] << " is " << value << ", not " << right
                        << ", at node " << n_nodes << " of run " << n_runs;
          SCIPinterruptSolve(scip);
          return;
        }
      }
    }
  }

 private:
  void note_lp(SCIP* scip, const Candidates& candidates) {
    std::set<int> rows;
    for (SCIP_ROW* row : std::span(SCIPgetLPRows(scip), static_cast<std::size_t>(SCIPgetNLPRows(scip)))) rows.insert(SCIProwGetIndex(row));
    if (SCIPgetDepth(scip) == 0) root_rows_ = rows;
    for (const int row : rows) n_rows_new_in_tree += root_rows_.contains(row) ? 0 : 1;
    for (SCIP_VAR* v : candidates.variables) n_columns_moved += SCIPcolGetLPPos(SCIPvarGetCol(v)) != SCIPvarGetProbindex(v) ? 1 : 0;
  }

  KhalilExtractor extractor_;
  std::vector<float> features_;
  Naive naive_;
  std::set<int> root_rows_;  // by index
  std::size_t most_rows_ = 0;
};

/// Without heuristics and with few cuts at the root, tiny instances need some branching.
ScipPtr tiny_instance(const std::string& name, const Settings& settings) {
  const Family& family = family_by_name(name);
  ScipPtr scip = create_scip();
  load_problem(scip.get(), generate_instance(family, resolve_parameters(family, Size::tiny), 3));
  check(SCIPsetHeuristics(scip.get(), SCIP_PARAMSETTING_OFF, TRUE));
  set_parameter(scip.get(), "separating/maxroundsroot", "2");
  apply_settings(scip.get(), settings);
  return scip;
}

class KhalilContract : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(KhalilContract, AgreesWithTheSlowImplementationAtEveryNode) {
  const auto& [family, preset] = GetParam();
  Comparison comparison;
  const ScipPtr scip = tiny_instance(family, {.preset = preset, .node_limit = 60});
  watch(scip.get(), [&](SCIP* s, const Candidates& candidates) { comparison.visit(s, candidates); });
  EXPECT_GT(comparison.n_nodes, 2) << "hardly any branching; the test tests nothing";
  EXPECT_EQ(comparison.n_growths, 0);
}

INSTANTIATE_TEST_SUITE_P(Khalil, KhalilContract, testing::Combine(testing::ValuesIn(family_names()), testing::Values("paper", "default")),
                         [](const auto& parameters) { return std::get<0>(parameters.param) + "_" + std::get<1>(parameters.param); });

TEST(Khalil, FollowsCutsThatComeAndGoInTheTree) {
  Comparison comparison;
  Settings settings{.preset = "default", .node_limit = 60};
  for (const char* separator : {"gomory", "strongcg", "aggregation", "zerohalf", "clique", "impliedbounds"}) {
    settings.overrides.emplace_back(std::string("separating/") + separator + "/freq", "1");
  }
  settings.overrides.emplace_back("separating/poolfreq", "1");
  const ScipPtr scip = tiny_instance("indset", settings);
  watch(scip.get(), [&](SCIP* s, const Candidates& candidates) { comparison.visit(s, candidates); });
  EXPECT_GT(comparison.n_rows_new_in_tree, 0) << "no cut was added below the root; the test tests nothing";
}

/// The example with a continuous w in [0, 1] and z + w <= 20, which changes nothing.  A binary variable that enters at the root then takes
/// the place of x among the variables, x that of w, and w a new one; the columns stay where they are, and the new variable is none.
TEST(Khalil, StaticFeaturesFollowTheVariableNotItsPosition) {
  Milp milp = example();
  const int w = milp.add_variable({"w", 1, 0, 1, Milp::VarType::continuous});
  milp.add_row("c5", -Milp::infinity, 20);
  milp.add_entry(2, 1);
  milp.add_entry(w, 1);
  Comparison comparison;
  const ScipPtr scip = bare(milp);
  watch(scip.get(), [&](SCIP* s, const Candidates& candidates) {
    comparison.visit(s, candidates);
    if (comparison.n_nodes > 1) return;
    SCIP_VAR* added = nullptr;
    check(SCIPcreateVarBasic(s, &added, "added", 0, 1, 1, SCIP_VARTYPE_BINARY));
    const VarPtr owner(added, Release{s});
    check(SCIPaddVar(s, added));
  });
  EXPECT_GT(comparison.n_columns_moved, 0);
}

TEST(Khalil, TakesTheStaticFeaturesAnewAfterARestart) {
  Comparison comparison;
  const ScipPtr scip = tiny_instance("indset", {.preset = "default", .node_limit = 60});
  watch(scip.get(), [&](SCIP* s, const Candidates& candidates) {
    comparison.visit(s, candidates);
    if (comparison.n_nodes == 8 || comparison.n_nodes == 14) check(SCIPrestartSolve(s));
  });
  EXPECT_EQ(comparison.n_runs, 3);
}

TEST(Khalil, OneExtractorServesOneSolveAfterAnother) {
  Comparison comparison;
  for (const char* family : {"indset", "auction", "indset"}) {
    const ScipPtr scip = tiny_instance(family, {.preset = "paper", .node_limit = 5});
    watch(scip.get(), [&](SCIP* s, const Candidates& candidates) { comparison.visit(s, candidates); });
  }
  EXPECT_GE(comparison.n_nodes, 10);
}

TEST(Khalil, PreparingAtEveryNodeIsEnoughToExtractAtSome) {
  KhalilExtractor always;
  KhalilExtractor sometimes;
  std::vector<float> expected;
  std::vector<float> features;
  int n_nodes = 0;
  const ScipPtr scip = tiny_instance("indset", {.preset = "default", .node_limit = 40});
  watch(scip.get(), [&](SCIP* s, const Candidates& candidates) {
    always.extract(s, candidates, expected);
    sometimes.prepare(s);
    if (++n_nodes % 4 != 0) return;
    sometimes.extract(s, candidates, features);
    EXPECT_EQ(features, expected) << "node " << n_nodes;
  });
  EXPECT_GE(n_nodes, 8);
}

// ---- one list, three places -----------------------------------------------------------------------------------------------------

std::vector<std::string> words(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) found.push_back((*it)[1]);
  return found;
}

TEST(Khalil, NamesEnumeratorsAndDocumentationAgree) {
  const std::vector<std::string> names(khalil_feature_names.begin(), khalil_feature_names.end());
  std::string header = read_file(std::filesystem::path(BOUGH_SOURCE_DIR) / "src/bough/observe/khalil_features.hpp");
  const auto begin = header.find('{', header.find("enum class KhalilFeature"));
  header = header.substr(begin, header.find("};", begin) - begin);
  EXPECT_EQ(words(std::regex_replace(header, std::regex("//.*"), ""), "([a-z_]+),"), names);
  EXPECT_EQ(words(read_file(std::filesystem::path(BOUGH_SOURCE_DIR) / "docs/khalil.md"), "\\n\\| `([a-z_]+)` \\|"), names);
}

}  // namespace
}  // namespace bough::test
