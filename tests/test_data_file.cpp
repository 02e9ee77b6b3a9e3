// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/instance/data_file.hpp"
#include "bough/instance/family.hpp"
#include "bough/scip/problem.hpp"
#include "bough/scip/scip.hpp"

namespace bough {
namespace {

/// A file in the tests' own directory, gone at the end of the scope.
class TextFile {
 public:
  explicit TextFile(std::string_view text, const std::string& suffix = ".txt") {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) / (std::string(test->test_suite_name()) + "-" + test->name() + suffix);
    write_file(path_, text);
  }
  ~TextFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The complaint of `action`, without the directory; fails the test if there is none or if it has another exit code.
std::string complaint(ExitCode code, auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    const std::string what = error.what();
    return what.substr(what.find(".txt:") == std::string::npos ? 0 : what.find(".txt:") + 5);
  }
  ADD_FAILURE() << "no complaint";
  return {};
}

TEST(NumberReader, ReadsNumbersWhateverTheWhiteSpace) {
  const TextFile file("3 -4.5\r\n\t+7   1e3\n\n\n16. 5000.0000");
  NumberReader in(file.path());
  EXPECT_EQ(in.integer("a", 0, 10), 3);
  EXPECT_EQ(in.real("b", -10, 10), -4.5);
  EXPECT_EQ(in.integer("c", 0, 10), 7);
  EXPECT_EQ(in.real("d", 0, 1000), 1000);
  EXPECT_EQ(in.integer("e", 0, 100), 16);
  EXPECT_EQ(in.integer("f", 0, 5000), 5000);
  EXPECT_NO_THROW(in.expect_end());
}

TEST(NumberReader, ReadsCompressedFiles) {
  const TextFile file("1 2\n3\n", ".txt.gz");
  NumberReader in(file.path());
  for (int expected = 1; expected <= 3; ++expected) EXPECT_EQ(in.integer("a number", 0, 9), expected);
  EXPECT_NO_THROW(in.expect_end());
}

TEST(NumberReader, NamesFileLineAndExpectationWhenAWordStandsForANumber) {
  const TextFile file("1 2\n3 four\n");
  NumberReader in(file.path());
  for (int i = 0; i < 3; ++i) in.integer("a number", 0, 9);
  const std::string said = complaint(ExitCode::bad_input, [&] { in.integer("the fourth number", 0, 9); });
  EXPECT_EQ(said, "2: expected the fourth number from 0 to 9, got 'four'");
}

TEST(NumberReader, RejectsNumbersOutsideTheRange) {
  const TextFile file("1\n\n12\n");
  NumberReader in(file.path());
  in.integer("a number", 0, 9);
  EXPECT_EQ(complaint(ExitCode::bad_input, [&] { in.integer("a digit", 0, 9); }), "3: expected a digit from 0 to 9, got '12'");
}

TEST(NumberReader, RejectsFractionsWhereWholeNumbersAreExpected) {
  const TextFile file("2.5");
  NumberReader in(file.path());
  EXPECT_EQ(complaint(ExitCode::bad_input, [&] { in.integer("a digit", 0, 9); }), "1: expected a digit, a whole number, got 2.5");
}

TEST(NumberReader, RejectsWhatOnlyBeginsLikeANumber) {
  for (const char* text : {"1x", "1,5", "0x10", "1e", "+-5", "++5", "+", "-", "nan", "inf", "1e999", "--1"}) {
    const TextFile file(text);
    NumberReader in(file.path());
    EXPECT_NE(complaint(ExitCode::bad_input, [&] { in.real("a number", -1e9, 1e9); }).find("got '"), std::string::npos) << text;
  }
}

TEST(NumberReader, SaysWhatIsMissingWhenTheFileEnds) {
  const TextFile file("1\n2");
  NumberReader in(file.path());
  in.integer("a number", 0, 9);
  in.integer("a number", 0, 9);
  EXPECT_EQ(complaint(ExitCode::bad_input, [&] { in.real("a cost", 0, 9); }), "2: the file ends where a cost should be");
}

TEST(NumberReader, RejectsWhatFollowsTheEnd) {
  const TextFile file("1\n\n  2");
  NumberReader in(file.path());
  in.integer("a number", 0, 9);
  EXPECT_EQ(complaint(ExitCode::bad_input, [&] { in.expect_end(); }), "3: expected the end of the file, got '2'");
}

TEST(NumberReader, SkipsTheRestOfALineAndKeepsCounting) {
  const TextFile file("c a comment 1 2 3\nc\np edge 4");
  NumberReader in(file.path());
  EXPECT_EQ(in.token(), "c");
  in.skip_line();
  EXPECT_EQ(in.token(), "c");
  in.skip_line();
  EXPECT_EQ(in.token(), "p");
  EXPECT_EQ(complaint(ExitCode::bad_input, [&] { in.fail("wrong"); }), "3: wrong");
  EXPECT_EQ(in.token(), "edge");
  in.skip_line();
  EXPECT_EQ(in.token(), "");
  in.skip_line();
  EXPECT_EQ(in.token(), "");
}

TEST(NumberReader, ComplainsOfAMissingFile) {
  complaint(ExitCode::missing_input, [] { NumberReader("/no/such/file.txt"); });
  complaint(ExitCode::missing_input, [] { NumberReader(std::filesystem::temp_directory_path()); });
}

/// What a family says about a data file with this text.
std::string data_complaint(const char* family_name, std::string_view text) {
  const TextFile file(text);
  const Family& family = family_by_name(family_name);
  return complaint(ExitCode::bad_input, [&] { family.from_data(file.path(), resolve_parameters(family, Size::tiny)); });
}

TEST(DataFile, SetCoverRejectsImpossibleRows) {
  EXPECT_EQ(data_complaint("setcover", "1 2\n 3 4\n 0\n"), "3: expected the number of columns that cover a row from 1 to 2, got '0'");
  EXPECT_EQ(data_complaint("setcover", "1 2\n 3 4\n 2\n 1 3"), "4: expected a column's number from 1 to 2, got '3'");
  EXPECT_EQ(data_complaint("setcover", "1 2\n 3 4\n 2\n 1 1"), "4: row 1 names the same column twice");
  EXPECT_EQ(data_complaint("setcover", "1 2\n 3 4\n 2\n 1 2\n7"), "5: expected the end of the file, got '7'");
}

TEST(DataFile, FacilityExplainsTheWordThatStandsForTheCapacity) {
  const std::string said = data_complaint("facility", "1 1\ncapacity 7500.\n 10\n 5\n");
  EXPECT_TRUE(said.starts_with("2: expected a facility's capacity")) << said;
  EXPECT_NE(said.find("put in the number"), std::string::npos) << said;
  EXPECT_EQ(data_complaint("facility", "1 1\n 10 7500.\n 10\n"), "4: the file ends where the cost of serving a customer should be");
}

TEST(DataFile, IndependentSetRejectsBrokenGraphs) {
  EXPECT_EQ(data_complaint("indset", "c nothing\n"), "2: no line 'p edge <nodes> <edges>'");
  EXPECT_EQ(data_complaint("indset", "e 1 2\n"), "1: an edge before the line 'p edge <nodes> <edges>'");
  EXPECT_EQ(data_complaint("indset", "p edge 3 1\np edge 3 1\n"), "2: a second 'p' line");
  EXPECT_EQ(data_complaint("indset", "p edge 3 1\ne 1 4\n"), "2: expected an edge's node from 1 to 3, got '4'");
  EXPECT_EQ(data_complaint("indset", "p edge 3 1\ne 2 2\n"), "2: node 2 has an edge to itself");
  EXPECT_EQ(data_complaint("indset", "p edge 3 1\ne 1 2\ne 1 3\n"), "3: more edges than the 'p' line announces");
  EXPECT_EQ(data_complaint("indset", "p edge 3 2\ne 1 2\n"), "3: the file ends with 1 edges missing of those the 'p' line announces");
  EXPECT_EQ(data_complaint("indset", "q\n"), "1: expected a line that starts with c, p or e, got 'q'");
}

// 1 - 2, 3 alone: the complement is the path 1 - 3 - 2.
TEST(DataFile, IndependentSetIsThatOfTheComplement) {
  const TextFile file("c a comment with e 1 3\np edge 3 1\ne 1 2\n");
  const Family& family = family_by_name("indset");
  const Milp milp = family.from_data(file.path(), resolve_parameters(family, Size::tiny));
  ASSERT_EQ(milp.variables.size(), 3U);
  ASSERT_EQ(milp.rows.size(), 2U);
  EXPECT_EQ(milp.entries.size(), 4U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(milp.row(i)[0].column == 2 || milp.row(i)[1].column == 2);
}

struct Known {
  const char* family;
  const char* file;  // under the directory of shared instances
  double optimum;
};
void PrintTo(const Known& known, std::ostream* out) { *out << known.file; }

// Optima as published with the OR-Library and for the DIMACS graphs; those that SCIP finds within seconds.
class PublishedInstance : public testing::TestWithParam<Known> {};

TEST_P(PublishedInstance, HasTheKnownOptimum) {
  const auto& [family_name, file, optimum] = GetParam();
  const auto path = std::filesystem::path(BOUGH_SHARED_INSTANCES) / file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << ": the published files are not on this machine";
  const Family& family = family_by_name(family_name);
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), family.from_data(path, resolve_parameters(family, Size::easy)));
  check(SCIPsolve(scip.get()));
  EXPECT_EQ(SCIPgetStatus(scip.get()), SCIP_STATUS_OPTIMAL);
  EXPECT_NEAR(SCIPgetPrimalbound(scip.get()), optimum, 1e-3 + 1e-9 * optimum);  // cap: published to three decimals
}

