// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <format>
#include <map>

#include "bough/instance/family.hpp"
#include "bough/observe/extract.hpp"
#include "bough/observe/policy.hpp"
#include "bough/scip/problem.hpp"
#include "tests/allocations.hpp"
#include "tests/nodes.hpp"

namespace bough::test {
namespace {

/// min -4x - 3y,   c1: 2x + 2y <= 3,   c2: -1 <= x - y <= 1,   c3: x + y + w = 2,   x binary, y integer in [0, 5], w free, continuous.
///
/// LP: c1 bounds 4x + 3y, x is the better buy, so x = 1, y = 1/2, w = 1/2; objective -5.5.  Basic: y, w and the slack of c2.
/// Dual of c1: y's column gives -3 = 2 * l1, l1 = -3/2; the other duals are 0.  Reduced cost of x: -4 - 2 * l1 = -1.
/// |c| = 5, |c1| = sqrt 8, |c2| = sqrt 2, |c3| = sqrt 3.
Milp small() {
  Milp milp;
  milp.name = "small";
  milp.add_binary("x", -4);
  milp.add_variable({"y", -3, 0, 5, Milp::VarType::integer});
  milp.add_variable({"w", 0, -Milp::infinity, Milp::infinity, Milp::VarType::continuous});
  const auto row = [&](const char* name, double lhs, double rhs, double x, double y, double w) {
    milp.add_row(name, lhs, rhs);
    if (x != 0) milp.add_entry(0, x);
    if (y != 0) milp.add_entry(1, y);
    if (w != 0) milp.add_entry(2, w);
  };
  row("c1", -Milp::infinity, 3, 2, 2, 0);
  row("c2", -1, 1, 1, -1, 0);
  row("c3", 2, 2, 1, 1, 1);
  return milp;
}

/// Calls `look` with the graph at the root of small(), after `prepare`.
void at_root_of_small(const std::function<void(SCIP*)>& prepare, const std::function<void(SCIP*, const BipartiteGraph&)>& look) {
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), small());
  apply_settings(scip.get(), plain_lp());
  prepare(scip.get());
  int n_visits = 0;
  solve_visiting(scip.get(), [&](SCIP* s) {
    if (n_visits++ == 0) {
      GraphExtractor extractor;
      look(s, extractor.extract(s));
    }
    return SCIP_DIDNOTRUN;
  });
  EXPECT_GE(n_visits, 1);
}

/// The row node that belongs to a side of the LP row of this name: its index and the sign of the side.
std::size_t node_of(SCIP* scip, const std::string& name, bool left) {
  std::size_t node = 0;
  for (SCIP_ROW* row : lp_rows(scip)) {
    const bool has_left = !SCIPisInfinity(scip, -SCIProwGetLhs(row));
    const bool has_right = !SCIPisInfinity(scip, SCIProwGetRhs(row));
    if (SCIProwGetName(row) == name) return node + (has_left && !left ? 1 : 0);
    node += (has_left ? 1U : 0U) + (has_right ? 1U : 0U);
  }
  throw std::runtime_error("no row " + name);
}

TEST(Graph, EveryVariableFeatureOfASmallLpIsWhatIsComputedByHand) {
  at_root_of_small([](SCIP*) {}, [](SCIP* scip, const BipartiteGraph& graph) {
    using enum VariableFeature;
    ASSERT_EQ(graph.topology.n_variables(), 3U);
    ASSERT_EQ(SCIPgetNLPs(scip), 1);
    const std::map<VariableFeature, std::array<double, 3>> expected{  // x, y, w: SCIP orders columns by type
        {objective, {-4. / 5, -3. / 5, 0}},
        {is_binary, {1, 0, 0}},
        {is_integer, {0, 1, 0}},
        {is_implied_integer, {0, 0, 0}},
        {is_continuous, {0, 0, 1}},
        {has_lower, {1, 1, 0}},
        {has_upper, {1, 1, 0}},
        {reduced_cost, {-1. / 5, 0, 0}},
        {value, {1, 0.5, 0.5}},
        {fraction, {0, 0.5, 0}},
        {at_lower, {0, 0, 0}},
        {at_upper, {1, 0, 0}},
        {age, {0, 0, 0}},  // no column is at zero
        {incumbent, {0, 0, 0}},
        {average_incumbent, {0, 0, 0}},
        {basis_lower, {0, 0, 0}},
        {basis_basic, {0, 1, 1}},
        {basis_upper, {1, 0, 0}},
        {basis_zero, {0, 0, 0}}};
    ASSERT_EQ(expected.size(), n_variable_features);
    for (const auto& [feature, values] : expected) {
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_FLOAT_EQ(graph.variable(j, feature), static_cast<float>(values[j])) << variable_feature_names[static_cast<std::size_t>(feature)] << " of variable " << j;
      }
    }
  });
}

