// SPDX-License-Identifier: Apache-2.0
#include "bough/report/tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <format>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "bough/report/paper.hpp"

namespace bough {
namespace {

/// "1,234.5"
std::string grouped(double value, int decimals) {
  std::string text = std::format("{:.{}f}", value, decimals);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = std::min(text.find('.'), text.size()); at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

// About three digits that say something, as in the paper.
int decimals_of_seconds(double value) { return value >= 1000 ? 0 : value >= 100 ? 1 : value >= 0.1 ? 2 : 3; }
int decimals_of_count(double value) { return value >= 10 ? 0 : 1; }
int decimals_of_ratio(double value) { return value >= 100 ? 0 : value >= 10 ? 1 : 2; }

Cell count_cell(std::int64_t count) { return {grouped(static_cast<double>(count), 0), static_cast<double>(count)}; }

Cell number_cell(double value, int decimals) { return std::isfinite(value) ? Cell{grouped(value, decimals), value} : Cell{"n/a"}; }

Cell estimate_cell(const Estimate& estimate, int (*decimals_of)(double)) {
  const int decimals = decimals_of(estimate.mean);
  Cell cell = number_cell(estimate.mean, decimals);
  if (cell.value && std::isfinite(estimate.deviation)) {
    cell.text += " ± " + grouped(estimate.deviation, decimals);
    cell.parts = {{"deviation", estimate.deviation}};
  }
  return cell;
}

/// "1.58 [1.48, 1.69]"
std::string ratio_text(const Ratio& ratio) {
  const int decimals = decimals_of_ratio(ratio.ratio);
  std::string text = grouped(ratio.ratio, decimals);
  if (std::isfinite(ratio.low) && std::isfinite(ratio.high)) text += std::format(" [{}, {}]", grouped(ratio.low, decimals), grouped(ratio.high, decimals));
  return text;
}

Cell ratio_cell(const std::optional<Ratio>& ratio) {
  if (!ratio || !std::isfinite(ratio->ratio)) return {"n/a"};
  return {ratio_text(*ratio), ratio->ratio, false, {{"low", ratio->low}, {"high", ratio->high}}};
}

Cell p_cell(const std::optional<Ratio>& ratio) {
  if (!ratio || !std::isfinite(ratio->p_value)) return {"n/a"};
  return {ratio->p_value < 0.001 ? "< 0.001" : grouped(ratio->p_value, 3), ratio->p_value};
}

/// Sets the best of a column in bold, and its equals, unless all are equal.
void mark_best(Section& section, std::size_t column, bool lowest) {
  std::vector<Cell*> cells;
  for (Row& row : section.rows) {
    if (column < row.cells.size() && row.cells[column].value) cells.push_back(&row.cells[column]);
  }
  if (cells.empty()) return;
  const auto [low, high] = std::ranges::minmax(cells, {}, [](const Cell* cell) { return *cell->value; });
  if (*low->value == *high->value) return;
  const double best = lowest ? *low->value : *high->value;
  for (Cell* cell : cells) cell->best = *cell->value == best;
}

std::string family_title(const GroupInfo& group) {
  static const std::map<std::string, std::string> titles{{"setcover", "Set Covering"},          {"auction", "Combinatorial Auctions"},
                                                         {"facility", "Capacitated Facility Location"}, {"indset", "Maximum Independent Set"},
                                                         {"loadbalance", "Load Balancing"},     {"maritime", "Maritime Inventory Routing"}};
  if (group.family.empty()) return group.name;
  const auto found = titles.find(group.family);
  return found == titles.end() ? group.family : found->second;
}

std::string size_title(const std::string& size) {
  if (size.empty()) return "All";
  std::string title = size;
  if (title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

std::string with_fallbacks(const std::string& policy, std::int64_t n_fallbacks) {
  return n_fallbacks == 0 ? policy : std::format("{} ({} fallback{})", policy, n_fallbacks, n_fallbacks == 1 ? "" : "s");
}

/// A group of one of the evaluations.
struct Place {
  const Evaluation* evaluation;
  const GroupInfo* group;
  std::string title;  ///< differs from those of other places
};

std::vector<Place> places_of(std::span<const Evaluation> evaluations) {
  std::vector<Place> places;
  std::map<std::string, int> n_uses;
  for (const Evaluation& evaluation : evaluations) {
    for (const GroupInfo& group : evaluation.groups) {
      places.push_back({&evaluation, &group, group_title(group)});
      ++n_uses[places.back().title];
    }
  }
  for (Place& place : places) {
    if (n_uses[place.title] > 1) place.title += std::format(" ({}, settings {})", place.evaluation->name, place.evaluation->settings);
  }
  return places;
}

/// The sizes of one family under the same settings.
struct FamilyPlaces {
  std::string title;
  std::vector<Place> places;

  [[nodiscard]] const Place* of_size(const std::string& size) const {
    const auto found = std::ranges::find_if(places, [&](const Place& place) { return place.group->size == size; });
    return found == places.end() ? nullptr : &*found;
  }
};

std::vector<FamilyPlaces> families_of(const std::vector<Place>& places) {
  std::vector<FamilyPlaces> families;
  for (const Place& place : places) {
    const std::string title = family_title(*place.group);
    // A size that is there already, or other settings, would mix what cannot be compared: a section of its own.
    const auto found = std::ranges::find_if(families, [&](const FamilyPlaces& family) {
      return family.title == title && family.places[0].evaluation->settings == place.evaluation->settings && family.of_size(place.group->size) == nullptr;
    });
    FamilyPlaces& family = found != families.end() ? *found : families.emplace_back(title);
    family.places.push_back(place);
  }
  std::map<std::string, int> n_uses;
  for (const FamilyPlaces& family : families) ++n_uses[family.title];
  for (FamilyPlaces& family : families) {
    const Evaluation& evaluation = *family.places[0].evaluation;
    if (n_uses[family.title] > 1) family.title += std::format(" ({}, settings {})", evaluation.name, evaluation.settings);
  }
  return families;
}

/// The sizes that occur: those that we know by their difficulty, then others, then none.
std::vector<std::string> sizes_of(const std::vector<Place>& places) {
  std::vector<std::string> sizes{"tiny", "easy", "medium", "hard"};
  for (const Place& place : places) {
    if (!place.group->size.empty() && !std::ranges::contains(sizes, place.group->size)) sizes.push_back(place.group->size);
  }
  sizes.emplace_back();
  std::erase_if(sizes, [&](const std::string& size) { return std::ranges::none_of(places, [&](const Place& place) { return place.group->size == size; }); });
  return sizes;
}

/// The policies of all sizes, by name, in the order in which they are met.
std::vector<std::string> policies_of(const FamilyPlaces& family) {
  std::vector<std::string> names;
  for (const Place& place : family.places) {
    for (const std::string& policy : policies_in(*place.evaluation, place.group->name)) {
      if (!std::ranges::contains(names, policy)) names.push_back(policy);
    }
  }
  return names;
}

const PolicyInfo* policy_named(const Evaluation& evaluation, std::string_view name) {
  const auto found = std::ranges::find(evaluation.policies, name, &PolicyInfo::name);
  return found == evaluation.policies.end() ? nullptr : &*found;
}

/// The policy that is SCIP's `rule`, whatever the suite calls it.
const PolicyInfo* rule_of(const Evaluation& evaluation, std::string_view rule) {
  const auto found = std::ranges::find_if(evaluation.policies, [&](const PolicyInfo& policy) { return policy.network.empty() && paper_name(policy) == rule; });
  return found == evaluation.policies.end() ? nullptr : &*found;
}

/// "20 instances × 5 seeds"
std::string extent_of(const Evaluation& evaluation) {
  std::set<std::size_t> counts, seeds;
  std::string by_group, by_group_and_seeds;
  for (const GroupInfo& group : evaluation.groups) {
    const std::size_t n_seeds = group.n_seeds == 0 ? evaluation.seeds.size() : group.n_seeds;
    counts.insert(group.instances.size());
    seeds.insert(n_seeds);
    by_group += std::format("{}{} of {}", by_group.empty() ? "" : ", ", group.instances.size(), group.name);
    by_group_and_seeds += std::format("{}{} × {} of {}", by_group_and_seeds.empty() ? "" : ", ", group.instances.size(), n_seeds, group.name);
  }
  if (seeds.size() > 1) return std::format("instances × seeds: {}", by_group_and_seeds);
  const std::string instances = counts.size() != 1 ? std::format("instances: {},", by_group) : std::format("{} instances{}", *counts.begin(), evaluation.groups.size() > 1 ? " of each group" : "");
  const std::size_t n_seeds = seeds.empty() ? evaluation.seeds.size() : *seeds.begin();
  return std::format("{} × {} seed{}", instances, n_seeds, n_seeds == 1 ? "" : "s");
}

/// How the figures came about, and what speaks against them: a table travels without the page that it stood on.
std::string note_of(const std::vector<Place>& places) {
  std::string text;
  const Evaluation* last = nullptr;
  for (const Place& place : places) {
    const Evaluation& evaluation = *place.evaluation;
    if (std::exchange(last, &evaluation) == &evaluation) continue;  // groups of one evaluation are neighbours
    text += std::format(" {}: settings {}, limit {} s, {}.", evaluation.name, evaluation.settings, evaluation.time_limit_s, extent_of(evaluation));
    if (!evaluation.note.empty()) text += " " + evaluation.note + (evaluation.note.ends_with('.') ? "" : ".");
    if (evaluation.runs.size() < evaluation.n_planned) text += std::format(" Unfinished: {} of {} runs.", evaluation.runs.size(), evaluation.n_planned);
    if (const std::size_t n = disagreements(evaluation).size(); n > 0) text += std::format(" Results that contradict each other: {}.", n);
    if (const Noise machine = noise(evaluation); machine.too_noisy) text += std::format(" The machine was not steady: repeated solves differ by a factor of {:.2f}.", machine.spread);
  }
  return text + " Definitions: docs/metrics.md.";
}

}  // namespace

std::string group_title(const GroupInfo& group) { return group.family.empty() || group.size.empty() ? family_title(group) : family_title(group) + ", " + group.size; }

Table main_table(std::span<const Evaluation> evaluations) {
  const std::vector<Place> places = places_of(evaluations);
  const std::vector<std::string> sizes = sizes_of(places);
  Table table{.id = "table-main", .title = "Time, wins and nodes", .note = "± is the standard deviation over seeds; the best is in bold." + note_of(places), .columns = {{"policy"}}, .sections = {}};
  for (const std::string& size : sizes) {
    table.columns.push_back({"time", size_title(size), "seconds, 1-shifted geometric mean, unsolved runs at the limit"});
    table.columns.push_back({"wins", size_title(size), "runs that the policy solved faster than every other, of all"});
    table.columns.push_back({"nodes", size_title(size), "1-shifted geometric mean over the runs that all policies solved"});
  }
  for (const FamilyPlaces& family : families_of(places)) {
    Section section{.heading = family.title, .rows = {}};
    std::map<std::string, std::vector<PolicySummary>> summaries;
    for (const Place& place : family.places) summaries[place.group->size] = summarise(*place.evaluation, place.group->name);
    for (const std::string& policy : policies_of(family)) {
      Row row{{{policy}}};
      std::int64_t n_fallbacks = 0;
      for (const std::string& size : sizes) {
        const std::vector<PolicySummary>& here = summaries[size];
        const auto found = std::ranges::find(here, policy, &PolicySummary::policy);
        if (found == here.end() || found->n_runs == 0) {
          row.cells.insert(row.cells.end(), 3, Cell{});
          continue;
        }
        n_fallbacks += found->n_fallbacks;
        Cell time = estimate_cell(found->time_s, decimals_of_seconds);
        if (found->n_solved < found->n_runs) time.text += std::format(" ({} unsolved)", found->n_runs - found->n_solved);
        row.cells.push_back(std::move(time));
        row.cells.push_back({std::format("{}/{}", found->n_wins, found->n_runs), static_cast<double>(found->n_wins), false, {{"of", static_cast<double>(found->n_runs)}}});
        row.cells.push_back(estimate_cell(found->nodes, decimals_of_count));
      }
      row.cells[0].text = with_fallbacks(policy, n_fallbacks);
      section.rows.push_back(std::move(row));
    }
    for (std::size_t i = 1; i < table.columns.size(); ++i) mark_best(section, i, table.columns[i].heading != "wins");
    table.sections.push_back(std::move(section));
  }
  return table;
}

Table detail_table(std::span<const Evaluation> evaluations) {
  const std::vector<Place> places = places_of(evaluations);
  Table table{.id = "table-detail", .title = "Every policy in detail", .note = "± is the standard deviation over seeds." + note_of(places), .columns = {}, .sections = {}};
  table.columns = {{"policy"},
                   {"solved", "", "runs with a proof within the limit, of all"},
                   {"time", "", "seconds, 1-shifted geometric mean, unsolved runs at the limit"},
                   {"after root", "", "the same without the time of the root node, which no policy can change"},
                   {"nodes", "", "1-shifted geometric mean over the runs that all policies solved"},
                   {"fair nodes", "", "the same, with what strong branching saved counted as nodes"},
                   {"LP iterations", "", "1-shifted geometric mean over the same runs"},
                   {"policy %", "", "time of observing, inferring and deciding, in percent of the whole"},
                   {"decisions", "", "of all runs"},
                   {"ms/decision", "", "milliseconds of observing, inferring and deciding"},
                   {"fallbacks", "", "nodes that were left to SCIP's own rules"}};
  for (const Place& place : places) {
    Section section{.heading = place.title, .rows = {}};
    for (const PolicySummary& summary : summarise(*place.evaluation, place.group->name)) {
      double policy_time_s = 0;
      std::int64_t n_decisions = 0;
      for (const RunRecord& run : place.evaluation->runs) {
        if (run.group != place.group->name || run.policy != summary.policy) continue;
        policy_time_s += run.policy_time_s;
        n_decisions += run.n_decisions;
      }
      // Rules of SCIP decide inside it, where nobody counts.
      const bool decides = summary.n_decisions > 0 && n_decisions > 0;
      section.rows.push_back({{{summary.policy},
                               {std::format("{}/{}", summary.n_solved, summary.n_runs), static_cast<double>(summary.n_solved), false, {{"of", static_cast<double>(summary.n_runs)}}},
                               estimate_cell(summary.time_s, decimals_of_seconds),
                               estimate_cell(summary.time_after_root_s, decimals_of_seconds),
                               estimate_cell(summary.nodes, decimals_of_count),
                               estimate_cell(summary.fair_nodes, decimals_of_count),
                               estimate_cell(summary.lp_iterations, decimals_of_count),
                               decides ? number_cell(100 * summary.policy_share, 1) : Cell{},
                               decides ? count_cell(summary.n_decisions) : Cell{},
                               decides ? number_cell(1000 * policy_time_s / static_cast<double>(n_decisions), 2) : Cell{},
                               decides || summary.n_fallbacks > 0 ? count_cell(summary.n_fallbacks) : Cell{}}});
    }
    table.sections.push_back(std::move(section));
  }
  return table;
}

Table ratio_table(std::span<const Evaluation> evaluations, const std::string& base) {
  const std::vector<Place> places = places_of(evaluations);
  constexpr std::array figures{std::pair{"time", Figure::time}, std::pair{"time after root", Figure::time_after_root}, std::pair{"nodes", Figure::nodes}};
  Table table{.id = "table-ratio", .title = "Ratios of means", .note = "", .columns = {{"policy"}}, .sections = {}};
  table.note = "Above 1 the base is better. In brackets: 95 % interval of a paired bootstrap over instances; p: two-sided signed-rank test over instances." + note_of(places);
  for (const auto& [name, figure] : figures) {
    table.columns.push_back({"over the base's", name, "the mean of the policy over that of the base, over the same runs"});
    table.columns.push_back({"p", name, "how likely a difference like this would be if there were none"});
  }
  for (const Place& place : places) {
    const Evaluation& evaluation = *place.evaluation;
    const std::vector<std::string> policies = policies_in(evaluation, place.group->name);
    if (policies.size() < 2) continue;
    const std::string own_base = std::ranges::contains(policies, base) ? base : policies.back();
    Section section{.heading = std::format("{}: over {}", place.title, own_base), .rows = {}};
    for (const std::string& policy : policies) {
      Row row{{{policy}}};
      for (const auto& [name, figure] : figures) {
        const bool itself = policy == own_base;
        const std::optional<Ratio> ratio = itself ? std::nullopt : compare(evaluation, place.group->name, policy, own_base, figure);
        row.cells.push_back(itself ? Cell{"1", 1} : ratio_cell(ratio));
        row.cells.push_back(itself ? Cell{} : p_cell(ratio));
      }
      section.rows.push_back(std::move(row));
    }
    table.sections.push_back(std::move(section));
  }
  return table;
}

Table paper_table(std::span<const Evaluation> evaluations) {
  const auto comparable = [](const Place& place) { return rule_of(*place.evaluation, "relpscost") != nullptr && paper_figures(place.group->family, place.group->size, "relpscost").has_value(); };
  std::vector<Place> places = places_of(evaluations);
  std::erase_if(places, [&](const Place& place) { return !comparable(place); });
  const std::vector<std::string> sizes = sizes_of(places);
  Table table{.id = "table-paper", .title = "How many times as fast as relpscost: the paper and here", .note = "", .columns = {{"policy"}}, .sections = {}};
  table.note = std::format("The time of relpscost over that of the policy. Theirs, as published ({}): other instances of the same kind, another machine, another SCIP. Here: 95 % interval in brackets.", paper_citation) + note_of(places);
  for (const char* source : {"Paper (SCIP 7, V100)", "Here"}) {
    for (const std::string& size : sizes) table.columns.push_back({size, source});
  }
  for (const FamilyPlaces& family : families_of(places)) {
    Section section{.heading = family.title, .rows = {}};
    for (const std::string& name : policies_of(family)) {
      std::vector<Cell> theirs, ours;
      bool any = false;
      for (const std::string& size : sizes) {
        theirs.emplace_back();
        ours.emplace_back();
        const Place* place = family.of_size(size);
        const PolicyInfo* policy = place == nullptr ? nullptr : policy_named(*place->evaluation, name);
        if (policy == nullptr) continue;
        const PolicyInfo* rule = rule_of(*place->evaluation, "relpscost");
        if (policy == rule) continue;
        any = true;
        ours.back() = ratio_cell(compare(*place->evaluation, place->group->name, rule->name, name, Figure::time));
        const auto published = paper_figures(place->group->family, size, paper_name(*policy)), base = paper_figures(place->group->family, size, "relpscost");
        if (published && base) theirs.back() = number_cell(base->time_s / published->time_s, 2);
      }
      if (!any) continue;
      Row row{{{name}}};
      row.cells.append_range(theirs);
      row.cells.append_range(ours);
      section.rows.push_back(std::move(row));
    }
    if (!section.rows.empty()) table.sections.push_back(std::move(section));
  }
  return table;
}

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
  const auto has_bound = [](const RunRecord& run) { return (run.end == "done" || run.end == "overtime") && std::ranges::any_of(run.trace, [](const BoundPoint& point) { return std::isfinite(point.dual); }); };
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

std::vector<Table> report_tables(std::span<const Evaluation> evaluations) {
  std::vector<Table> tables{main_table(evaluations), ratio_table(evaluations), detail_table(evaluations), paper_table(evaluations)};
  if (auto rewards = reward_table(evaluations)) tables.push_back(std::move(*rewards));
  std::erase_if(tables, [](const Table& table) { return table.sections.empty(); });
  return tables;
}

std::vector<Headline> headlines(std::span<const Evaluation> evaluations) {
  std::vector<Headline> found;
  for (const Place& place : places_of(evaluations)) {
    const Evaluation& evaluation = *place.evaluation;
    const PolicyInfo* learned = policy_named(evaluation, "tgat");
    if (learned == nullptr) {
      const auto first = std::ranges::find_if(evaluation.policies, [](const PolicyInfo& policy) { return !policy.network.empty(); });
      if (first == evaluation.policies.end()) continue;
      learned = &*first;
    }
    std::int64_t n_fallbacks = 0;
    for (const RunRecord& run : evaluation.runs) {
      if (run.group == place.group->name && run.policy == learned->name) n_fallbacks += run.n_fallbacks();
    }
    for (const char* name : {"relpscost", "pscost"}) {
      const PolicyInfo* rule = rule_of(evaluation, name);
      if (rule == nullptr || rule == learned) continue;
      // Base over policy, asked for as such: its interval then needs no inversion.
      const auto ratio = compare(evaluation, place.group->name, rule->name, learned->name, Figure::time);
      if (!ratio || !std::isfinite(ratio->ratio)) continue;
      Headline headline{evaluation.name, place.group->name, place.title, learned->name, rule->name, *ratio, Verdict::unclear, ""};
      const bool enough = ratio->n_instances >= least_instances;
      if (enough && ratio->low > 1) headline.verdict = Verdict::faster;
      if (enough && ratio->high < 1) headline.verdict = Verdict::slower;
      const std::string text = ratio_text(*ratio);
      const std::size_t bracket = std::min(text.find(" ["), text.size());
      const std::string times = text.substr(0, bracket) + " times as fast", interval = text.substr(bracket);
      switch (headline.verdict) {
        case Verdict::faster: headline.sentence = std::format("{} is {} as {}{}", learned->name, times, rule->name, interval); break;
        case Verdict::slower: headline.sentence = std::format("{} is not faster than {}: {}{}", learned->name, rule->name, times, interval); break;
        case Verdict::unclear:
          headline.sentence = std::format("no difference between {} and {} can be told: {}{}", learned->name, rule->name, times, interval);
          if (!enough) headline.sentence += std::format("; {} instance{} {} too few", ratio->n_instances, ratio->n_instances == 1 ? "" : "s", ratio->n_instances == 1 ? "is" : "are");
          break;
      }
      if (n_fallbacks > 0) headline.sentence += std::format("; it left {} node{} to SCIP's own rules", n_fallbacks, n_fallbacks == 1 ? "" : "s");
      found.push_back(std::move(headline));
    }
  }
  return found;
}

}  // namespace bough
