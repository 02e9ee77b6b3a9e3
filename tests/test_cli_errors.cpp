// SPDX-License-Identifier: Apache-2.0
//
// Runs every row of the table in docs/cli.md: what happens when something is wrong.
#include <gtest/gtest.h>

#include <filesystem>
#include <format>
#include <set>
#include <sstream>

#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/instance/write.hpp"
#include "tests/process.hpp"

namespace bough::test {
namespace {

struct Row {
  std::string what;
  std::string command;
  int exit_code = 0;
  std::string says;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.command; }

std::string without_ticks(std::string cell) {
  const auto first = cell.find('`');
  const auto last = cell.rfind('`');
  return first == last ? cell : cell.substr(first + 1, last - first - 1);
}

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<Row> rows_of_the_table() {
  const std::string page = read_file(std::filesystem::path(BOUGH_SOURCE_DIR) / "docs/cli.md");
  std::istringstream in(page.substr(page.find("## What happens when something is wrong")));
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| ") || line.starts_with("| case")) continue;
    std::vector<std::string> cells;
    std::istringstream cell_stream(line.substr(1));
    for (std::string cell; std::getline(cell_stream, cell, '|');) cells.push_back(cell);
    if (cells.size() != 4) throw std::runtime_error("docs/cli.md: a row with other than four cells: " + line);
    rows.push_back({trimmed(cells[0]), without_ticks(cells[1]), std::stoi(cells[2]), without_ticks(cells[3])});
  }
  return rows;
}

/// Those of the files below that the command names.
void make_fixture(const std::filesystem::path& at, const std::string& command) {
  const auto wanted = [&](std::string_view name) { return command.find(name) != std::string::npos; };
  const auto text = [&](const char* name, std::string_view content) {
    if (wanted(name)) write_file(at / name, content);
  };
  text("small.lp",
       "Maximize\n obj: 5 x + 4 y + 3 z\nSubject To\n c1: 2 x + 3 y + z <= 5\n c2: 4 x + y + 2 z <= 11\n c3: 3 x + 4 y + 2 z <= 8\n"
       "Generals\n x y z\nEnd\n");
  text("syntax.lp",
       "Minimize\n obj: x + y\nSubject To\n c1: x + y >= 1\n c2: x - y <= 3\n c3: 2 x + 3 y >= 2\n c4: 3 x + + * y >= 2\nEnd\n");
  text("infeasible.lp", "Minimize\n obj: x + y\nSubject To\n c1: x + y >= 3\nBounds\n x <= 1\n y <= 1\nGenerals\n x y\nEnd\n");
  text("unbounded.lp", "Maximize\n obj: x + y\nSubject To\n c1: x - y <= 3\nGenerals\n x y\nEnd\n");
  text("nothing.lp", "Minimize\n obj:\nSubject To\nEnd\n");
  text("continuous.lp", "Maximize\n obj: x + 2 y\nSubject To\n c1: x + y <= 3.5\nBounds\n y <= 2\nEnd\n");
  for (const char* name : {"prose.lp", "PROSE.LP"}) text(name, "hello\nworld\n");
  text("empty.lp", "");
  text("empty.mps", "");
  text("empty.toml", "");
  text("instance.xyz", "something\n");
  text("cut.mps", "NAME t\nROWS\n N obj\n L c1\n L c2\nCOLUMNS\n x obj 1 c1 1\n y obj 1 c2 1\n");
  for (const char* name : {"undeclared.mps", "UNDECLARED.MPS"}) text(name, "NAME t\nROWS\n N obj\n L c1\nCOLUMNS\n x obj 1 c1 1\n y obj 1 c2 1\nRHS\n RHS c1 4\nBOUNDS\nENDATA\n");
  text("damaged.cip",
       "STATISTICS\n  Problem name : p\nOBJECTIVE\n Sense : minimize\nVARIABLES\n [binary] <x>: obj=1, original bounds=[0,1]\nCONSTRAINTS\n"
       " [linear] <c>: <x>[B] >= zzz;\nEND\n");
  text("unknown.set", "limits/nodes = 5\nno/such/parameter = 7\n");
  if (wanted("packed.lp")) {
    write_file(at / "packed.lp.zst", "Minimize\n obj: x\nSubject To\n c1: x >= 3\nEnd\n");
    std::filesystem::rename(at / "packed.lp.zst", at / "packed.lp");
  }
  std::string noise;
  Rng rng("noise", 1);
  for (int i = 0; i < 3000; ++i) noise += static_cast<char>(rng.below(256));
  text("noise.lp", noise);

  const Family& setcover = family_by_name("setcover");
  if (wanted("long.mps.gz")) write_milp(generate_instance(setcover, resolve_parameters(setcover, Size::hard), 0), at / "long.mps.gz");
  std::string packed;
  {
    const Milp tiny = generate_instance(setcover, resolve_parameters(setcover, Size::tiny), 0);
    write_milp(tiny, at / "whole.mps.gz");
    std::FILE* file = std::fopen((at / "whole.mps.gz").c_str(), "rb");
    for (int c = 0; (c = std::fgetc(file)) != EOF;) packed += static_cast<char>(c);
    (void)std::fclose(file);
    std::filesystem::remove(at / "whole.mps.gz");
  }
  const auto raw = [&](const char* name, const std::string& bytes) {  // write_file would compress it once more
    if (!wanted(name)) return;
    std::FILE* file = std::fopen((at / name).c_str(), "wb");
    (void)std::fwrite(bytes.data(), 1, bytes.size(), file);
    (void)std::fclose(file);
  };
  raw("cut.mps.gz", packed.substr(0, packed.size() / 2));
  std::string damaged = packed;
  for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 20; ++i) damaged[i] = static_cast<char>(~damaged[i]);
  raw("damaged.mps.gz", damaged);
  std::filesystem::create_directory(at / "folder");
  raw("folder/full", "a file where a directory should go");
}

std::set<std::string> listing(const std::filesystem::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) names.insert(entry.path().string());
  return names;
}

class BadInput : public testing::TestWithParam<Row> {};

TEST_P(BadInput, HasItsExitCodeOneClearMessageAndLeavesNothingBehind) {
  const Row& row = GetParam();
  const TemporaryDirectory directory;
  make_fixture(directory.path(), row.command);
  const auto before = listing(directory.path());

  const Finished finished = run_program(words_of(row.command), directory.path());

  EXPECT_EQ(finished.exit_code, row.exit_code) << finished.out << finished.err;
  const bool interrupted = row.exit_code > 128;
  const std::string& speaks = row.exit_code == 0 || interrupted ? finished.out : finished.err;
  EXPECT_NE(speaks.find(row.says), std::string::npos) << "stdout: " << finished.out << "\nstderr: " << finished.err;
  if (row.exit_code != 0 && !interrupted) {
    EXPECT_EQ(finished.out, "");
    EXPECT_TRUE(finished.err.starts_with("bough: ")) << finished.err;
    EXPECT_EQ(finished.err.find("Error <"), std::string::npos) << "SCIP's call stack is no message for a user: " << finished.err;
  }
  EXPECT_EQ(listing(directory.path()), before);
}

INSTANTIATE_TEST_SUITE_P(Table, BadInput, testing::ValuesIn(rows_of_the_table()), [](const auto& row) {
  std::string name;
  for (const char c : row.param.what) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace bough::test