TEST(Graph, EveryRowFeatureOfASmallLpIsWhatIsComputedByHand) {
  at_root_of_small([](SCIP*) {}, [](SCIP* scip, const BipartiteGraph& graph) {
    using enum RowFeature;
    ASSERT_EQ(graph.topology.n_rows(), 5U) << "c1 has one finite side, c2 and c3 have two";
    struct Expected {
      std::string row;
      bool left;
      double bias, cosine, tight, dual, age;
    };
    // Cosines: c1'c = -8 - 6 = -14, c2'c = -4 + 3 = -1, c3'c = -7.  The duals of c2 and c3 were 0 in the only LP so far: age 1 / (1 + 5).
    for (const Expected& e : {Expected{"c1", false, 3 / std::sqrt(8.), -14 / (5 * std::sqrt(8.)), 1, -1.5 / (5 * std::sqrt(8.)), 0},
                              Expected{"c2", true, 1 / std::sqrt(2.), 1 / (5 * std::sqrt(2.)), 0, 0, 1. / 6},
                              Expected{"c2", false, 1 / std::sqrt(2.), -1 / (5 * std::sqrt(2.)), 0, 0, 1. / 6},
                              Expected{"c3", true, -2 / std::sqrt(3.), 7 / (5 * std::sqrt(3.)), 1, 0, 1. / 6},
                              Expected{"c3", false, 2 / std::sqrt(3.), -7 / (5 * std::sqrt(3.)), 1, 0, 1. / 6}}) {
      const std::size_t i = node_of(scip, e.row, e.left);
      const std::string where = e.row + (e.left ? " left" : " right");
      EXPECT_FLOAT_EQ(graph.row(i, bias), static_cast<float>(e.bias)) << where;
      EXPECT_FLOAT_EQ(graph.row(i, objective_cosine), static_cast<float>(e.cosine)) << where;
      EXPECT_FLOAT_EQ(graph.row(i, is_tight), static_cast<float>(e.tight)) << where;
      EXPECT_FLOAT_EQ(graph.row(i, dual), static_cast<float>(e.dual)) << where;
      EXPECT_FLOAT_EQ(graph.row(i, age), static_cast<float>(e.age)) << where;
    }
  });
}

TEST(Graph, EdgesOfASmallLpAreTheNormalisedCoefficientsWithTheSideSigns) {
  at_root_of_small([](SCIP*) {}, [](SCIP* scip, const BipartiteGraph& graph) {
    const Topology& t = graph.topology;
    const auto edges = [&](const std::string& row, bool left) {
      const std::size_t i = node_of(scip, row, left);
      std::map<int, float> found;
      for (auto e = static_cast<std::size_t>(t.row_start[i]); e < static_cast<std::size_t>(t.row_start[i + 1]); ++e) found[t.edge_variable[e]] = t.edge_coefficient[e];
      return found;
    };
    const auto f = [](double v) { return static_cast<float>(v); };
    EXPECT_EQ(edges("c1", false), (std::map<int, float>{{0, f(2 / std::sqrt(8.))}, {1, f(2 / std::sqrt(8.))}}));
    EXPECT_EQ(edges("c2", true), (std::map<int, float>{{0, f(-1 / std::sqrt(2.))}, {1, f(1 / std::sqrt(2.))}}));
    EXPECT_EQ(edges("c2", false), (std::map<int, float>{{0, f(1 / std::sqrt(2.))}, {1, f(-1 / std::sqrt(2.))}}));
    EXPECT_EQ(edges("c3", true), (std::map<int, float>{{0, f(-1 / std::sqrt(3.))}, {1, f(-1 / std::sqrt(3.))}, {2, f(-1 / std::sqrt(3.))}}));
    EXPECT_EQ(t.n_edges(), 12U);
  });
}

