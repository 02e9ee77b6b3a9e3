// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <format>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "bough/report/cells.hpp"
#include "bough/report/paper.hpp"
#include "bough/report/places.hpp"
#include "bough/report/tables.hpp"

namespace bough {
namespace {

/// The paper's limits as far as the suite goes, and the suite's own; quarters of a limit that is shorter than all of them.
std::vector<double> reward_limits(double time_limit_s) {
  if (time_limit_s < paper_time_limits_s[0]) return {time_limit_s / 4, time_limit_s / 2, time_limit_s * 3 / 4, time_limit_s};
  std::vector<double> limits;
  for (const int limit : paper_time_limits_s) {
    if (limit < time_limit_s) limits.push_back(limit);
  }
  limits.push_back(time_limit_s);
  return limits;
}

bool has_rewards(const Place& place) {
  return place.evaluation->time_limit_s > 0 && (place.group->family == "loadbalance" || place.group->family == "maritime" || place.evaluation->settings == "ml4co");
}

/// The runs of an (instance, seed) by policy, in the suite's order.
using Heat = std::vector<const RunRecord*>;

/// Those in which every policy has left a dual bound: a run that crashed must not lower the others' means, nor raise its own.
std::vector<Heat> traced_heats(const Place& place) {
  const auto has_bound = [](const RunRecord& run) { return run.end == "done" && std::ranges::any_of(run.trace, [](const BoundPoint& point) { return std::isfinite(point.dual); }); };
  std::map<std::pair<std::string, std::uint32_t>, std::map<std::string, const RunRecord*>> found;
  for (const RunRecord& run : place.evaluation->runs) {
    if (run.group == place.group->name && has_bound(run)) found[{run.instance, run.seed}][run.policy] = &run;
  }
  const std::vector<std::string> policies = policies_in(*place.evaluation, place.group->name);
  std::vector<Heat> heats;
  for (const auto& [key, by_policy] : found) {
    Heat heat;
    for (const std::string& policy : policies) {
      if (const auto run = by_policy.find(policy); run != by_policy.end()) heat.push_back(run->second);
    }
    if (heat.size() == policies.size()) heats.push_back(std::move(heat));
  }
  return heats;
}

/// The optimum of an instance, from the reference or from any run that proved it.
std::optional<double> optimum_of(const Place& place, const std::string& instance) {
  if (const auto found = place.evaluation->references.find(place.group->name + "/" + instance); found != place.evaluation->references.end()) return found->second;
  for (const RunRecord& run : place.evaluation->runs) {
    if (run.group == place.group->name && run.instance == instance && run.solved() && run.status == "optimal") return run.primal_bound;
  }
  return std::nullopt;
}

using RewardOf = std::function<double(const RunRecord& run, double limit)>;

/// A row for a policy: the mean over the heats at each limit of the table.
Section reward_section(std::string heading, const Place& place, const std::vector<Heat>& heats, const std::vector<double>& limits, const RewardOf& reward) {
  Section section{.heading = std::move(heading), .rows = {}};
  const std::vector<std::string> policies = policies_in(*place.evaluation, place.group->name);
  for (std::size_t i = 0; i < policies.size(); ++i) {
    Row row{{{policies[i]}}};
    for (const double limit : limits) {
      double sum = 0;
      for (const Heat& heat : heats) sum += reward(*heat[i], limit);
      const double mean = sum / static_cast<double>(heats.size());
      row.cells.push_back(limit > place.evaluation->time_limit_s ? Cell{} : number_cell(mean, std::abs(mean) >= 100 ? 0 : 2));
    }
    section.rows.push_back(std::move(row));
  }
  for (std::size_t i = 1; i <= limits.size(); ++i) mark_best(section, i, false);
  return section;
}

std::optional<Section> published_rewards(const GroupInfo& group, const std::vector<double>& limits) {
  Section section{.heading = family_title(group) + ": the paper's own figures (ML4CO's instances, SCIP 7, V100)", .rows = {}};
  bool any = false;
  for (const PaperReward& published : paper_rewards()) {
    if (published.family != group.family) continue;
    Row row{{{std::string(published.policy)}}};
    for (const double limit : limits) {
      const auto column = std::ranges::find(paper_time_limits_s, limit);
      const auto value = column == paper_time_limits_s.end() ? std::nullopt : published.by_limit[static_cast<std::size_t>(column - paper_time_limits_s.begin())];
      any = any || value;
      row.cells.push_back(value ? number_cell(*value, 0) : Cell{});
    }
    section.rows.push_back(std::move(row));
  }
  for (std::size_t i = 1; i <= limits.size(); ++i) mark_best(section, i, false);
  return any ? std::optional(std::move(section)) : std::nullopt;
}

}  // namespace

std::optional<Table> reward_table(std::span<const Evaluation> evaluations) {
  std::vector<Place> places = places_of(evaluations);
  std::erase_if(places, [](const Place& place) { return !has_rewards(place) || traced_heats(place).empty(); });
  if (places.empty()) return std::nullopt;
  std::set<double> all_limits;
  for (const Place& place : places) all_limits.insert_range(reward_limits(place.evaluation->time_limit_s));
  const std::vector<double> limits(all_limits.begin(), all_limits.end());

  Table table{.id = "table-reward", .title = "Dual integral", .note = "Mean over the runs in which every policy came to a dual bound; more is better, the best is in bold." + note_of(places), .columns = {{"policy"}}, .sections = {}};
  for (const double limit : limits) table.columns.push_back({std::format("{} s", limit), "Time limit"});
  std::set<std::string> published_families;
  for (const Place& place : places) {
    const std::vector<Heat> heats = traced_heats(place);
    table.sections.push_back(reward_section(std::format("{}: as ML4CO computes it ({} runs)", place.title, heats.size()), place, heats, limits, dual_integral_ml4co));
    std::map<std::string, double> optima;
    for (const Heat& heat : heats) {
      if (const auto optimum = optimum_of(place, heat[0]->instance)) optima[heat[0]->instance] = *optimum;
    }
    std::vector<Heat> known = heats;
    std::erase_if(known, [&](const Heat& heat) { return !optima.contains(heat[0]->instance); });
    if (!known.empty()) {
      const RewardOf reward = [&](const RunRecord& run, double limit) { return dual_integral_reward(run, limit, optima.at(run.instance)); };
      table.sections.push_back(reward_section(std::format("{}: equation 10 of the paper ({} runs with a known optimum)", place.title, known.size()), place, known, limits, reward));
    }
    if (published_families.insert(place.group->family).second) {
      if (auto published = published_rewards(*place.group, limits)) table.sections.push_back(std::move(*published));
    }
  }
  return table;
}

}  // namespace bough
