// SPDX-License-Identifier: Apache-2.0
//
// The contract of every family: the suite runs over the registry, so that a new family is tested unasked.
#include <gtest/gtest.h>
#include <scip/scipdefplugins.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bough/error.hpp"
#include "bough/instance/family.hpp"
#include "bough/scip/problem.hpp"
#include "bough/scip/scip.hpp"
#include "tests/nodes.hpp"

namespace bough::test {
namespace {

using Overrides = std::map<std::string, double, std::less<>>;

Milp make(std::string_view family_name, Size size, std::uint64_t seed, const Overrides& overrides = {}) {
  const Family& family = family_by_name(family_name);
  return generate_instance(family, resolve_parameters(family, size, overrides), seed);
}

bool same(const Milp& a, const Milp& b) {
  const auto variable = [](const Milp::Variable& v) { return std::tie(v.name, v.objective, v.lower, v.upper, v.type); };
  const auto row = [](const Milp::Row& r) { return std::tie(r.name, r.lhs, r.rhs); };
  const auto entry = [](const Milp::Entry& e) { return std::tie(e.column, e.value); };
  return a.maximize == b.maximize && a.objective_offset == b.objective_offset && a.row_start == b.row_start &&
         std::ranges::equal(a.variables, b.variables, {}, variable, variable) && std::ranges::equal(a.rows, b.rows, {}, row, row) &&
         std::ranges::equal(a.entries, b.entries, {}, entry, entry);
}

struct Solve {
  SCIP_STATUS status;
  double objective;
  std::int64_t n_nodes;
};

/// Solves with one of SCIP's own rules; `cuts_at_root_only` is how learned rules are usually compared.
Solve solve(const Milp& milp, const std::string& rule = "relpscost", bool cuts_at_root_only = false) {
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), milp);
  check(SCIPsetIntParam(scip.get(), ("branching/" + rule + "/priority").c_str(), 1'000'000));
  if (cuts_at_root_only) {
    check(SCIPsetIntParam(scip.get(), "separating/maxrounds", 0));
    check(SCIPsetIntParam(scip.get(), "presolving/maxrestarts", 0));
  }
  check(SCIPsetRealParam(scip.get(), "limits/time", 60));
  check(SCIPsolve(scip.get()));
  return {SCIPgetStatus(scip.get()), SCIPgetPrimalbound(scip.get()), SCIPgetNTotalNodes(scip.get())};
}

class FamilyContract : public testing::TestWithParam<std::string> {
 protected:
  const Family& family = family_by_name(GetParam());
};

void expect_well_formed(const Milp& milp) {
  std::set<std::string_view> names;
  double objective_size = 0;
  for (const auto& v : milp.variables) {
    ASSERT_TRUE(names.insert(v.name).second) << "two variables are called " << v.name;
    ASSERT_TRUE(std::isfinite(v.objective)) << v.name;
    ASSERT_LE(v.lower, v.upper) << v.name;
    ASSERT_TRUE(std::isfinite(v.lower)) << v.name;
    if (v.type == Milp::VarType::binary) {
      ASSERT_TRUE(v.lower >= 0 && v.upper <= 1) << v.name;
    }
    objective_size += std::abs(v.objective);
  }
  EXPECT_GT(objective_size, 0) << "nothing to optimise";

  ASSERT_EQ(milp.row_start.size(), milp.rows.size() + 1);
  ASSERT_EQ(milp.row_start.back(), milp.entries.size());
  names.clear();
  std::vector<std::size_t> last_row(milp.variables.size(), milp.rows.size());
  for (std::size_t i = 0; i < milp.rows.size(); ++i) {
    const auto& row = milp.rows[i];
    ASSERT_TRUE(names.insert(row.name).second) << "two rows are called " << row.name;
    ASSERT_LE(row.lhs, row.rhs) << row.name;
    ASSERT_TRUE(std::isfinite(row.lhs) || std::isfinite(row.rhs)) << row.name << " says nothing";
    for (const auto& [column, value] : milp.row(i)) {
      ASSERT_TRUE(column >= 0 && std::cmp_less(column, milp.variables.size())) << row.name;
      ASSERT_TRUE(std::isfinite(value) && value != 0) << row.name;
      ASSERT_NE(std::exchange(last_row[static_cast<std::size_t>(column)], i), i) << row.name << " names a column twice";
    }
  }
  const auto expect_short = [](const std::string& name) {
    ASSERT_TRUE(!name.empty() && name.size() <= 32 && std::ranges::none_of(name, [](char c) { return c <= ' ' || c > '~'; })) << name;
  };
  for (const auto& v : milp.variables) expect_short(v.name);
  for (const auto& r : milp.rows) expect_short(r.name);
}

TEST_P(FamilyContract, DescribesItselfAndItsParameters) {
  EXPECT_FALSE(family.summary.empty());
  EXPECT_FALSE(family.reference.empty());
  EXPECT_EQ(family.from_data == nullptr, family.data_format.empty());
  std::set<std::string> names;
  for (const ParameterSpec& spec : family.parameters) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name << " is declared twice";
    EXPECT_FALSE(spec.help.empty()) << spec.name;
    for (const double value : spec.defaults) EXPECT_NO_THROW(resolve_parameters(family, Size::tiny, {{spec.name, value}})) << spec.name;
  }
}

