// SPDX-License-Identifier: Apache-2.0
//
// What lies in models/: every file is small, says where it comes from, and decides every node of its family on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bough/branch/solve.hpp"
#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/instance/write.hpp"
#include "bough/model/model.hpp"
#include "tests/targets.hpp"

namespace bough::test {
namespace {

namespace fs = std::filesystem;

/// The names of the files, "auction-gat" and so on.
std::vector<std::string> shipped_models() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(BOUGH_SOURCE_DIR) / "models")) {
    if (entry.path().extension() == ".safetensors") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class ShippedModel : public testing::TestWithParam<std::string> {
 protected:
  fs::path path_ = fs::path(BOUGH_SOURCE_DIR) / "models" / (GetParam() + ".safetensors");
  std::string family_ = GetParam().substr(0, GetParam().find('-'));
  std::string network_ = GetParam().substr(GetParam().find('-') + 1);
};
INSTANTIATE_TEST_SUITE_P(Models, ShippedModel, testing::ValuesIn(shipped_models()), [](const auto& model) {
  std::string name = model.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_P(ShippedModel, IsSmallAndSaysWhereItComesFrom) {
  EXPECT_LT(fs::file_size(path_), 1'000'000U);
  const Model model = read_model(path_);
  EXPECT_EQ(network_names[static_cast<std::size_t>(model.architecture.network)], network_);
  const auto training = nlohmann::json::parse(model.training);
  EXPECT_GE(training.at("train").at("labels").get<int>(), 1000);
  EXPECT_EQ(training.at("commit").get<std::string>().find("dirty"), std::string::npos) << "made by code that is in no commit";
  const std::string cards = read_file(fs::path(BOUGH_SOURCE_DIR) / "models/README.md");
  EXPECT_NE(cards.find("`" + GetParam() + ".safetensors`"), std::string::npos) << "models/README.md has no card for it";
}

TEST_P(ShippedModel, DecidesEveryNodeOnEveryInstructionSet) {
  const TemporaryDirectory directory;
  const Family& family = family_by_name(family_);
  SolveRequest request;
  request.settings.preset = "paper";
  // Trees of some dozens of nodes out of small instances.
  request.settings.overrides = {{"presolving/maxrounds", "0"}, {"separating/maxroundsroot", "0"}};
  std::int64_t n_decisions = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    request.instance = directory.path() / "instance.mps";
    write_milp(generate_instance(family, resolve_parameters(family, Size::tiny), seed), request.instance);
    request.policy = "relpscost";
    const double optimum = solve_file(request).statistics.primal_bound;
    request.policy = path_.string();
    request.strict = true;  // a node that is left to SCIP is an error
    on_every_target([&] {
      const SolveResult result = solve_file(request);
      EXPECT_EQ(result.statistics.status, "optimal");
      EXPECT_NEAR(result.statistics.primal_bound, optimum, 1e-6 * std::max(1.0, std::abs(optimum)));
      EXPECT_EQ(result.branching.n_fallbacks, 0);
      n_decisions += result.branching.n_decisions;
    });
    request.strict = false;
  }
  EXPECT_GE(n_decisions, 3) << "instances that say nothing about the model";
}

}  // namespace
}  // namespace bough::test
