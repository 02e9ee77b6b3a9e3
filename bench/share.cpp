// SPDX-License-Identifier: Apache-2.0
//
// How much of a solve is the policy: easy set covering, the first nodes after the root.  Weights are random: neither the network's
// time nor an LP's depends on how good a choice was.
#include <algorithm>
#include <format>
#include <stdexcept>
#include <vector>

#include "bench/rows.hpp"
#include "bough/branch/solve.hpp"
#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/instance/write.hpp"
#include "tests/models.hpp"

namespace bough::bench {

Row share_row() {
  const TemporaryDirectory temporary;
  const Family& family = family_by_name("setcover");
  std::vector<double> shares;
  double policy_s = 0, total_s = 0;
  std::int64_t n_decisions = 0;
  const auto model = temporary.path() / "tgat.safetensors";
  write_file(model, model_bytes(test::random_model({.network = Network::tgat}, 1)));
  constexpr std::int64_t n_nodes = 200;  // about what a good rule needs on such an instance
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto file = temporary.path() / "instance.mps.gz";
    write_milp(generate_instance(family, resolve_parameters(family, Size::easy), seed), file);
    SolveRequest request;
    request.instance = file;
    request.policy = model.string();
    request.settings.node_limit = n_nodes;
    request.settings.preset = "paper";
    request.settings.seed = 0;
    const SolveResult result = solve_file(request);
    if (result.branching.n_decisions == 0 || result.branching.n_fallbacks > 0) throw std::runtime_error("the policy did not decide");
    shares.push_back(result.branching.total_s / result.statistics.time_s);
    policy_s += result.branching.total_s;
    total_s += result.statistics.time_s;
    n_decisions += result.branching.n_decisions;
  }
  return finish({{"name", "share/tgat/setcover-easy/policy-of-solve"}, {"ratio", policy_s / total_s}, {"low", std::ranges::min(shares)}, {"high", std::ranges::max(shares)},
                 {"instances", shares.size()}, {"decisions", n_decisions}, {"policy_s", policy_s}, {"solve_s", total_s}},
                std::format("{:.2f} s of {:.1f} s, {} decisions", policy_s, total_s, n_decisions));
}

}  // namespace bough::bench