TEST(Graph, TheIncumbentAndTheAverageOfSolutionsAreSeen) {
  // Two solutions are given: (1, 0, 1) with objective -4, then (0, 1, 1) with -3.  The first is the better one.
  const auto give = [](SCIP* scip) {
    for (const auto& values : {std::array{1., 0., 1.}, std::array{0., 1., 1.}}) {
      SCIP_SOL* solution = nullptr;
      check(SCIPcreateSol(scip, &solution, nullptr));
      for (int j = 0; j < 3; ++j) check(SCIPsetSolVal(scip, solution, SCIPgetOrigVars(scip)[j], values[static_cast<std::size_t>(j)]));
      SCIP_Bool stored = FALSE;
      check(SCIPaddSolFree(scip, &solution, &stored));
      EXPECT_TRUE(stored);
    }
  };
  at_root_of_small(give, [](SCIP*, const BipartiteGraph& graph) {
    using enum VariableFeature;
    EXPECT_EQ((std::array{graph.variable(0, incumbent), graph.variable(1, incumbent), graph.variable(2, incumbent)}), (std::array{1.F, 0.F, 1.F}));
    EXPECT_GT(graph.variable(1, average_incumbent), 0) << "y is 1 in one of them";
    EXPECT_LT(graph.variable(1, average_incumbent), 1);
    EXPECT_GT(graph.variable(2, average_incumbent), graph.variable(1, average_incumbent)) << "w is 1 in both";
  });
}

TEST(Graph, ImpliedIntegralVariablesHaveTheirOwnType) {
  const auto imply = [](SCIP* scip) {
    SCIP_Bool infeasible = FALSE;
    check(SCIPchgVarImplType(scip, SCIPgetOrigVars(scip)[2], SCIP_IMPLINTTYPE_WEAK, &infeasible));
    check(SCIPchgVarImplType(scip, SCIPgetOrigVars(scip)[1], SCIP_IMPLINTTYPE_WEAK, &infeasible));
  };
  Milp milp = small();
  milp.variables[0].objective = -2;  // x = 1/4, y = 5/4: only x is there to branch on
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), milp);
  apply_settings(scip.get(), plain_lp());
  imply(scip.get());
  int n_visits = 0;
  solve_visiting(scip.get(), [&](SCIP* s) {
    ++n_visits;
    GraphExtractor extractor;
    const BipartiteGraph& graph = extractor.extract(s);
    for (const SCIP_COL* column : lp_columns(s)) {
      const auto j = static_cast<std::size_t>(SCIPcolGetLPPos(const_cast<SCIP_COL*>(column)));
      const bool implied = std::string(SCIPvarGetName(SCIPcolGetVar(const_cast<SCIP_COL*>(column)))) != "t_x";
      EXPECT_EQ(graph.variable(j, VariableFeature::is_implied_integer), implied ? 1 : 0);
      EXPECT_EQ(graph.variable(j, VariableFeature::is_binary), implied ? 0 : 1);
      EXPECT_EQ(graph.variable(j, VariableFeature::is_integer) + graph.variable(j, VariableFeature::is_continuous), 0);
    }
    return SCIP_DIDNOTRUN;
  });
  EXPECT_GE(n_visits, 1);
}