INSTANTIATE_TEST_SUITE_P(
    Files, PublishedInstance,
    testing::Values(Known{"setcover", "orlib_scp/scp41.txt", 429}, Known{"setcover", "orlib_scp/scp43.txt", 516},
                    Known{"setcover", "orlib_scp/scp45.txt", 512}, Known{"setcover", "orlib_scp/scp47.txt", 430},
                    Known{"setcover", "orlib_scp/scp49.txt", 641}, Known{"setcover", "orlib_scp/scp51.txt", 253},
                    Known{"setcover", "orlib_scp/scp61.txt", 138}, Known{"setcover", "orlib_scp/scpa1.txt", 253},
                    Known{"facility", "orlib_cap/cap41.cap", 1040444.375}, Known{"facility", "orlib_cap/cap43.cap", 1153000.450},
                    Known{"facility", "orlib_cap/cap61.cap", 932615.750}, Known{"facility", "orlib_cap/cap63.cap", 1014062.050},
                    Known{"facility", "orlib_cap/cap71.cap", 932615.750}, Known{"facility", "orlib_cap/cap81.cap", 838499.288},
                    Known{"facility", "orlib_cap/cap91.cap", 796648.438}, Known{"facility", "orlib_cap/cap101.cap", 796648.437},
                    Known{"facility", "orlib_cap/cap111.cap", 826124.713}, Known{"facility", "orlib_cap/cap121.cap", 793439.563},
                    Known{"indset", "dimacs/C125.9.clq", 34}, Known{"indset", "dimacs/hamming8-4.clq", 16}),
    [](const auto& test) {
      std::string name = std::filesystem::path(test.param.file).stem().string();
      std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
      return name;
    });

