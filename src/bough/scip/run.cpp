// SPDX-License-Identifier: Apache-2.0
#include "bough/scip/run.hpp"

#include <objscip/objeventhdlr.h>

#include <cstdio>
#include <cstdlib>
#include <format>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "bough/milp.hpp"
#include "bough/scip/interrupt.hpp"
#include "bough/scip/settings.hpp"
#include "bough/scip/solution.hpp"
#include "bough/stop.hpp"

namespace bough {
namespace {

double unbounded_as_infinity(SCIP* scip, double value) {
  return SCIPisInfinity(scip, value) ? Milp::infinity : SCIPisInfinity(scip, -value) ? -Milp::infinity : value;
}

TracePoint now(SCIP* scip) {
  TracePoint point{SCIPgetSolvingTime(scip), unbounded_as_infinity(scip, SCIPgetPrimalbound(scip)), unbounded_as_infinity(scip, SCIPgetDualbound(scip)),
                   unbounded_as_infinity(scip, SCIPgetGap(scip)), SCIPgetNTotalNodes(scip)};
  if (misses_objective_limit(scip)) {
    point.primal_bound = SCIPgetObjsense(scip) == SCIP_OBJSENSE_MAXIMIZE ? -Milp::infinity : Milp::infinity;
    point.gap = Milp::infinity;
  }
  return point;
}

/// What all branching rules took until now, strong branching included.
double branching_time(SCIP* scip) {
  double total = 0;
  for (SCIP_BRANCHRULE* rule : std::span(SCIPgetBranchrules(scip), static_cast<std::size_t>(SCIPgetNBranchrules(scip)))) total += SCIPbranchruleGetTime(rule);
  return total;
}

/// Time, and what branching rules took of it.
struct Span {
  double time_s = 0;
  double branching_s = 0;

  Span operator-(const Span& other) const { return {time_s - other.time_s, branching_s - other.branching_s}; }
};

/// Since the solve began.
Span elapsed(SCIP* scip) { return {SCIPgetSolvingTime(scip), branching_time(scip)}; }

/// Watches the bounds, tells root nodes from trees, and passes on a stop that was asked for before SCIP listened.
class Watcher final : public scip::ObjEventhdlr {
 public:
  Watcher(SCIP* scip, const RunOptions& options, std::exception_ptr& error)
      : scip::ObjEventhdlr(scip, "bough-watch", "follows the bounds and the root node"), options_(options), error_(error) {}

  /// What was not spent in a tree, that is below a root node: SCIP may restart out of one.
  [[nodiscard]] Span outside_trees(SCIP* scip) const { return (tree_start_ ? *tree_start_ : elapsed(scip)) - in_trees_; }

  /// SCIP owns the watcher and sends events once more while it frees the tree, when the caller's options are gone.
  void close() { open_ = false; }

  SCIP_DECL_EVENTINIT(scip_init) override {
    return SCIPcatchEvent(scip, events, eventhdlr, nullptr, nullptr);
  }
  SCIP_DECL_EVENTEXIT(scip_exit) override {
    return SCIPdropEvent(scip, events, eventhdlr, nullptr, -1);
  }
  /// The end of a run: a restart, or the end of the solve's data.
  SCIP_DECL_EVENTEXITSOL(scip_exitsol) override {
    (void)eventhdlr;
    if (!open_ || !tree_start_) return SCIP_OKAY;
    return guarded(error_, [&] {
      const Span tree = elapsed(scip) - *tree_start_;
      in_trees_ = {in_trees_.time_s + tree.time_s, in_trees_.branching_s + tree.branching_s};
      tree_start_.reset();
    });
  }
  SCIP_DECL_EVENTEXEC(scip_exec) override {
    (void)eventhdlr;
    (void)eventdata;
    if (!open_) return SCIP_OKAY;
    return guarded(error_, [&] {
      if (stop_signal() != 0) check(SCIPinterruptSolve(scip));
      if ((SCIPeventGetType(event) & SCIP_EVENTTYPE_NODESOLVED) != 0 && SCIPgetDepth(scip) == 0) root_is_done(scip);
      report(scip);
    });
  }

 private:
  static constexpr SCIP_EVENTTYPE events = SCIP_EVENTTYPE_GAPUPDATED | SCIP_EVENTTYPE_NODESOLVED | SCIP_EVENTTYPE_LPEVENT;

  void root_is_done(SCIP* scip) {
    if (tree_start_) return;
    tree_start_ = elapsed(scip);
    if (std::exchange(had_root_, true)) return;
    if (options_.on_root_done) options_.on_root_done();
    if (options_.time_limit_after_root_s) {
      set_parameter(scip, "limits/time", std::format("{}", tree_start_->time_s - tree_start_->branching_s + *options_.time_limit_after_root_s));
    }
  }

  void report(SCIP* scip) {
    if (!options_.on_progress) return;
    const TracePoint point = now(scip);
    if (reported_ && point.primal_bound == primal_ && point.dual_bound == dual_) return;
    reported_ = true;
    primal_ = point.primal_bound;
    dual_ = point.dual_bound;
    options_.on_progress(point);
  }

