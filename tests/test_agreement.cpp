// SPDX-License-Identifier: Apache-2.0
//
// Any policy gives SCIP's optimum.  The suites run over the registries: a new family or policy is tested unasked.
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstdio>
#include <format>
#include <tuple>

#include "bough/branch/solve.hpp"
#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/instance/write.hpp"
#include "tests/nodes.hpp"

namespace bough::test {
namespace {

// SCIP stops when the gap is closed to its own epsilon, so two proofs may differ by that much.
constexpr double tolerance = 1e-6;

double solved_optimum(const std::filesystem::path& file, std::string_view policy, const std::string& settings, std::uint32_t seed) {
  SolveRequest request;
  request.instance = file;
  request.policy = policy;
  request.settings.preset = settings;
  request.settings.seed = seed;
  const SolveResult result = solve_file(request);
  EXPECT_EQ(result.statistics.status, "optimal") << file << " " << policy << " " << settings;
  EXPECT_TRUE(result.solution_check && result.solution_check->feasible) << file << " " << policy << " " << settings;
  EXPECT_EQ(result.branching.n_fallbacks, 0);
  return result.statistics.primal_bound;
}

void expect_agreement(const std::filesystem::path& file, const std::string& settings, std::uint32_t seed, std::optional<double> optimum = {}) {
  for (const PolicyKind& kind : policy_kinds()) {
    const double found = solved_optimum(file, kind.name, settings, seed);
    if (!optimum) optimum = found;
    EXPECT_NEAR(found, *optimum, tolerance * std::max(1.0, std::abs(*optimum))) << file.filename() << " " << kind.name << " " << settings;
  }
}

using FamilyAndSettings = std::tuple<std::string, std::string>;
class AgreementOnTiny : public testing::TestWithParam<FamilyAndSettings> {
 protected:
  static void expect_agreement_on(std::uint32_t first_seed, std::uint32_t end_seed) {
    const auto& [name, settings] = GetParam();
    const Family& family = family_by_name(name);
    const TemporaryDirectory directory;
    for (std::uint32_t seed = first_seed; seed < end_seed; ++seed) {
      const auto file = directory.path() / std::format("{}-{}.mps", name, seed);
      write_milp(generate_instance(family, resolve_parameters(family, Size::tiny), seed), file);
      expect_agreement(file, settings, seed);
    }
  }
};
class SlowAgreementOnTiny : public AgreementOnTiny {};

TEST_P(AgreementOnTiny, EveryPolicyFindsTheSameOptimum) { expect_agreement_on(0, 5); }
TEST_P(SlowAgreementOnTiny, EveryPolicyFindsTheSameOptimumOn15MoreInstances) { expect_agreement_on(5, 20); }

const auto families_and_settings = testing::Combine(testing::ValuesIn(family_names()), testing::Values("paper", "default"));
std::string label(const testing::TestParamInfo<FamilyAndSettings>& pair) { return std::get<0>(pair.param) + "_" + std::get<1>(pair.param); }
INSTANTIATE_TEST_SUITE_P(Families, AgreementOnTiny, families_and_settings, label);
INSTANTIATE_TEST_SUITE_P(Families, SlowAgreementOnTiny, families_and_settings, label);

/// A published instance: the family that reads it (empty if SCIP reads the file itself), and its known optimum.
struct Published {
  std::string file;
  std::string family;
  double optimum;
};
void PrintTo(const Published& instance, std::ostream* out) { *out << instance.file; }

std::vector<Published> published() {
  std::vector<Published> list;
  const auto add = [&](const std::string& folder, const std::string& suffix, const std::string& family,
                       std::initializer_list<std::pair<const char*, double>> optima) {
    for (const auto& [name, optimum] : optima) list.push_back({std::format("{}/{}{}", folder, name, suffix), family, optimum});
  };
  add("miplib3", ".mps.gz", "",
      {{"bell5", 8966406.49}, {"dcmulti", 188182}, {"egout", 568.1007}, {"flugpl", 1201500}, {"gt2", 21166}, {"lseu", 1120}, {"misc03", 3360},
       {"p0033", 3089}, {"p0201", 7615}, {"rgn", 82.1999974}, {"stein27", 18}, {"vpm2", 13.75}});
  add("orlib_scp", ".txt", "setcover",
      {{"scp41", 429}, {"scp43", 516}, {"scp45", 512}, {"scp47", 430}, {"scp49", 641}, {"scp51", 253}, {"scp61", 138}, {"scpa1", 253}});
  add("orlib_cap", ".cap", "facility",
      {{"cap41", 1040444.375}, {"cap43", 1153000.450}, {"cap61", 932615.750}, {"cap63", 1014062.050}, {"cap71", 932615.750}, {"cap81", 838499.288},
       {"cap91", 796648.438}, {"cap101", 796648.437}, {"cap111", 826124.713}, {"cap121", 793439.563}});
  add("dimacs", ".clq", "indset", {{"C125.9", 34}, {"brock200_2", 12}, {"hamming8-4", 16}, {"p_hat300-1", 8}});
  return list;
}

/// All policies, both settings, every published file: too long for every day.
class SlowPublished : public testing::TestWithParam<Published> {};

TEST_P(SlowPublished, EveryPolicyFindsTheKnownOptimumUnlessItTakesOver60Seconds) {
  const auto source = std::filesystem::path(BOUGH_SHARED_INSTANCES) / GetParam().file;
  if (!std::filesystem::exists(source)) GTEST_SKIP() << "the published instances are not beside the project: " << source;
  const TemporaryDirectory directory;
  std::filesystem::path file = source;
  if (!GetParam().family.empty()) {
    const Family& family = family_by_name(GetParam().family);
    file = directory.path() / (source.stem().string() + ".mps");
    write_milp(family.from_data(source, resolve_parameters(family, Size::easy)), file);
  }
  int n_solved = 0;
  for (const char* settings : {"paper", "default"}) {
    for (const PolicyKind& kind : policy_kinds()) {
      SolveRequest request;
      request.instance = file;
      request.policy = kind.name;
      request.settings.preset = settings;
      request.settings.time_limit_s = 60;
      const SolveResult result = solve_file(request);
      if (result.statistics.status == "time-limit") continue;
      ++n_solved;
      EXPECT_EQ(result.statistics.status, "optimal") << kind.name << " " << settings;
      EXPECT_TRUE(result.solution_check && result.solution_check->feasible) << kind.name << " " << settings;
      // The published optima have up to ten digits, and SCIP's own tolerance is relative.
      EXPECT_NEAR(result.statistics.primal_bound, GetParam().optimum, tolerance * std::abs(GetParam().optimum)) << kind.name << " " << settings;
    }
  }
  std::printf("%s: %d of %zu solved within 60 s\n", GetParam().file.c_str(), n_solved, 2 * policy_kinds().size());
  if (n_solved == 0) GTEST_SKIP() << "no policy solves it within 60 s";
}

INSTANTIATE_TEST_SUITE_P(All, SlowPublished, testing::ValuesIn(published()), [](const auto& instance) {
  std::string name;
  for (const char c : instance.param.file) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace bough::test
