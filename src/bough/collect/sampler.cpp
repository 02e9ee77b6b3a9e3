// SPDX-License-Identifier: Apache-2.0
#include "bough/collect/sampler.hpp"

#include <objscip/objbranchrule.h>
#include <objscip/objeventhdlr.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <format>
#include <limits>

#include "bough/observe/extract.hpp"
#include "bough/observe/khalil.hpp"
#include "bough/rng.hpp"
#include "bough/scip/run.hpp"

namespace bough {
namespace {

// The explorer, if it is one of SCIP's rules, is asked when the sampler leaves the node to it.
constexpr int sampler_priority = 1'000'000;
constexpr int explorer_priority = sampler_priority - 1;

/// Adds the time of a scope to a total.
class Timed {
 public:
  explicit Timed(double& total) : total_(total) {}
  ~Timed() { total_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  double& total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Watches the decisions of one solve and keeps those that fall into windows.
class Sampler {
 public:
  Sampler(const EpisodeRequest& request, SampledEpisode& result) : request_(request), options_(request.sampling), result_(result), rng_("windows", request.seed) {}

  /// A run of branch and bound begins.
  void begin(SCIP* scip) {
    extractor_.begin(scip);
    request_.explorer->begin(scip);
  }

  /// One decision of the solve.  Returns what SCIP has to be told.
  SCIP_RESULT decide(SCIP* scip) {
    if (window_.size() == static_cast<std::size_t>(options_.window)) close_window();
    if (!in_window_) in_window_ = opens_window();
    if (!in_window_ && enough()) {
      result_.end = "enough";
      check(SCIPinterruptSolve(scip));
      return SCIP_DIDNOTRUN;
    }
    const Candidates all = lp_candidates(scip);
    if (all.variables.empty()) return SCIP_DIDNOTRUN;  // fractional are only variables that other ones imply
    variables_.assign(all.variables.begin(), all.variables.end());
    pending_ = false;
    if (options_.khalil) {
      const Timed timed(result_.observe_time_s);
      khalil_.prepare(scip);  // at every node, so that the static features are those of the root
    }

    const bool wants_label = in_window_ && (options_.labels == Labels::all || window_.size() + 1 == static_cast<std::size_t>(options_.window));
    std::optional<NoLabel> trouble;
    const Candidates candidates = wants_label ? asked_of(all) : all;
    kept_.assign(candidates.variables.begin(), candidates.variables.end());
    if (in_window_) observe(scip, all);
    {
      const Timed timed(result_.expert_time_s);
      if (wants_label) {
        trouble = expert_.ask(scip, candidates, label_);
      } else {
        Expert::ask_nothing(scip);
      }
    }
    if (trouble) ++result_.unlabelled[static_cast<std::size_t>(*trouble)];
    const bool labelled = wants_label && !trouble;
    const bool expert_decides = wants_label && options_.follow == Follow::expert;
    if (labelled) {
      window_.back().label = label_;
      ++n_labels_;
      if (request_.on_label) request_.on_label();
    }
    ++result_.n_decisions;
    const bool explorer_scores = request_.explorer->scip_rule().empty();
    if (explorer_scores) {  // also where the expert decides: a network remembers every decision
      const Timed timed(result_.observe_time_s);
      scores_.assign(variables_.size(), 0.0);
      request_.explorer->score(scip, lp_candidates(scip), scores_);
    }
    if (labelled && expert_decides) {
      if (!ends_node(label_)) return branch(scip, kept_[static_cast<std::size_t>(label_.choice)]);
      window_.back().chosen = label_.choice;  // two children that SCIP would prune; like its own rule, we do not make them
      return SCIP_CUTOFF;
    }
    if (!explorer_scores) {
      pending_ = in_window_;
      return SCIP_DIDNOTRUN;
    }
    if (!std::ranges::all_of(scores_, [](double s) { return std::isfinite(s); })) {
      ++result_.n_fallbacks;
      pending_ = in_window_;
      return SCIP_DIDNOTRUN;
    }
    return branch(scip, variables_[static_cast<std::size_t>(std::ranges::max_element(scores_) - scores_.begin())]);
  }

  /// SCIP has branched at the focus node, by whichever rule: remembers on what.
  void branched(SCIP* scip) {
    if (!pending_) return;
    pending_ = false;
    SCIP_NODE** children = nullptr;
    int n_children = 0;
    check(SCIPgetChildren(scip, &children, &n_children));
    if (n_children == 0) return;
    SCIP_VAR* variable = nullptr;
    double bound = 0;
    SCIP_BOUNDTYPE type = SCIP_BOUNDTYPE_LOWER;
    int n = 0;
    SCIPnodeGetParentBranchings(children[0], &variable, &bound, &type, &n, 1);
    if (n == 1) set_chosen(variable);
  }

  void finish() {
    close_window();
    // Topologies whose windows were given up again are of no use.
    Episode& episode = result_.episode;
    std::vector<std::int32_t> place(episode.topologies.size(), -1);
    std::vector<Topology> used;
    for (State& state : episode.states) {
      std::int32_t& to = place[static_cast<std::size_t>(state.topology)];
      if (to < 0) {
        to = static_cast<std::int32_t>(used.size());
        used.push_back(std::move(episode.topologies[static_cast<std::size_t>(state.topology)]));
      }
      state.topology = to;
    }
    episode.topologies = std::move(used);
  }

 private:
  [[nodiscard]] bool enough() const { return n_labels_ >= options_.max_labels; }
  bool opens_window() { return !enough() && (options_.start == Start::first || rng_.bernoulli(options_.probability)); }

  /// All, or as many as the expert is to be asked about.
  Candidates asked_of(const Candidates& all) {
    const auto n = static_cast<std::size_t>(options_.max_candidates);
    if (n == 0 || all.variables.size() <= n) return all;
    auto places = rng_.permutation(static_cast<std::int32_t>(all.variables.size()));
    places.resize(n);
    std::ranges::sort(places);
    asked_.clear(), asked_values_.clear(), asked_fractions_.clear();
    for (const auto k : places) {
      const auto place = static_cast<std::size_t>(k);
      asked_.push_back(all.variables[place]);
      asked_values_.push_back(all.values[place]);
      asked_fractions_.push_back(all.fractions[place]);
    }
    return {asked_, asked_values_, asked_fractions_};
  }

  /// The node as a new state of the window, with the candidates in kept_.
  void observe(SCIP* scip, const Candidates& all) {
    const Timed timed(result_.observe_time_s);
    const BipartiteGraph& graph = extractor_.extract(scip);
    if (extractor_.topology_version() != stored_version_) {
      stored_version_ = extractor_.topology_version();
      result_.episode.topologies.push_back(graph.topology);
    }
    State& state = window_.emplace_back();
    state.topology = static_cast<std::int32_t>(result_.episode.topologies.size()) - 1;
    state.variable_features = graph.variable_features;
    state.row_features = graph.row_features;
    locate_candidates(kept_, state.candidates);
    if (options_.khalil) {  // some features compare a candidate with all the others, also with those that are not kept
      khalil_.extract(scip, all, khalil_of_all_);
      std::size_t place = 0;
      for (SCIP_VAR* variable : kept_) {
        while (all.variables[place] != variable) ++place;  // kept_ is in the order of all
        const float* row = khalil_of_all_.data() + place * n_khalil_features;
        state.khalil.insert(state.khalil.end(), row, row + n_khalil_features);
      }
    }
    state.decision = result_.n_decisions;
    state.node = SCIPnodeGetNumber(SCIPgetCurrentNode(scip));
    state.depth = SCIPgetDepth(scip);
    state.lp_objective = SCIPgetLPObjval(scip);
    state.dual_bound = SCIPgetLowerbound(scip);
    state.primal_bound = SCIPisInfinity(scip, SCIPgetUpperbound(scip)) ? std::numeric_limits<double>::infinity() : SCIPgetUpperbound(scip);
  }

  SCIP_RESULT branch(SCIP* scip, SCIP_VAR* variable) {
    check(SCIPbranchVar(scip, variable, nullptr, nullptr, nullptr));
    if (in_window_) set_chosen(variable);
    return SCIP_BRANCHED;
  }

  void set_chosen(const SCIP_VAR* variable) {
    const auto place = std::ranges::find(kept_, variable);
    if (place != kept_.end()) window_.back().chosen = static_cast<std::int32_t>(place - kept_.begin());
  }

  /// A window without a label teaches nothing.
  void close_window() {
    const Timed timed(result_.observe_time_s);
    if (std::ranges::any_of(window_, [](const State& state) { return state.label.has_value(); })) {
      Episode& episode = result_.episode;
      for (State& state : window_) episode.states.push_back(std::move(state));
      episode.window_start.push_back(static_cast<std::int32_t>(episode.states.size()));
    }
    window_.clear();
    in_window_ = false;
    pending_ = false;
  }

  const EpisodeRequest& request_;
  const Sampling& options_;
  SampledEpisode& result_;
  Rng rng_;
  GraphExtractor extractor_;
  KhalilExtractor khalil_;
  Expert expert_;
  Label label_;
  std::vector<SCIP_VAR*> variables_;  // (n_candidates)
  std::vector<double> scores_;        // (n_candidates)
  std::vector<SCIP_VAR*> kept_;       // (n_kept)  the candidates in the last state
  std::vector<float> khalil_of_all_;  // (n_candidates, 72)
  std::vector<SCIP_VAR*> asked_;      // (max_candidates)  those that were drawn
  std::vector<double> asked_values_, asked_fractions_;
  std::vector<State> window_;         ///< the open window
  bool in_window_ = false;
  bool pending_ = false;              ///< the last state waits to hear what SCIP branched on
  std::uint64_t stored_version_ = 0;
  int n_labels_ = 0;
};

class SamplerRule final : public scip::ObjBranchrule {
 public:
  SamplerRule(SCIP* scip, Sampler& sampler, std::exception_ptr& error)
      : scip::ObjBranchrule(scip, "bough-sampler", "takes samples, then follows the expert or the explorer", sampler_priority, -1, 1.0),
        sampler_(sampler), error_(error) {}
  SCIP_DECL_BRANCHINITSOL(scip_initsol) override {
    (void)branchrule;
    return guarded(error_, [&] { sampler_.begin(scip); });
  }
  SCIP_DECL_BRANCHEXECLP(scip_execlp) override {
    (void)branchrule;
    (void)allowaddcons;
    *result = SCIP_DIDNOTRUN;
    return guarded(error_, [&] { *result = sampler_.decide(scip); });
  }

 private:
  Sampler& sampler_;
  std::exception_ptr& error_;
};

class BranchingWatcher final : public scip::ObjEventhdlr {
 public:
  BranchingWatcher(SCIP* scip, Sampler& sampler, std::exception_ptr& error)
      : scip::ObjEventhdlr(scip, "bough-sampler", "sees what SCIP's own rules branch on"), sampler_(sampler), error_(error) {}
  SCIP_DECL_EVENTINIT(scip_init) override { return SCIPcatchEvent(scip, SCIP_EVENTTYPE_NODEBRANCHED, eventhdlr, nullptr, nullptr); }
  SCIP_DECL_EVENTEXIT(scip_exit) override { return SCIPdropEvent(scip, SCIP_EVENTTYPE_NODEBRANCHED, eventhdlr, nullptr, -1); }
  SCIP_DECL_EVENTEXEC(scip_exec) override {
    (void)eventhdlr;
    (void)event;
    (void)eventdata;
    return guarded(error_, [&] { sampler_.branched(scip); });
  }

 private:
  Sampler& sampler_;
  std::exception_ptr& error_;
};

}  // namespace

void refuse_other_rules(SCIP* scip) { refuse_rules_above(scip, "bough-sampler", sampler_priority); }

SampledEpisode sample_episode(const EpisodeRequest& request) {
  SampledEpisode result;
  // Declared before `scip`: what SCIP owns refers to them until it is freed.
  std::exception_ptr callback_error;
  Sampler sampler(request, result);
  const ScipPtr owner = create_scip();
  SCIP* scip = owner.get();
  request.load(scip);
  Settings settings = request.settings;
  settings.node_limit = request.sampling.max_nodes;
  apply_settings(scip, settings);
  if (const std::string_view rule = request.explorer->scip_rule(); !rule.empty()) {
    set_parameter(scip, std::format("branching/{}/priority", rule), std::to_string(explorer_priority));
  }
  check(SCIPincludeObjBranchrule(scip, new SamplerRule(scip, sampler, callback_error), /*deleteobject=*/TRUE));
  check(SCIPincludeObjEventhdlr(scip, new BranchingWatcher(scip, sampler, callback_error), /*deleteobject=*/TRUE));
  const RunStatistics statistics = [&] {
    const Timed timed(result.solve_time_s);
    return run(scip, {.on_root_done = request.on_root_done, .time_limit_after_root_s = time_limit_after_root(settings)}, callback_error);
  }();
  sampler.finish();
  if (result.end.empty()) result.end = statistics.status;
  result.n_nodes = statistics.n_nodes;
  return result;
}

}  // namespace bough