  const RunOptions& options_;
  std::exception_ptr& error_;
  std::optional<Span> tree_start_;  // of this run
  Span in_trees_;                   // of runs before
  bool had_root_ = false;
  bool open_ = true;
  bool reported_ = false;
  double primal_ = 0;
  double dual_ = 0;
};

struct Outcome {
  const char* text;
  bool proven;
};

Outcome outcome_of(SCIP_STATUS status) {
  switch (status) {
    case SCIP_STATUS_OPTIMAL: return {"optimal", true};
    case SCIP_STATUS_INFEASIBLE: return {"infeasible", true};
    case SCIP_STATUS_UNBOUNDED: return {"unbounded", true};
    case SCIP_STATUS_INFORUNBD: return {"infeasible-or-unbounded", true};
    case SCIP_STATUS_USERINTERRUPT:
    case SCIP_STATUS_TERMINATE: return {"interrupted", false};
    case SCIP_STATUS_NODELIMIT:
    case SCIP_STATUS_TOTALNODELIMIT:
    case SCIP_STATUS_STALLNODELIMIT: return {"node-limit", false};
    case SCIP_STATUS_TIMELIMIT: return {"time-limit", false};
    case SCIP_STATUS_MEMLIMIT: return {"memory-limit", false};
    case SCIP_STATUS_GAPLIMIT: return {"gap-limit", false};
    case SCIP_STATUS_SOLLIMIT:
    case SCIP_STATUS_BESTSOLLIMIT: return {"solution-limit", false};
    case SCIP_STATUS_PRIMALLIMIT: return {"primal-limit", false};
    case SCIP_STATUS_DUALLIMIT: return {"dual-limit", false};
    case SCIP_STATUS_RESTARTLIMIT: return {"restart-limit", false};
    case SCIP_STATUS_UNKNOWN: break;
  }
  return {"unknown", false};
}

std::optional<double> node_lp_time(const nlohmann::json& statistics) {
  const auto lp = statistics.find("lp");
  if (lp == statistics.end()) return std::nullopt;
  double total = 0;
  for (const char* kind : {"primal_lp", "dual_lp", "barrier_lp", "lex_dual_lp", "resolve_lp"}) {
    if (const auto part = lp->find(kind); part != lp->end()) total += part->value("time", 0.0);
  }
  return total;
}

nlohmann::json scip_statistics(SCIP* scip) {
  char* raw = nullptr;
  std::size_t length = 0;
  FILE* stream = ::open_memstream(&raw, &length);
  if (stream == nullptr) return nullptr;
  const SCIP_RETCODE code = SCIPprintStatisticsJson(scip, stream);
  (void)std::fclose(stream);
  const std::unique_ptr<char, void (*)(void*)> text(raw, std::free);
  check(code);
  auto parsed = nlohmann::json::parse(raw, raw + length, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? nlohmann::json(nullptr) : parsed;
}

}  // namespace

RunStatistics run(SCIP* scip, const RunOptions& options, std::exception_ptr& callback_error) {
  auto* watcher = new Watcher(scip, options, callback_error);
  check(SCIPincludeObjEventhdlr(scip, watcher, /*deleteobject=*/TRUE));  // SCIP owns it from here on
  SCIP_RETCODE code = SCIP_OKAY;
  {
    const StoppableSolve stoppable(scip);
    if (stop_signal() != 0) set_parameter(scip, "limits/time", "0");
    code = SCIPsolve(scip);
  }
  watcher->close();
  if (callback_error) std::rethrow_exception(callback_error);
  check(code);

  const TracePoint end = now(scip);
  auto [status, proven] = outcome_of(SCIPgetStatus(scip));
  if (SCIPgetStatus(scip) == SCIP_STATUS_INFEASIBLE && misses_objective_limit(scip)) status = "objective-limit";  // nothing better than the limit: no more is proven
  RunStatistics statistics;
  statistics.status = stop_signal() != 0 && !proven ? "interrupted" : status;
  statistics.proven = proven;
  statistics.maximise = SCIPgetObjsense(scip) == SCIP_OBJSENSE_MAXIMIZE;
  statistics.primal_bound = end.primal_bound;
  statistics.dual_bound = end.dual_bound;
  statistics.gap = end.gap;
  statistics.n_nodes = end.n_nodes;
  statistics.time_s = end.time_s;
  statistics.n_solutions = SCIPgetNSolsFound(scip);
  statistics.n_runs = SCIPgetNRuns(scip);
  statistics.n_lp_iterations = SCIPgetNLPIterations(scip);
  statistics.n_strong_branching_iterations = SCIPgetNStrongbranchLPIterations(scip);
  const bool searched = SCIPgetStage(scip) >= SCIP_STAGE_SOLVING;
  statistics.max_depth = searched ? SCIPgetMaxTotalDepth(scip) : 0;
  statistics.presolve_time_s = SCIPgetPresolvingTime(scip);
  statistics.branching_time_s = branching_time(scip);
  const Span root = watcher->outside_trees(scip);
  statistics.root_time_s = root.time_s;
  statistics.root_branching_time_s = root.branching_s;
  for (SCIP_BRANCHRULE* rule : std::span(SCIPgetBranchrules(scip), static_cast<std::size_t>(SCIPgetNBranchrules(scip)))) {
    statistics.n_branching_reductions += SCIPbranchruleGetNDomredsFound(rule);
    statistics.n_branching_cutoffs += SCIPbranchruleGetNCutoffs(rule);
  }
  for (SCIP_HEUR* heuristic : std::span(SCIPgetHeurs(scip), static_cast<std::size_t>(SCIPgetNHeurs(scip)))) statistics.heuristics_time_s += SCIPheurGetTime(heuristic);
  const nlohmann::json own = scip_statistics(scip);
  statistics.lp_time_s = node_lp_time(own);
  statistics.scip_statistics = own.dump();
  return statistics;
}

}  // namespace bough
