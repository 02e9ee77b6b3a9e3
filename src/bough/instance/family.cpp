// SPDX-License-Identifier: Apache-2.0
#include "bough/instance/family.hpp"

#include <algorithm>
#include <cmath>
#include <format>
#include <stdexcept>

#include "bough/error.hpp"

namespace bough {
namespace {

// Filled before main() by the registrations of the family files, in no particular order; kept sorted by name.
std::vector<Family>& registry() {
  static std::vector<Family> all;
  return all;
}

std::string known_names(const auto& items) {
  std::string names;
  for (const auto& item : items) names += (names.empty() ? "" : ", ") + item.name;
  return names;
}

void check_range(const Family& family, const ParameterSpec& spec, double value) {
  const bool whole = !spec.integral || value == std::floor(value);
  if (value >= spec.low && value <= spec.high && whole) return;  // false for NaN
  throw Error(ExitCode::usage,
              std::format("{}: --{} is {}; expected {} from {} to {}", family.name, spec.name, value,
                          spec.integral ? "a whole number" : "a number", spec.low, spec.high));
}

}  // namespace

double Parameters::real(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::logic_error(std::format("the family declares no parameter '{}'", name));
  return found->second;
}

FamilyRegistration::FamilyRegistration(Family family) {
  auto& all = registry();
  const auto place = std::ranges::lower_bound(all, family.name, {}, &Family::name);
  all.insert(place, std::move(family));
}

std::span<const Family> families() { return registry(); }

const Family& family_by_name(std::string_view name) {
  for (const Family& family : families()) {
    if (family.name == name) return family;
  }
  throw Error(ExitCode::usage, std::format("unknown family '{}'", name), "families: " + known_names(families()));
}

Parameters resolve_parameters(const Family& family, Size size, const Overrides& overrides) {
  std::map<std::string, double, std::less<>> values;
  for (const ParameterSpec& spec : family.parameters) values[spec.name] = spec.defaults[static_cast<std::size_t>(size)];
  for (const auto& [name, value] : overrides) {
    const auto spec = std::ranges::find(family.parameters, name, &ParameterSpec::name);
    if (spec == family.parameters.end()) {
      throw Error(ExitCode::usage, std::format("{} has no parameter '{}'", family.name, name),
                  "parameters: " + known_names(family.parameters));
    }
    check_range(family, *spec, value);
    values[name] = value;
  }
  return Parameters(std::move(values));
}

Milp generate_instance(const Family& family, const Parameters& parameters, std::uint64_t seed) {
  Rng rng(family.name, seed);
  Milp milp = family.generate(parameters, rng);
  milp.name = std::format("{}-{}", family.name, seed);
  return milp;
}

}  // namespace bough
