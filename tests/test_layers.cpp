// SPDX-License-Identifier: Apache-2.0
//
// The folder list is the data flow: a stage includes earlier stages, never later ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "bough/file.hpp"

namespace bough::test {
namespace {

namespace fs = std::filesystem;

// In the order of the data flow; `scip` is the ground below all of them.
const std::vector<std::string> stages{"scip",  "instance", "observe",  "model",  "dataset", "collect",
                                      "train", "branch",   "evaluate", "report", "learn",  "distribute"};

std::size_t rank(const std::string& stage) {
  return static_cast<std::size_t>(std::ranges::find(stages, stage) - stages.begin());
}

std::vector<fs::path> sources(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(BOUGH_SOURCE_DIR) / folder)) {
    if (entry.path().extension() == ".hpp" || entry.path().extension() == ".cpp") found.push_back(entry.path());
  }
  return found;
}

std::vector<std::string> includes_of(const fs::path& path) {
  static const std::regex include(R"(^\s*#include [<"]([^>"]+)[>"])");
  std::istringstream in(read_file(path));
  std::vector<std::string> found;
  std::smatch match;
  for (std::string line; std::getline(in, line);) {
    if (std::regex_search(line, match, include)) found.push_back(match[1]);
  }
  return found;
}

TEST(Layers, AStageIncludesOnlyItselfEarlierStagesAndTheTopLevel) {
  for (const fs::path& path : sources("src/bough")) {
    const fs::path relative = fs::relative(path, fs::path(BOUGH_SOURCE_DIR) / "src/bough");
    const bool top_level = !relative.has_parent_path();
    const std::string stage = top_level ? "" : relative.begin()->string();
    ASSERT_TRUE(top_level || rank(stage) < stages.size()) << stage << " is not a stage of the data flow";
    for (const std::string& include : includes_of(path)) {
      if (!include.starts_with("bough/")) continue;
      const fs::path included(include.substr(6));
      if (!included.has_parent_path()) continue;
      const std::string other = included.begin()->string();
      EXPECT_FALSE(top_level) << relative << " is a top-level file and includes the stage " << other;
      EXPECT_LE(rank(other), rank(stage)) << relative << " includes a later stage: " << include;
    }
  }
}

/// Everything that a file includes, directly or through our own headers.
void collect_includes(const fs::path& path, std::set<std::string>& found) {
  for (const std::string& include : includes_of(path)) {
    if (found.insert(include).second && include.starts_with("bough/")) collect_includes(fs::path(BOUGH_SOURCE_DIR) / "src" / include, found);
  }
}

TEST(Layers, WhatReadsSamplesKnowsNothingOfScip) {
  for (const fs::path& path : sources("src/bough/dataset")) {
    std::set<std::string> includes;
    collect_includes(path, includes);
    for (const std::string& include : includes) EXPECT_FALSE(include.starts_with("scip/") || include.starts_with("objscip/")) << path << " includes " << include;
  }
}

TEST(Layers, OnlyPublicScipHeadersAreUsed) {
  for (const char* folder : {"src", "cli", "tests", "bench", "fuzz"}) {
    for (const fs::path& path : sources(folder)) {
      for (const std::string& include : includes_of(path)) {
        EXPECT_FALSE(include.starts_with("scip/struct_")) << path << " includes " << include;
        EXPECT_FALSE(include.starts_with("torch/") && path.string().find("/train/") == std::string::npos) << path;
      }
    }
  }
}

TEST(Layers, NoFileIsLongerThanAReaderCanHold) {
  for (const char* folder : {"src", "cli", "tests", "bench", "fuzz"}) {
    for (const fs::path& path : sources(folder)) {
      const std::string text = read_file(path);
      EXPECT_LE(std::ranges::count(text, '\n'), path.extension() == ".hpp" ? 200 : 600) << path;
      EXPECT_TRUE(text.starts_with("// SPDX-License-Identifier: Apache-2.0")) << path;
    }
  }
}

}  // namespace
}  // namespace bough::test
