// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bough/evaluate/record.hpp"

namespace bough {

/// What tables and headlines go over: the groups of all evaluations of a report, and what they are called.

std::string parameters_text(const GroupInfo& group);  ///< "density = 0.1"; empty if all are those of the size
std::string parameters_text(const PolicyInfo& policy);  ///< SCIP's, likewise; empty if it has none of its own
std::string settings_text(const Evaluation& evaluation);  ///< "paper with presolving/maxrestarts = 0"
std::string family_title(const GroupInfo& group);  ///< "Set Covering", with such parameters in brackets: other instances; for a folder of files the group's name
std::string group_title(const GroupInfo& group);   ///< "Set Covering, easy"
std::string size_title(const std::string& size);   ///< "Easy"

/// A group of one of the evaluations.
struct Place {
  const Evaluation* evaluation;
  const GroupInfo* group;
  std::string title;  ///< differs from those of other places
};
std::vector<Place> places_of(std::span<const Evaluation> evaluations);

/// The sizes of one family under the same settings.
struct FamilyPlaces {
  std::string title;
  std::vector<Place> places;

  [[nodiscard]] const Place* of_size(const std::string& size) const;  ///< null if there is none
};
std::vector<FamilyPlaces> families_of(const std::vector<Place>& places);

/// The sizes that occur: those that we know by their difficulty, then others, then none.
std::vector<std::string> sizes_of(const std::vector<Place>& places);

/// The policies of all sizes, by name, in the order in which they are met.
std::vector<std::string> policies_of(const FamilyPlaces& family);

const PolicyInfo* policy_named(const Evaluation& evaluation, std::string_view name);  ///< null if there is none

/// The policy that is SCIP's `rule`, whatever the suite calls it; null if there is none.
const PolicyInfo* rule_of(const Evaluation& evaluation, std::string_view rule);

/// How the figures came about, and what speaks against them: a table travels without the page that it stood on.
std::string note_of(const std::vector<Place>& places);

}  // namespace bough