// SCIP takes minutes for these; so we count.  Every pair of nodes that is no edge of the file shares exactly one row.
TEST(DataFile, LargeGraphsBecomeTheirComplementsEdges) {
  for (const auto& [file, n_nodes, n_edges] : {std::tuple{"brock200_2.clq", 200U, 9876U}, {"p_hat300-1.clq", 300U, 10'933U}}) {
    const auto path = std::filesystem::path(BOUGH_SHARED_INSTANCES) / "dimacs" / file;
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << ": the published files are not on this machine";
    const Family& family = family_by_name("indset");
    const Milp milp = family.from_data(path, resolve_parameters(family, Size::easy));
    EXPECT_EQ(milp.variables.size(), n_nodes);
    std::set<std::pair<int, int>> pairs;
    std::size_t n_pairs = 0;
    for (std::size_t i = 0; i < milp.rows.size(); ++i) {
      const auto row = milp.row(i);
      for (std::size_t a = 0; a < row.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) pairs.insert(std::minmax(row[a].column, row[b].column));
      }
      n_pairs += row.size() * (row.size() - 1) / 2;
    }
    EXPECT_EQ(pairs.size(), n_nodes * (n_nodes - 1) / 2 - n_edges);
    EXPECT_EQ(n_pairs, pairs.size()) << "a pair is in two rows";
  }
}

}  // namespace
}  // namespace bough
