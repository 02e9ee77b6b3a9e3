// SPDX-License-Identifier: Apache-2.0
//
// Feature extraction inside a solve: at some decisions of an easy instance, cached against rebuilt, Khalil's features beside them, and
// the expert's call, in which all of this disappears.
#include <objscip/objbranchrule.h>

#include <algorithm>
#include <format>
#include <stdexcept>

#include "bench/rows.hpp"
#include "bough/collect/expert.hpp"
#include "bough/instance/family.hpp"
#include "bough/observe/extract.hpp"
#include "bough/observe/khalil.hpp"
#include "bough/scip/problem.hpp"
#include "bough/scip/run.hpp"
#include "bough/scip/settings.hpp"
#include "tests/allocations.hpp"

namespace bough::bench {
namespace {

constexpr int decision_to_time = 5;  // after the root, with the cuts in place

/// Times everything at one decision and then ends the solve.
class TimingRule final : public scip::ObjBranchrule {
 public:
  TimingRule(SCIP* scip, std::string name, Row& rows, std::exception_ptr& error)
      : scip::ObjBranchrule(scip, "timing", "times feature extraction", 1'000'000, -1, 1.0), name_(std::move(name)), rows_(rows), error_(error) {}
  SCIP_DECL_BRANCHEXECLP(scip_execlp) override {
    (void)branchrule;
    (void)allowaddcons;
    *result = SCIP_DIDNOTRUN;
    return guarded(error_, [&] {
      khalil_.prepare(scip);
      if (++n_decisions_ == decision_to_time) time(scip);
    });
  }

 private:
  void time(SCIP* scip) {
    const Candidates candidates = lp_candidates(scip);
    GraphExtractor cached;
    GraphExtractor rebuilt;
    if (!(cached.extract(scip) == rebuilt.extract(scip))) throw std::runtime_error("two extractors disagree");
    // A call takes microseconds: each round is a hundred of them.
    const auto hundred = [](auto&& call) { return [call] { for (int i = 0; i < 100; ++i) call(); }; };
    const auto extract = hundred([&] { (void)cached.extract(scip); });
    const std::size_t before = test::n_allocations();
    extract();
    const std::size_t allocations = test::n_allocations() - before;
    Row row = compare(std::format("extract/{}/cached-vs-rebuilt", name_), 11,
                      hundred([&] {
                        rebuilt.begin(scip);
                        (void)rebuilt.extract(scip);
                      }),
                      extract);
    const Topology& topology = cached.extract(scip).topology;
    row.update({{"cached_us", row["second_ms"].get<double>() * 10}, {"rebuilt_us", row["first_ms"].get<double>() * 10}, {"allocations", allocations},
                {"variables", topology.n_variables()}, {"rows", topology.n_rows()}, {"edges", topology.n_edges()}, {"candidates", candidates.variables.size()}});
    rows_.push_back(row);

    std::vector<float> features;
    const auto khalil = hundred([&] { khalil_.extract(scip, candidates, features); });
    khalil();
    const std::size_t before_khalil = test::n_allocations();
    khalil();
    const std::size_t khalil_allocations = test::n_allocations() - before_khalil;
    Row khalil_row = compare(std::format("khalil/{}/khalil-vs-cached-graph", name_), 11, khalil, extract);
    khalil_row.update({{"khalil_us", khalil_row["first_ms"].get<double>() * 10}, {"allocations", khalil_allocations}});
    rows_.push_back(khalil_row);

    Expert expert;
    Label label;
    // Some of the candidates: on some families a whole call takes minutes.
    const std::size_t n_asked = std::min<std::size_t>(candidates.variables.size(), 20);
    const Candidates some{candidates.variables.first(n_asked), candidates.values.first(n_asked), candidates.fractions.first(n_asked)};
    const double candidate_ms = 1e3 * seconds([&] { (void)expert.ask(scip, some, label); }) / static_cast<double>(n_asked);
    const double ratio = candidate_ms * 1e3 / row["cached_us"].get<double>();
    const double call_ms = candidate_ms * static_cast<double>(candidates.variables.size());
    rows_.push_back(finish({{"name", std::format("expert/{}/candidate-vs-cached-graph", name_)}, {"ratio", ratio}, {"low", ratio}, {"high", ratio},
                            {"candidate_ms", candidate_ms}, {"candidates", candidates.variables.size()}, {"call_ms_extrapolated", call_ms}},
                           std::format("{:.2f} ms a candidate, {:.0f} ms for all {}", candidate_ms, call_ms, candidates.variables.size())));
    check(SCIPinterruptSolve(scip));
  }

  std::string name_;
  Row& rows_;
  std::exception_ptr& error_;
  KhalilExtractor khalil_;
  int n_decisions_ = 0;
};

}  // namespace

Row observe_rows(std::string_view only_family) {
  Row rows = Row::array();
  for (const Family& family : families()) {
    if (!only_family.empty() && family.name != only_family) continue;
    // The first instance that has enough decisions; some are solved at the root.
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::size_t before = rows.size();
      std::exception_ptr error;
      const ScipPtr scip = create_scip();
      load_problem(scip.get(), generate_instance(family, resolve_parameters(family, Size::easy), seed));
      apply_settings(scip.get(), {.preset = "paper", .seed = 0});
      set_parameter(scip.get(), "branching/pscost/priority", "900000");
      check(SCIPincludeObjBranchrule(scip.get(), new TimingRule(scip.get(), family.name + "-easy", rows, error), /*deleteobject=*/TRUE));
      (void)run(scip.get(), {}, error);
      if (rows.size() > before) break;
    }
  }
  return rows;
}

}  // namespace bough::bench
