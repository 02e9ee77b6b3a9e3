// SPDX-License-Identifier: Apache-2.0
//
// The commands in the README and the docs work: every `./bough ...` line of a shell block is run, in order, in one directory that has the
// tree's suites and models.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bough/file.hpp"
#include "tests/process.hpp"

namespace bough::test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> documents() {
  std::vector<fs::path> found{fs::path(BOUGH_SOURCE_DIR) / "README.md", fs::path(BOUGH_SOURCE_DIR) / "CONTRIBUTING.md", fs::path(BOUGH_SOURCE_DIR) / "models/README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(BOUGH_SOURCE_DIR) / "docs")) {
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  return found;
}

std::vector<std::string> commands_in(const fs::path& document) {
  std::istringstream in(read_file(document));
  std::vector<std::string> commands;
  bool in_shell = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      in_shell = line == "```sh";
    } else if (in_shell && line.starts_with("./bough ")) {
      commands.push_back(line.substr(0, line.find("  #")));
    }
  }
  return commands;
}

TEST(Documents, EveryCommandWorks) {
  int n_commands = 0;
  for (const fs::path& document : documents()) {
    const TemporaryDirectory directory;
    for (const char* folder : {"bench", "models"}) fs::create_directory_symlink(fs::path(BOUGH_SOURCE_DIR) / folder, directory.path() / folder);
    for (const std::string& command : commands_in(document)) {
      ++n_commands;
      const std::string line = std::regex_replace(command, std::regex(R"(^\./bough )"), "\"" BOUGH_EXECUTABLE "\" ");
      const Finished finished = run_program({"sh", "-c", line}, directory.path());
      EXPECT_EQ(finished.exit_code, 0) << document.filename() << ": " << command << "\n" << finished.err;
    }
  }
  EXPECT_GE(n_commands, 3);
}

/// What GitHub makes of the headings: "## 6. Decision" is #6-decision.
std::set<std::string> anchors_of(const fs::path& document) {
  std::istringstream in(read_file(document));
  std::set<std::string> anchors;
  bool in_block = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) in_block = !in_block;
    const std::size_t text = line.find_first_not_of('#');
    if (in_block || text == 0 || text == std::string::npos || line[text] != ' ') continue;
    std::string anchor;
    for (const char c : line.substr(text + 1)) {
      if (c == ' ') anchor += '-';
      else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    anchors.insert(anchor);
  }
  return anchors;
}

TEST(Documents, EveryRelativeLinkLeadsSomewhere) {
  static const std::regex link(R"(\]\(([^)# ]*)(#[^) ]+)?\))");
  for (const fs::path& document : documents()) {
    const std::string text = read_file(document);
    for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
      const std::string target = (*match)[1], anchor = (*match)[2];
      if (target.find("://") != std::string::npos) continue;
      const fs::path file = target.empty() ? document : document.parent_path() / target;
      EXPECT_TRUE(fs::exists(file)) << document << " links to " << target;
      if (anchor.empty() || !fs::exists(file)) continue;
      EXPECT_TRUE(anchors_of(file).contains(anchor.substr(1))) << document << " links to " << target << anchor;
    }
  }
}

TEST(Documents, EveryPackageAndFolderIsExplained) {
  std::istringstream packages(read_file(fs::path(BOUGH_SOURCE_DIR) / "env/packages.txt"));
  const std::string explained = read_file(fs::path(BOUGH_SOURCE_DIR) / "docs/dependencies.md");
  for (std::string line; std::getline(packages, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    EXPECT_NE(line.find(" # "), std::string::npos) << "no reason: " << line;
    const std::string name = line.substr(0, line.find(' '));
    EXPECT_NE(explained.find("`" + name + "`"), std::string::npos) << name << " is not in docs/dependencies.md";
  }
  const std::string readme = read_file(fs::path(BOUGH_SOURCE_DIR) / "README.md");
  for (const auto& entry : fs::directory_iterator(fs::path(BOUGH_SOURCE_DIR) / "src/bough")) {
    if (!entry.is_directory()) continue;
    EXPECT_NE(readme.find(entry.path().filename().string() + "/"), std::string::npos) << entry.path();
  }
}

}  // namespace
}  // namespace bough::test
