// SPDX-License-Identifier: Apache-2.0
//
// What a decision costs: extraction and inference at consecutive decisions of a live solve, each network natively and in eager
// libtorch at the same node, one after the other.  Weights are random: the time does not depend on them.
#include <objscip/objbranchrule.h>

#include <algorithm>
#include <cmath>
#include <format>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bench/roofline.hpp"
#include "bench/rows.hpp"
#include "bough/instance/family.hpp"
#include "bough/model/scorer.hpp"
#include "bough/observe/extract.hpp"
#include "bough/observe/policy.hpp"
#include "bough/scip/problem.hpp"
#include "bough/scip/run.hpp"
#include "bough/scip/settings.hpp"
#include "tests/allocations.hpp"
#include "tests/models.hpp"
#include "tests/train/plain.hpp"

namespace bough::bench {
namespace {

constexpr int first_timed = 6;        // after the root, with the memory full
constexpr int n_timed = 21;
constexpr double solve_limit_s = 240;  // to get there; some roots of medium size take longer

const std::vector<Architecture>& contenders() {
  static const std::vector<Architecture> all{{.network = Network::tgat, .attention = Attention::concat},
                                             {.network = Network::tgat, .attention = Attention::sum},
                                             {.network = Network::gat, .attention = Attention::concat},
                                             {.network = Network::gcnn, .d = 32},
                                             {.network = Network::gcnn, .d = 64}};
  return all;
}

std::string name_of(const Architecture& a) {
  std::string name(network_names[static_cast<std::size_t>(a.network)]);
  if (a.attends() && a.attention == Attention::sum) name += "-sum";
  if (a.d != 32) name += std::format("-d{}", a.d);
  return name;
}

/// One network at one family's nodes.
struct Contender {
  explicit Contender(const Architecture& architecture)
      : name(name_of(architecture)), model(test::random_model(architecture, 1)), scorer(model), eager(model) {}

  std::string name;
  Model model;
  Scorer scorer;
  test::PlainDecider eager;
  std::vector<double> native_s, eager_s;  // (n_timed)
  std::size_t n_allocations = 0;
};

/// Lets SCIP decide and times what a policy would have done.
class DecisionRule final : public scip::ObjBranchrule {
 public:
  DecisionRule(SCIP* scip, std::string name, Row& rows, std::exception_ptr& error)
      : scip::ObjBranchrule(scip, "timing", "times decisions", 1'000'000, -1, 1.0), name_(std::move(name)), rows_(rows), error_(error) {
    for (const Architecture& architecture : contenders()) contenders_.emplace_back(architecture);
  }
  SCIP_DECL_BRANCHEXECLP(scip_execlp) override {
    (void)branchrule;
    (void)allowaddcons;
    *result = SCIP_DIDNOTRUN;
    return guarded(error_, [&] {
      if (n_decisions_ < first_timed + n_timed) time(scip);
      if (++n_decisions_ < first_timed + n_timed) return;
      report();
      check(SCIPinterruptSolve(scip));
    });
  }

 private:
  void time(SCIP* scip) {
    const bool timed = n_decisions_ >= first_timed;
    const Candidates candidates = lp_candidates(scip);
    const BipartiteGraph* graph = nullptr;
    const double extract_s = seconds([&] {
      graph = &extractor_.extract(scip);
      locate_candidates(candidates.variables, columns_);
    });
    native_.resize(columns_.size());
    eager_.resize(columns_.size());
    for (Contender& c : contenders_) {
      const std::uint64_t version = extractor_.topology_version();
      std::size_t allocations = 0;
      const double native_s = seconds([&] {  // the function object itself is allocated; what it calls must not be
        const std::size_t before = test::n_allocations();
        c.scorer.score(*graph, version, columns_, native_);
        allocations = test::n_allocations() - before;
      });
      const double eager_s = seconds([&] { c.eager.score(*graph, version, columns_, eager_); });
      const auto [low, high] = std::ranges::minmax(eager_);
      const float tolerance = std::max(1e-4F * (high - low), 1e-5F * std::max(std::abs(low), std::abs(high)));  // one candidate has no range
      for (std::size_t k = 0; k < native_.size(); ++k) {
        if (std::abs(native_[k] - eager_[k]) > tolerance) {
          throw std::runtime_error(std::format("{} disagrees with libtorch at {}: candidate {} of {} has {}, not {}, of logits from {} to {}", c.name, name_, k, native_.size(), native_[k], eager_[k], low, high));
        }
      }
      if (!timed) continue;
      c.native_s.push_back(native_s);
      c.eager_s.push_back(eager_s);
      c.n_allocations += allocations;
    }
    if (!timed) return;
    extract_s_.push_back(extract_s);
    n_candidates_.push_back(static_cast<double>(columns_.size()));
    topology_ = &graph->topology;
  }

