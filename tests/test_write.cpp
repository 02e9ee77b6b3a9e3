// SPDX-License-Identifier: Apache-2.0
//
// A written instance, read back by SCIP, is the instance: to the bit.
#include "bough/instance/write.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/scip/problem.hpp"
#include "tests/milps.hpp"

namespace bough::test {
namespace {

Milp read_back(const std::filesystem::path& path) {
  const ScipPtr scip = create_scip();
  read_problem(scip.get(), path);
  return to_milp(scip.get());
}

using NamedRow = std::map<std::string, double>;
NamedRow named_row(const Milp& milp, std::size_t i) {
  NamedRow row;
  for (const auto& [column, value] : milp.row(i)) row[milp.variables[static_cast<std::size_t>(column)].name] += value;
  return row;
}

/// Equal by name, all numbers exactly.
void expect_same(const Milp& a, const Milp& b) {
  EXPECT_EQ(a.maximize, b.maximize);
  EXPECT_EQ(a.objective_offset, b.objective_offset);
  ASSERT_EQ(a.variables.size(), b.variables.size());
  ASSERT_EQ(a.rows.size(), b.rows.size());
  std::map<std::string, const Milp::Variable*> by_name;
  for (const auto& v : b.variables) by_name[v.name] = &v;
  for (const auto& v : a.variables) {
    ASSERT_TRUE(by_name.contains(v.name)) << v.name;
    const Milp::Variable& w = *by_name[v.name];
    EXPECT_EQ(v.objective, w.objective) << v.name;
    EXPECT_EQ(v.lower, w.lower) << v.name;
    EXPECT_EQ(v.upper, w.upper) << v.name;
    EXPECT_EQ(v.type, w.type) << v.name;
  }
  std::map<std::string, std::size_t> row_by_name;
  for (std::size_t i = 0; i < b.rows.size(); ++i) row_by_name[b.rows[i].name] = i;
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    ASSERT_TRUE(row_by_name.contains(a.rows[i].name)) << a.rows[i].name;
    const std::size_t k = row_by_name[a.rows[i].name];
    EXPECT_EQ(a.rows[i].lhs, b.rows[k].lhs) << a.rows[i].name;
    EXPECT_EQ(a.rows[i].rhs, b.rows[k].rhs) << a.rows[i].name;
    EXPECT_EQ(named_row(a, i), named_row(b, k)) << a.rows[i].name;
  }
}

/// One of everything: every kind of bound, row and number.
Milp menagerie(bool with_range) {
  Milp milp;
  milp.name = "menagerie";
  milp.maximize = true;
  milp.objective_offset = 2.5;
  milp.add_binary("b", 1.0 / 3.0);
  milp.add_variable({"free", -0.1, -Milp::infinity, Milp::infinity, Milp::VarType::continuous});
  milp.add_variable({"below", 0, -Milp::infinity, 7.25, Milp::VarType::continuous});
  milp.add_variable({"negative", 1e-7, -4, -1.5, Milp::VarType::continuous});
  milp.add_variable({"fixed", 1e6, 3, 3, Milp::VarType::continuous});
  milp.add_variable({"count", 2, 0, Milp::infinity, Milp::VarType::integer});
  milp.add_variable({"range", 2, -5, 12, Milp::VarType::integer});
  milp.add_variable({"idle", 0, 0, 1, Milp::VarType::continuous});  // in no row and not in the objective
  milp.add_row("less", -Milp::infinity, 10.1);
  milp.add_entry(0, 1);
  milp.add_entry(1, -1);
  milp.add_row("more", -2, Milp::infinity);
  milp.add_entry(5, 0.1);
  milp.add_entry(3, -1e-5);
  milp.add_row("same", 0, 0);
  for (int j = 0; j < 7; ++j) milp.add_entry(j, 1.0 / (j + 1));
  if (with_range) {
    milp.add_row("between", -1, 4);
    milp.add_entry(2, 3);
    milp.add_entry(6, 1);
  }
  return milp;
}

class Format : public testing::TestWithParam<std::string_view> {};

TEST_P(Format, KeepsEveryKindOfBoundRowAndNumber) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / ("m." + std::string(GetParam()));
  const Milp milp = menagerie(GetParam().starts_with("mps"));  // LP format has no range rows: next test
  write_milp(milp, path);
  expect_same(milp, read_back(path));
}

TEST_P(Format, IsExactForEveryFamily) {
  const TemporaryDirectory directory;
  for (const Family& family : families()) {
    const Milp milp = generate_instance(family, resolve_parameters(family, Size::tiny), 1);
    const auto path = directory.path() / (family.name + "." + std::string(GetParam()));
    write_milp(milp, path);
    SCOPED_TRACE(path.filename());
    Milp expected = milp;
    if (GetParam().starts_with("lp")) {  // the only sign of ours that LP names cannot have
      for (auto& row : expected.rows) std::ranges::replace(row.name, '-', '_');
      for (auto& variable : expected.variables) std::ranges::replace(variable.name, '-', '_');
    }
    expect_same(expected, read_back(path));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Format, testing::ValuesIn(instance_formats), [](const auto& format) {
  std::string name(format.param);
  std::ranges::replace(name, '.', '_');
  return name;
});

TEST(WriteLp, SplitsARangeIntoTwoRows) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "m.lp";
  write_milp(menagerie(true), path);
  const Milp back = read_back(path);
  EXPECT_EQ(back.rows.size(), menagerie(true).rows.size() + 1);
}

TEST(WriteLp, GivesNamesThatTheFormatCannotHoldOthersThatStayApart) {  // max 2 a-b + a_b + 3 e5,  each at most 1: 6
  Milp milp;
  milp.maximize = true;
  for (const auto& [name, objective] : {std::pair{"a-b", 2.0}, {"a_b", 1.0}, {"e5", 3.0}}) milp.add_binary(name, objective);
  const TemporaryDirectory directory;
  write_milp(milp, directory.path() / "m.lp");
  const Milp back = read_back(directory.path() / "m.lp");
  ASSERT_EQ(back.variables.size(), 3U);
  double sum = 0;
  for (const auto& variable : back.variables) sum += variable.objective;
  EXPECT_EQ(sum, 6);
}

TEST(WriteMilp, RefusesAnUnknownFormat) { EXPECT_THROW(write_milp(menagerie(true), "m.docx"), Error); }

}  // namespace
}  // namespace bough::test
