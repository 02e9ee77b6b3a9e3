// SPDX-License-Identifier: Apache-2.0
#include "bough/branch/policies.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <format>

#include "bough/branch/model_policy.hpp"
#include "bough/error.hpp"
#include "bough/rng.hpp"

namespace bough {
namespace {

/// One of SCIP's own rules; the name is a template argument so that a kind stays a plain function pointer.
template <const char* rule>
class ScipRule final : public Policy {
 public:
  [[nodiscard]] std::string_view scip_rule() const override { return rule; }
  static std::unique_ptr<Policy> make(std::uint64_t /*seed*/) { return std::make_unique<ScipRule>(); }
};
constexpr char fullstrong[] = "fullstrong";
constexpr char vanillafullstrong[] = "vanillafullstrong";
constexpr char pscost[] = "pscost";
constexpr char relpscost[] = "relpscost";

/// Uniform among the candidates: the floor that every rule has to beat.
class Random final : public Policy {
 public:
  explicit Random(std::uint64_t seed) : rng_("random policy", seed) {}
  void score(SCIP* /*scip*/, const Candidates& /*candidates*/, std::span<double> scores) override {
    for (double& score : scores) score = rng_.uniform();
  }
  static std::unique_ptr<Policy> make(std::uint64_t seed) { return std::make_unique<Random>(seed); }

 private:
  Rng rng_;
};

constexpr std::array kinds{
    PolicyKind{"fullstrong", "SCIP's full strong branching: both children's LPs for every candidate, bounds tightened on the way", ScipRule<fullstrong>::make},
    PolicyKind{"pscost", "SCIP's pseudo-cost branching", ScipRule<pscost>::make},
    PolicyKind{"random", "a candidate at random, by the run's seed", Random::make},
    PolicyKind{"relpscost", "SCIP's default: pseudo costs, made reliable by strong branching", ScipRule<relpscost>::make},
    PolicyKind{"vanillafullstrong", "full strong branching without side effects: the scores that a teacher gives", ScipRule<vanillafullstrong>::make},
};

}  // namespace

std::span<const PolicyKind> policy_kinds() { return kinds; }

bool is_model_file(const std::string& policy) {
  if (std::ranges::find(kinds, policy, &PolicyKind::name) != kinds.end()) return false;
  std::error_code ignored;
  return policy.ends_with(".safetensors") || std::filesystem::exists(policy, ignored);
}

std::unique_ptr<Policy> make_policy(const std::string& name, std::uint64_t seed) {
  if (is_model_file(name)) return std::make_unique<ModelPolicy>(read_model(name));
  std::string names;
  for (const PolicyKind& kind : kinds) {
    if (kind.name == name) return kind.make(seed);
    names += (names.empty() ? "" : ", ") + std::string(kind.name);
  }
  throw Error(ExitCode::usage, std::format("unknown policy '{}'", name), "policies: " + names + ", or a model file that 'bough train' wrote");
}

}  // namespace bough