/// The same graph, computed the slow way: a dense matrix of the rows SCIP holds, each feature by its definition in
/// docs/observation.md, in double, nothing cached; `first_norm` is |c| of the first run in original units.
void expect_equals_dense_definition(SCIP* scip, const BipartiteGraph& graph, double first_norm) {
  const auto rows = lp_rows(scip);
  const auto columns = lp_columns(scip);
  const std::size_t n = columns.size();
  std::map<const SCIP_COL*, std::size_t> position;
  double c_norm = 0;
  for (std::size_t j = 0; j < n; ++j) {
    position[columns[j]] = j;
    c_norm = std::hypot(c_norm, SCIPvarGetObj(SCIPcolGetVar(columns[j])));
  }
  if (SCIPgetNRuns(scip) > 1) c_norm = first_norm / SCIPgetTransObjscale(scip);
  if (c_norm == 0) c_norm = 1;
  const double k5 = static_cast<double>(SCIPgetNLPs(scip)) + 5;

  std::vector<std::vector<double>> dense;  // (row nodes, n)
  std::size_t node = 0;
  for (SCIP_ROW* row : rows) {
    for (const int sign : {-1, +1}) {
      const double side = sign < 0 ? SCIProwGetLhs(row) : SCIProwGetRhs(row);
      if (SCIPisInfinity(scip, sign * side)) continue;
      std::vector<double> a(n, 0.0);
      double activity = SCIProwGetConstant(row);
      double norm = 0;
      double product = 0;
      for (int e = 0; e < SCIProwGetNNonz(row); ++e) {
        if (!position.contains(SCIProwGetCols(row)[e])) continue;
        const std::size_t j = position.at(SCIProwGetCols(row)[e]);
        a[j] = SCIProwGetVals(row)[e];
        activity += a[j] * SCIPvarGetLPSol(SCIPcolGetVar(columns[j]));
        norm += a[j] * a[j];
        product += a[j] * SCIPvarGetObj(SCIPcolGetVar(columns[j]));
      }
      norm = norm > 0 ? std::sqrt(norm) : 1;
      for (double& v : a) v *= sign / norm;
      dense.push_back(a);
      ASSERT_LT(node, graph.topology.n_rows());
      // SCIP keeps norms up to date incrementally: agreement to a few units in the last place of a float.
      const auto near = [&](RowFeature f, double expected) {
        EXPECT_NEAR(graph.row(node, f), expected, 1e-5 * std::max(1.0, std::abs(expected))) << SCIProwGetName(row) << " " << row_feature_names[static_cast<std::size_t>(f)];
      };
      near(RowFeature::bias, sign * (side - SCIProwGetConstant(row)) / norm);
      near(RowFeature::objective_cosine, sign * product / (norm * c_norm));
      near(RowFeature::dual, sign * SCIProwGetDualsol(row) / (norm * c_norm));
      near(RowFeature::age, SCIProwGetAge(row) / k5);
      if (std::abs(activity - side) > 1e-6) {
        EXPECT_EQ(graph.row(node, RowFeature::is_tight), 0) << SCIProwGetName(row);
      }
      if (std::abs(activity - side) < 1e-12) {
        EXPECT_EQ(graph.row(node, RowFeature::is_tight), 1) << SCIProwGetName(row);
      }
      ++node;
    }
  }
  ASSERT_EQ(graph.topology.n_rows(), node);
  ASSERT_EQ(graph.topology.n_variables(), n);

  // Both directions of the edges give the dense matrix, nothing twice.
  const Topology& t = graph.topology;
  std::size_t n_nonzeros = 0;
  for (const auto& a : dense) n_nonzeros += static_cast<std::size_t>(std::ranges::count_if(a, [](double v) { return v != 0; }));
  ASSERT_EQ(t.n_edges(), n_nonzeros);
  for (std::size_t i = 0; i < node; ++i) {
    for (auto e = static_cast<std::size_t>(t.row_start[i]); e < static_cast<std::size_t>(t.row_start[i + 1]); ++e) {
      EXPECT_NEAR(t.edge_coefficient[e], dense[i][static_cast<std::size_t>(t.edge_variable[e])], 1e-6);
      if (e > static_cast<std::size_t>(t.row_start[i])) {
        EXPECT_LT(t.edge_variable[e - 1], t.edge_variable[e]);
      }
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (auto e = static_cast<std::size_t>(t.variable_start[j]); e < static_cast<std::size_t>(t.variable_start[j + 1]); ++e) {
      EXPECT_NEAR(t.edge_coefficient_by_variable[e], dense[static_cast<std::size_t>(t.edge_row[e])][j], 1e-6);
      if (e > static_cast<std::size_t>(t.variable_start[j])) {
        EXPECT_LT(t.edge_row[e - 1], t.edge_row[e]);
      }
    }
  }

  SCIP_SOL* best = SCIPgetBestSol(scip);
  for (std::size_t j = 0; j < n; ++j) {
    using enum VariableFeature;
    SCIP_VAR* var = SCIPcolGetVar(columns[j]);
    const double value_now = SCIPvarGetLPSol(var);
    const double lower = SCIPvarGetLbLocal(var);
    const double upper = SCIPvarGetUbLocal(var);
    const bool implied = SCIPvarIsImpliedIntegral(var);
    const bool integral = SCIPvarGetType(var) != SCIP_VARTYPE_CONTINUOUS || implied;
    const SCIP_BASESTAT basis = SCIPcolGetBasisStatus(columns[j]);
    const std::map<VariableFeature, double> expected{
        {objective, SCIPvarGetObj(var) / c_norm},
        {is_binary, !implied && SCIPvarGetType(var) == SCIP_VARTYPE_BINARY},
        {is_integer, !implied && SCIPvarGetType(var) == SCIP_VARTYPE_INTEGER},
        {is_implied_integer, implied},
        {is_continuous, !integral},
        {has_lower, lower > -SCIPinfinity(scip)},
        {has_upper, upper < SCIPinfinity(scip)},
        {reduced_cost, SCIPgetVarRedcost(scip, var) / c_norm},
        {value, value_now},
        {fraction, integral ? value_now - SCIPfeasFloor(scip, value_now) : 0},
        {at_lower, SCIPisEQ(scip, value_now, lower)},
        {at_upper, SCIPisEQ(scip, value_now, upper)},
        {age, SCIPcolGetAge(columns[j]) / k5},
        {VariableFeature::incumbent, best == nullptr ? 0 : SCIPgetSolVal(scip, best, var)},
        {average_incumbent, best == nullptr ? 0 : SCIPvarGetAvgSol(var)},
        {basis_lower, basis == SCIP_BASESTAT_LOWER},
        {basis_basic, basis == SCIP_BASESTAT_BASIC},
        {basis_upper, basis == SCIP_BASESTAT_UPPER},
        {basis_zero, basis == SCIP_BASESTAT_ZERO}};
    for (const auto& [f, v] : expected) {
      EXPECT_NEAR(graph.variable(j, f), v, 1e-5 * std::max(1.0, std::abs(v))) << SCIPvarGetName(var) << " " << variable_feature_names[static_cast<std::size_t>(f)];
    }
  }
}

/// What a solve with checks at every node has seen.
struct Seen {
  int n_nodes = 0;
  std::uint64_t n_topologies = 0;
  int n_column_sets = 0;
  int n_shrunk = 0;  ///< compared nodes after restarts that left less of the objective
  std::int64_t n_runs = 0;
};

/// Solves and checks at every node: the cached graph equals one built from scratch, bit for bit, and the dense definition; no
/// allocation while the LP keeps its rows.
Seen check_every_node(const Milp& milp, const Settings& base, int max_nodes, bool removable_columns = false) {
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), milp);
  Settings settings = base;
  settings.node_limit = max_nodes;
  apply_settings(scip.get(), settings);
  GraphExtractor cached;
  for (int j = 0; j < SCIPgetNOrigVars(scip.get()); ++j) {
    if (removable_columns && j % 2 == 0) check(SCIPvarSetRemovable(SCIPgetOrigVars(scip.get())[j], TRUE));
  }
  Seen seen;
  std::size_t n_columns = 0;
  double first_norm = 0;  // |c|, original units
  const auto begin = [&](SCIP* s) {
    cached.begin(s);
    if (SCIPgetNRuns(s) > 1) return;
    first_norm = 0;
    for (int j = 0; j < SCIPgetNVars(s); ++j) first_norm = std::hypot(first_norm, SCIPvarGetObj(SCIPgetVars(s)[j]) * SCIPgetTransObjscale(s));
  };
  const RunStatistics statistics = solve_visiting(scip.get(), [&](SCIP* s) {
    const std::uint64_t before = cached.topology_version();
    const std::size_t allocations_before = n_allocations();
    const BipartiteGraph& graph = cached.extract(s);
    const std::size_t allocated = n_allocations() - allocations_before;
#ifdef NDEBUG  // a debug build rebuilds the graph at every call to compare
    if (cached.topology_version() == before) {
      EXPECT_EQ(allocated, 0U) << "a cached extraction allocated";
    }
#else
    (void)before, (void)allocated;
#endif
    GraphExtractor fresh;
    if (SCIPgetNRuns(s) > 1) fresh = cached;  // only who has seen the first run knows its objective
    fresh.begin(s);
    EXPECT_TRUE(graph == fresh.extract(s)) << "the cache is wrong at node " << SCIPgetNNodes(s);
    if (seen.n_nodes < 25) {
      expect_equals_dense_definition(s, graph, first_norm);
      if (SCIPgetNRuns(s) > 1 && SCIPgetObjNorm(s) * SCIPgetTransObjscale(s) < 0.99 * first_norm) ++seen.n_shrunk;
    }
    ++seen.n_nodes;
    if (n_columns != graph.topology.n_variables()) ++seen.n_column_sets;
    n_columns = graph.topology.n_variables();
    seen.n_topologies = cached.topology_version();
    return SCIP_DIDNOTRUN;
  }, begin);
  seen.n_runs = statistics.n_runs;
  return seen;
}

