// SPDX-License-Identifier: Apache-2.0
#include "bough/report/places.hpp"

#include <algorithm>
#include <format>
#include <map>
#include <set>
#include <utility>

#include "bough/evaluate/metrics.hpp"
#include "bough/report/paper.hpp"

namespace bough {

namespace {

std::string assignments(const auto& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) text += std::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  return text;
}

bool have_same_settings(const Evaluation& a, const Evaluation& b) { return a.settings == b.settings && a.settings_sha256 == b.settings_sha256 && a.scip_parameters == b.scip_parameters; }

}  // namespace

std::string parameters_text(const GroupInfo& group) { return assignments(group.parameters); }

std::string parameters_text(const PolicyInfo& policy) { return assignments(policy.scip_parameters); }

std::string settings_text(const Evaluation& evaluation) {
  return evaluation.scip_parameters.empty() ? evaluation.settings : std::format("{} with {}", evaluation.settings, assignments(evaluation.scip_parameters));
}

std::string family_title(const GroupInfo& group) {
  static const std::map<std::string, std::string> titles{{"setcover", "Set Covering"},          {"auction", "Combinatorial Auctions"},
                                                         {"facility", "Capacitated Facility Location"}, {"indset", "Maximum Independent Set"},
                                                         {"loadbalance", "Load Balancing"},     {"maritime", "Maritime Inventory Routing"}};
  if (group.family.empty()) return group.name;
  const auto found = titles.find(group.family);
  std::string title = found == titles.end() ? group.family : found->second;
  if (const std::string parameters = parameters_text(group); !parameters.empty()) title += std::format(" ({})", parameters);
  const bool has_own_name = group.name != group.family && group.name != group.family + "-" + group.size;
  return has_own_name ? std::format("{}: {}", title, group.name) : title;
}

std::string group_title(const GroupInfo& group) { return group.family.empty() || group.size.empty() ? family_title(group) : family_title(group) + ", " + group.size; }

std::string size_title(const std::string& size) {
  if (size.empty()) return "All";
  std::string title = size;
  if (title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

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
    if (n_uses[place.title] > 1) place.title += std::format(" ({}, {}, settings {})", place.evaluation->name, place.group->name, settings_text(*place.evaluation));
  }
  return places;
}

const Place* FamilyPlaces::of_size(const std::string& size) const {
  const auto found = std::ranges::find_if(places, [&](const Place& place) { return place.group->size == size; });
  return found == places.end() ? nullptr : &*found;
}

std::vector<FamilyPlaces> families_of(const std::vector<Place>& places) {
  std::vector<FamilyPlaces> families;
  for (const Place& place : places) {
    const std::string title = family_title(*place.group);
    // A size that is there already, or other settings, would mix what cannot be compared: a section of its own.
    const auto found = std::ranges::find_if(families, [&](const FamilyPlaces& family) {
      return family.title == title && have_same_settings(*family.places[0].evaluation, *place.evaluation) && family.of_size(place.group->size) == nullptr;
    });
    FamilyPlaces& family = found != families.end() ? *found : families.emplace_back(title);
    family.places.push_back(place);
  }
  std::map<std::string, int> n_uses;
  for (const FamilyPlaces& family : families) ++n_uses[family.title];
  for (FamilyPlaces& family : families) {
    const Evaluation& evaluation = *family.places[0].evaluation;
    if (n_uses[family.title] > 1) family.title += std::format(" ({}, settings {})", evaluation.name, settings_text(evaluation));
  }
  return families;
}

std::vector<std::string> sizes_of(const std::vector<Place>& places) {
  std::vector<std::string> sizes{"tiny", "easy", "medium", "hard"};
  for (const Place& place : places) {
    if (!place.group->size.empty() && !std::ranges::contains(sizes, place.group->size)) sizes.push_back(place.group->size);
  }
  sizes.emplace_back();
  std::erase_if(sizes, [&](const std::string& size) { return std::ranges::none_of(places, [&](const Place& place) { return place.group->size == size; }); });
  return sizes;
}

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

const PolicyInfo* rule_of(const Evaluation& evaluation, std::string_view rule) {
  const auto found = std::ranges::find_if(evaluation.policies, [&](const PolicyInfo& policy) { return policy.network.empty() && paper_name(policy) == rule; });
  return found == evaluation.policies.end() ? nullptr : &*found;
}

namespace {

/// "20 instances × 5 seeds"
std::string extent_of(const Evaluation& evaluation) {
  std::set<std::size_t> counts, seeds;
  std::string by_group, by_group_and_seeds;
  for (const GroupInfo& group : evaluation.groups) {
    const std::size_t n_seeds = group.seeds.empty() ? evaluation.seeds.size() : group.seeds.size();
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

}  // namespace

std::string note_of(const std::vector<Place>& places) {
  std::string text;
  const Evaluation* last = nullptr;
  for (const Place& place : places) {
    const Evaluation& evaluation = *place.evaluation;
    if (std::exchange(last, &evaluation) == &evaluation) continue;  // groups of one evaluation are neighbours
    text += std::format(" {}: settings {}, limit {} s, {}.", evaluation.name, settings_text(evaluation), evaluation.time_limit_s, extent_of(evaluation));
    if (!evaluation.note.empty()) text += " " + evaluation.note + (evaluation.note.ends_with('.') ? "" : ".");
    if (evaluation.runs.size() < evaluation.n_planned) text += std::format(" Unfinished: {} of {} runs.", evaluation.runs.size(), evaluation.n_planned);
    if (const std::size_t n = disagreements(evaluation).size(); n > 0) text += std::format(" Results that contradict each other: {}.", n);
    if (const Noise machine = noise(evaluation); machine.too_noisy) text += std::format(" The machine was not steady: repeated solves differ by a factor of {:.2f}.", machine.spread);
  }
  return text + " Definitions: docs/metrics.md.";
}

}  // namespace bough