  void report() {
    for (const Contender& c : contenders_) {
      std::vector<double> ratios, totals;
      for (std::size_t i = 0; i < extract_s_.size(); ++i) {
        totals.push_back(extract_s_[i] + c.native_s[i]);
        ratios.push_back((extract_s_[i] + c.eager_s[i]) / totals.back());
      }
      Row row{{"name", std::format("decision/{}/{}/native-vs-libtorch", c.name, name_)}, {"ratio", median(ratios)}, {"low", std::ranges::min(ratios)}, {"high", std::ranges::max(ratios)},
              {"extract_us", 1e6 * median(extract_s_)}, {"infer_us", 1e6 * median(c.native_s)}, {"total_us", 1e6 * median(totals)}, {"libtorch_us", 1e6 * median(c.eager_s)},
              {"allocations", c.n_allocations}, {"decisions", extract_s_.size()}, {"candidates", median(n_candidates_)},
              {"variables", topology_->n_variables()}, {"rows", topology_->n_rows()}, {"edges", topology_->n_edges()}};
      const std::string remark = std::format("{:.0f} us extract + {:.0f} us infer : {:.1f} ms", row["extract_us"].get<double>(), row["infer_us"].get<double>(), row["libtorch_us"].get<double>() / 1e3);
      rows_.push_back(finish(row, remark));
      if (name_ == "setcover-easy") rows_.push_back(roofline_row(c.name, c.model.architecture, *topology_, median(n_candidates_), median(c.native_s)));
    }
  }

  std::string name_;
  Row& rows_;
  std::exception_ptr& error_;
  GraphExtractor extractor_;
  std::vector<Contender> contenders_;
  std::vector<std::int32_t> columns_;
  std::vector<float> native_, eager_;        // (n_candidates)
  std::vector<double> extract_s_, n_candidates_;  // (n_timed)
  const Topology* topology_ = nullptr;
  int n_decisions_ = 0;
};

}  // namespace

Row decision_rows(std::string_view only) {
  Row rows = Row::array();
  for (const Family& family : families()) {
    for (const Size size : {Size::easy, Size::medium}) {
      const std::string name = std::format("{}-{}", family.name, size_names[static_cast<std::size_t>(size)]);
      if (!only.empty() && name != only) continue;
      const std::size_t before = rows.size();
      // The first instance that has enough decisions; some are solved at the root.
      for (std::uint64_t seed = 0; seed < 10 && rows.size() == before; ++seed) {
        std::exception_ptr error;
        const ScipPtr scip = create_scip();
        load_problem(scip.get(), generate_instance(family, resolve_parameters(family, size), seed));
        apply_settings(scip.get(), {.preset = "paper", .seed = 0, .time_limit_s = solve_limit_s});
        set_parameter(scip.get(), "branching/pscost/priority", "900000");
        check(SCIPincludeObjBranchrule(scip.get(), new DecisionRule(scip.get(), name, rows, error), /*deleteobject=*/TRUE));
        const RunStatistics statistics = run(scip.get(), {}, error);
        if (statistics.time_s >= solve_limit_s) break;
      }
      if (rows.size() == before) {
        rows.push_back(finish({{"name", std::format("decision/tgat/{}/native-vs-libtorch", name)}, {"ratio", 0.0}, {"low", 0.0}, {"high", 0.0}},
                              std::format("not measured: fewer than {} decisions in {:.0f} s", first_timed + n_timed, solve_limit_s)));
      }
    }
  }
  return rows;
}

}  // namespace bough::bench