TEST_P(FamilyContract, RejectsParametersThatAreUnknownOrOutOfRange) {
  const auto expect_usage_error = [&](const Overrides& overrides) {
    try {
      resolve_parameters(family, Size::easy, overrides);
      ADD_FAILURE() << overrides.begin()->first << " = " << overrides.begin()->second << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
    }
  };
  expect_usage_error({{"no-such-parameter", 1}});
  for (const ParameterSpec& spec : family.parameters) {
    expect_usage_error({{spec.name, spec.low - 1}});
    expect_usage_error({{spec.name, spec.high * 2 + 1}});
    expect_usage_error({{spec.name, std::nan("")}});
    if (spec.integral) expect_usage_error({{spec.name, spec.low + 0.5}});
  }
}

TEST_P(FamilyContract, MakesWellFormedProblems) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) expect_well_formed(make(family.name, Size::tiny, seed));
  for (const Size size : {Size::easy, Size::medium, Size::hard}) expect_well_formed(make(family.name, size, 1));
}

TEST_P(FamilyContract, MakesTheSameProblemFromTheSameSeedInAnyOrder) {
  for (const Size size : {Size::tiny, Size::easy}) {
    std::vector<Milp> upwards;
    for (std::uint64_t seed = 0; seed < 4; ++seed) upwards.push_back(make(family.name, size, seed));
    for (std::uint64_t seed = 4; seed-- > 0;) {
      EXPECT_TRUE(same(upwards[seed], make(family.name, size, seed))) << "seed " << seed;
    }
  }
}

TEST_P(FamilyContract, MakesDifferentProblemsFromDifferentSeeds) {
  std::vector<Milp> problems;
  for (std::uint64_t seed = 0; seed < 10; ++seed) problems.push_back(make(family.name, Size::tiny, seed));
  problems.push_back(make(family.name, Size::tiny, std::uint64_t{1} << 40));
  for (std::size_t a = 0; a < problems.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(same(problems[a], problems[b])) << a << " and " << b;
  }
}

TEST_P(FamilyContract, TinyProblemsAreSolvedToTheSameOptimumByEveryKindOfRule) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const Milp milp = make(family.name, Size::tiny, seed);
    const Solve reference = solve(milp);
    EXPECT_EQ(reference.status, SCIP_STATUS_OPTIMAL) << "seed " << seed;
    for (const char* rule : {"fullstrong", "vanillafullstrong", "pscost", "mostinf"}) {
      const Solve other = solve(milp, rule, true);
      EXPECT_EQ(other.status, SCIP_STATUS_OPTIMAL) << rule << ", seed " << seed;
      EXPECT_NEAR(other.objective, reference.objective, 1e-6 * std::max(1.0, std::abs(reference.objective))) << rule << ", seed " << seed;
    }
  }
}

TEST_P(FamilyContract, TinyProblemsAreNotSolvedAtTheRoot) {
  int n_branched = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) n_branched += solve(make(family.name, Size::tiny, seed), "pscost", true).n_nodes > 1;
  EXPECT_GE(n_branched, 5) << "of 10: tiny is too small to test branching";
}

TEST_P(FamilyContract, ComplainsOfAMissingDataFile) {
  if (family.from_data == nullptr) return;
  try {
    family.from_data("/no/such/place", resolve_parameters(family, Size::tiny));
    ADD_FAILURE() << "no complaint";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::missing_input);
    EXPECT_NE(std::string_view(error.what()).find("/no/such/place"), std::string_view::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, FamilyContract, testing::ValuesIn(family_names()), [](const auto& test) { return test.param; });

TEST(Families, AreKnownByName) {
  EXPECT_TRUE(std::ranges::is_sorted(families(), {}, &Family::name));
  for (const char* name : {"auction", "facility", "indset", "loadbalance", "setcover"}) EXPECT_EQ(family_by_name(name).name, name);
  EXPECT_THROW(family_by_name("set-cover"), Error);
}

void expect_contradiction(std::string_view family_name, const Overrides& overrides) {
  try {
    make(family_name, Size::tiny, 0, overrides);
    ADD_FAILURE() << family_name << " accepted a contradiction";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_TRUE(std::string_view(error.what()).starts_with(family_name)) << error.what();
  }
}

TEST(Families, RejectParametersThatContradictEachOther) {
  expect_contradiction("setcover", {{"density", 0.001}});
  expect_contradiction("auction", {{"min-value", 101}});
  expect_contradiction("facility", {{"ratio", 1}});
  expect_contradiction("indset", {{"affinity", 1000}});
  expect_contradiction("loadbalance", {{"light-load-low", 3}});
  expect_contradiction("loadbalance", {{"light-load-low", 100}, {"light-load-high", 100}});
  expect_contradiction("loadbalance", {{"light-workloads", 0}, {"heavy-workloads", 0}});
}

}  // namespace
}  // namespace bough::test