TEST(GraphCache, IsRightAtEveryNodeWithRootCutsCutsInTheTreeAndRestarts) {
  std::map<std::string, Seen> totals;
  for (const auto& [name, settings] : restless_settings()) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Seen seen = check_every_node(mixed_milp(seed), settings, 200);
      Seen& total = totals[name];
      total.n_nodes += seen.n_nodes;
      total.n_topologies += seen.n_topologies;
      total.n_runs = std::max(total.n_runs, seen.n_runs);
      total.n_shrunk += seen.n_shrunk;
    }
  }
  // The solves did what they are for; otherwise this test would prove nothing.
  EXPECT_GT(totals["root cuts"].n_nodes, 50);
  EXPECT_GT(totals["cuts in the tree"].n_topologies, 20U);
  EXPECT_GT(totals["restarts"].n_runs, 1);
  EXPECT_GT(totals["restarts"].n_shrunk, 0);
}

TEST(GraphCache, IsRightWhenColumnsLeaveTheLpAndComeBack) {
  int n_column_sets = 0;
  for (const auto& [name, settings] : restless_settings()) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) n_column_sets += check_every_node(mixed_milp(seed), settings, 100, /*removable_columns=*/true).n_column_sets;
  }
  EXPECT_GT(n_column_sets, 20) << "columns did not come and go";
}

class GraphOfFamily : public testing::TestWithParam<std::string> {};

TEST_P(GraphOfFamily, IsRightAtEveryNode) {
  const Family& family = family_by_name(GetParam());
  int n_nodes = 0;
  for (std::uint64_t seed = 0; n_nodes < 20; ++seed) {
    ASSERT_LT(seed, 20U) << "the instances have too few nodes";
    for (const auto& [name, settings] : restless_settings()) {
      SCOPED_TRACE(name);
      n_nodes += check_every_node(generate_instance(family, resolve_parameters(family, Size::tiny), seed), settings, 40).n_nodes;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, GraphOfFamily, testing::ValuesIn(family_names()), [](const auto& name) { return name.param; });

}  // namespace
}  // namespace bough::test
