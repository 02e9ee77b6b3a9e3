// SPDX-License-Identifier: Apache-2.0
#include "tests/nodes.hpp"

#include <objscip/objbranchrule.h>

#include <format>

#include "bough/instance/family.hpp"

namespace bough::test {
namespace {

class VisitingRule final : public scip::ObjBranchrule {
 public:
  VisitingRule(SCIP* scip, int priority, std::function<SCIP_RESULT(SCIP*)> visit, std::function<void(SCIP*)> begin)
      : scip::ObjBranchrule(scip, "visit", "calls a test at every decision", priority, -1, 1.0), visit_(std::move(visit)), begin_(std::move(begin)) {}
  SCIP_DECL_BRANCHINITSOL(scip_initsol) override {
    (void)branchrule;
    if (begin_) begin_(scip);
    return SCIP_OKAY;
  }
  SCIP_DECL_BRANCHEXECLP(scip_execlp) override {
    (void)branchrule;
    (void)allowaddcons;
    *result = SCIP_DIDNOTRUN;
    std::exception_ptr error;  // a test's visitor throws only on a failure of SCIP, which ends the solve anyway
    return guarded(error, [&] { *result = visit_(scip); });
  }

 private:
  std::function<SCIP_RESULT(SCIP*)> visit_;
  std::function<void(SCIP*)> begin_;
};

}  // namespace

RunStatistics solve_visiting(SCIP* scip, const std::function<SCIP_RESULT(SCIP*)>& visit, std::function<void(SCIP*)> begin) {
  std::exception_ptr error;
  set_parameter(scip, "branching/pscost/priority", "400000");
  include_visitor(scip, 500'000, visit, std::move(begin));
  return run(scip, {}, error);
}

void include_visitor(SCIP* scip, int priority, std::function<SCIP_RESULT(SCIP*)> visit, std::function<void(SCIP*)> begin) {
  check(SCIPincludeObjBranchrule(scip, new VisitingRule(scip, priority, std::move(visit), std::move(begin)), /*deleteobject=*/TRUE));
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family& family : families()) names.push_back(family.name);
  return names;
}

Settings plain_lp() {
  Settings settings;
  settings.overrides = {{"presolving/maxrounds", "0"},    {"separating/maxrounds", "0"},        {"separating/maxroundsroot", "0"},
                        {"propagating/maxrounds", "0"},   {"propagating/maxroundsroot", "0"},   {"conflict/enable", "FALSE"},
                        {"constraints/linear/upgrade/knapsack", "FALSE"}};
  for (const auto& off : without_heuristics()) settings.overrides.push_back(off);
  return settings;
}

std::vector<std::pair<std::string, std::string>> without_heuristics() {
  std::vector<std::pair<std::string, std::string>> off;
  const ScipPtr scip = create_scip();
  SCIP_HEUR** heuristics = SCIPgetHeurs(scip.get());
  for (int h = 0; h < SCIPgetNHeurs(scip.get()); ++h) off.emplace_back(std::format("heuristics/{}/freq", SCIPheurGetName(heuristics[h])), "-1");
  return off;
}

std::vector<std::pair<std::string, Settings>> restless_settings() {
  Settings root;
  root.preset = "paper";
  root.seed = 1;
  Settings tree;
  tree.seed = 2;
  tree.overrides = {{"separating/maxrounds", "5"}, {"separating/poolfreq", "1"}, {"lp/rowagelimit", "0"}, {"lp/colagelimit", "0"},
                    {"lp/cleanuprows", "TRUE"}, {"lp/cleanuprowsroot", "TRUE"}, {"lp/cleanupcols", "TRUE"}, {"separating/cutagelimit", "1"},
                    {"estimation/restarts/restartpolicy", "n"}, {"presolving/maxrestarts", "0"}, {"separating/maxbounddist", "1"},
                    {"separating/maxroundsroot", "2"}, {"separating/minefficacy", "1e-6"}};
  for (const char* separator : {"gomory", "zerohalf", "clique", "aggregation"}) {
    tree.overrides.emplace_back(std::format("separating/{}/freq", separator), "1");
    tree.overrides.emplace_back(std::format("separating/{}/maxbounddist", separator), "1");
  }
  Settings restarts;
  restarts.seed = 3;
  restarts.overrides = {{"estimation/restarts/restartpolicy", "a"}, {"estimation/restarts/minnodes", "5"}, {"estimation/restarts/restartlimit", "3"},
                        {"presolving/maxrestarts", "-1"}};
  std::vector<std::pair<std::string, Settings>> all{{"root cuts", root}, {"cuts in the tree", tree}, {"restarts", restarts}};
  for (auto& [name, settings] : all) {  // heuristics would solve small instances at the root; a restart needs what they find
    if (name == "restarts") continue;
    for (const auto& off : without_heuristics()) settings.overrides.push_back(off);
  }
  return all;
}

Milp mixed_milp(std::uint64_t seed) {
  Rng rng("mixed milp", seed);
  Milp milp;
  milp.name = "mixed";
  constexpr int n = 24;
  std::vector<double> point;  // feasible by construction
  for (int j = 0; j < n; ++j) {
    const double objective = rng.integer(-9, 9);
    const std::string name = std::format("x{}", j);
    switch (j % 4) {
      case 0: milp.add_binary(name, objective); point.push_back(rng.integer(0, 1)); break;
      case 1: milp.add_variable({name, objective, -4, 7, Milp::VarType::integer}); point.push_back(rng.integer(-4, 7)); break;
      case 2: milp.add_variable({name, objective, 0, 5, Milp::VarType::continuous}); point.push_back(rng.uniform(0, 5)); break;
      default: milp.add_variable({name, objective * 0.1, -Milp::infinity, Milp::infinity, Milp::VarType::continuous}); point.push_back(rng.uniform(-5, 5));
    }
  }
  for (int i = 0; i < 18; ++i) {
    std::vector<Milp::Entry> entries;
    double activity = 0;
    for (int j = 0; j < n; ++j) {
      if (!rng.bernoulli(0.4)) continue;
      entries.push_back({j, static_cast<double>(rng.integer(1, 9) * (rng.bernoulli(0.3) ? -1 : 1))});
      activity += entries.back().value * point[static_cast<std::size_t>(j)];
    }
    const double slack = rng.uniform(0, 4);
    const bool ranged = i % 4 == 2;
    const bool equality = i % 4 == 3;
    milp.add_row(std::format("c{}", i), i % 4 == 1 || ranged || equality ? activity - (equality ? 0 : slack) : -Milp::infinity,
                 i % 4 == 1 ? Milp::infinity : activity + (equality ? 0 : slack));
    for (const auto& entry : entries) milp.add_entry(entry.column, entry.value);
  }
  for (int j = 0; j < n; ++j) {  // bounds the free variables, so that the problem is bounded
    if (j % 4 != 3) continue;
    milp.add_row(std::format("bound{}", j), -20, 20);
    milp.add_entry(j, 1);
  }
  return milp;
}

}  // namespace bough::test
