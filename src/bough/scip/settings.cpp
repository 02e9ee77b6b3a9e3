// SPDX-License-Identifier: Apache-2.0
#include "bough/scip/settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <format>
#include <limits>
#include <ranges>
#include <span>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/foreign_text.hpp"
#include "bough/scip/problem.hpp"

namespace bough {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// The protocol of Gasse et al. 2019 for SCIP 10: cuts at the root only, no restarts (SCIP 10 has two mechanisms), wall clock.
constexpr std::array paper_parameters{
    Pair{"separating/maxrounds", "0"},
    Pair{"presolving/maxrestarts", "0"},
    Pair{"estimation/restarts/restartpolicy", "n"},
    Pair{"timing/clocktype", "2"},
};

// The dual task of the ML4CO 2021 competition: heuristics off (applied in code: one call sets them all), no restarts by estimation.
constexpr std::array ml4co_parameters{
    Pair{"estimation/restarts/restartpolicy", "n"},
    Pair{"timing/clocktype", "2"},
};

constexpr std::array all_presets{
    Preset{"default", {}, false, false},
    Preset{"paper", paper_parameters, true, false},
    Preset{"ml4co", ml4co_parameters, true, true},
};

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number value{};
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<bool> parse_bool(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text == "true" || text == "1" || text == "yes" || text == "on") return true;
  if (text == "false" || text == "0" || text == "no" || text == "off") return false;
  return std::nullopt;
}

/// What the parameter accepts, in words.
std::string expectation(SCIP_PARAM* param) {
  switch (SCIPparamGetType(param)) {
    case SCIP_PARAMTYPE_BOOL: return "TRUE or FALSE";
    case SCIP_PARAMTYPE_INT: return std::format("a whole number from {} to {}", SCIPparamGetIntMin(param), SCIPparamGetIntMax(param));
    case SCIP_PARAMTYPE_LONGINT:
      return std::format("a whole number from {} to {}", SCIPparamGetLongintMin(param), SCIPparamGetLongintMax(param));
    case SCIP_PARAMTYPE_REAL: {
      constexpr double most = std::numeric_limits<double>::max();
      if (SCIPparamGetRealMax(param) < most) return std::format("a number from {} to {}", SCIPparamGetRealMin(param), SCIPparamGetRealMax(param));
      return SCIPparamGetRealMin(param) > -most ? std::format("a number of at least {}", SCIPparamGetRealMin(param)) : "a number";
    }
    case SCIP_PARAMTYPE_CHAR: {
      const char* allowed = SCIPparamGetCharAllowedValues(param);
      return allowed == nullptr ? "one character" : std::format("one character of '{}'", allowed);
    }
    case SCIP_PARAMTYPE_STRING: return "text";
  }
  return "something else";
}

/// Parameters whose name ends like the one asked for: people remember "maxrounds", not "separating/maxrounds".
std::string similar_names(SCIP* scip, std::string_view name) {
  const std::string_view tail = name.substr(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
  std::string found;
  int n_found = 0;
  for (SCIP_PARAM* param : std::span(SCIPgetParams(scip), static_cast<std::size_t>(SCIPgetNParams(scip)))) {
    const std::string_view candidate = SCIPparamGetName(param);
    if (!candidate.ends_with(tail) || n_found == 3) continue;
    found += (n_found++ == 0 ? "did you mean " : ", ") + std::string(candidate);
  }
  return found.empty() ? "'scip' and its 'set' menu list all parameters" : found + "?";
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// SCIP's settings format: "name = value" lines, '#' starts a comment, text is quoted.  SCIP passes over an unknown name with a
/// warning; a misspelt setting is an error here.  Only "emphasis: ..." lines are left to SCIP.
void read_settings_file(SCIP* scip, const Settings& settings) {
  const std::string& file = settings.preset;
  std::error_code unreachable;
  if (!settings.file_sha256.empty() && (!std::filesystem::exists(file, unreachable) || sha256_of_file(file) != settings.file_sha256)) {
    throw Error(ExitCode::usage, std::format("{} was changed while it was in use", file), "bring the old file back and run the same command again, or choose another directory");
  }
  const std::string text = read_file(file);
  int line_number = 0;
  for (const auto part : std::views::split(text, '\n')) {
    ++line_number;
    std::string_view line(part);
    const auto fail = [&](const std::string& complaint, const std::string& hint) {
      return Error(ExitCode::bad_input, std::format("{}:{}: {}", file, line_number, complaint), hint);
    };
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty() || line.starts_with("emphasis:")) continue;
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) throw fail(std::format("expected 'name = value', got '{}'", line.substr(0, 60)), "");
    std::string_view value = trimmed(line.substr(equals + 1));
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) value = value.substr(1, value.size() - 2);
    try {
      const std::string name(trimmed(line.substr(0, equals)));
      if (name.starts_with(own_parameters) && SCIPgetParam(scip, name.c_str()) == nullptr) continue;
      set_parameter(scip, name, std::string(value));
    } catch (const Error& error) {
      throw fail(error.what(), error.hint());
    }
  }
  check(SCIPreadParams(scip, file.c_str()));
}

/// The settings name a file, and no preset.
bool is_settings_file(const std::string& name) {
  std::error_code unreachable;  // a name that cannot be one of a file is none of a preset either
  return find_preset(name) == nullptr && (name.ends_with(".set") || std::filesystem::exists(name, unreachable));
}

}  // namespace

Settings pinned(Settings settings) {
  if (!is_settings_file(settings.preset)) return settings;
  require_utf8(settings.preset);
  settings.file_sha256 = sha256_of_file(settings.preset);
  return settings;
}

const Preset* find_preset(std::string_view name) {
  const auto found = std::ranges::find(all_presets, name, &Preset::name);
  return found == all_presets.end() ? nullptr : &*found;
}

std::optional<std::uint32_t> effective_seed(const Settings& settings) {
  if (settings.seed) return settings.seed;
  const Preset* preset = find_preset(settings.preset);
  return preset != nullptr && preset->seeded ? std::optional<std::uint32_t>(0) : std::nullopt;
}

void set_parameter(SCIP* scip, const std::string& name, const std::string& value) {
  SCIP_PARAM* param = SCIPgetParam(scip, name.c_str());
  if (param == nullptr) throw Error(ExitCode::usage, std::format("SCIP has no parameter '{}'", name), similar_names(scip, name));

  SCIP_RETCODE code = SCIP_PARAMETERWRONGVAL;
  switch (SCIPparamGetType(param)) {
    case SCIP_PARAMTYPE_BOOL:
      if (const auto parsed = parse_bool(value)) code = SCIPsetBoolParam(scip, name.c_str(), *parsed ? TRUE : FALSE);
      break;
    case SCIP_PARAMTYPE_INT:
      if (const auto parsed = parse_whole<int>(value)) code = SCIPsetIntParam(scip, name.c_str(), *parsed);
      break;
    case SCIP_PARAMTYPE_LONGINT:
      if (const auto parsed = parse_whole<SCIP_Longint>(value)) code = SCIPsetLongintParam(scip, name.c_str(), *parsed);
      break;
    case SCIP_PARAMTYPE_REAL:
      if (const auto parsed = parse_whole<double>(value)) code = SCIPsetRealParam(scip, name.c_str(), *parsed);
      break;
    case SCIP_PARAMTYPE_CHAR:
      if (value.size() == 1) code = SCIPsetCharParam(scip, name.c_str(), value[0]);
      break;
    case SCIP_PARAMTYPE_STRING: code = SCIPsetStringParam(scip, name.c_str(), value.c_str()); break;
  }
  if (code == SCIP_OKAY) return;
  take_scip_errors();
  throw Error(ExitCode::usage, std::format("SCIP parameter {} is '{}'; expected {}", name, value, expectation(param)));
}

std::string parameter_text(SCIP_PARAM* param) {
  switch (SCIPparamGetType(param)) {
    case SCIP_PARAMTYPE_BOOL: return SCIPparamGetBool(param) ? "TRUE" : "FALSE";
    case SCIP_PARAMTYPE_INT: return std::format("{}", SCIPparamGetInt(param));
    case SCIP_PARAMTYPE_LONGINT: return std::format("{}", SCIPparamGetLongint(param));
    case SCIP_PARAMTYPE_REAL: return std::format("{}", SCIPparamGetReal(param));
    case SCIP_PARAMTYPE_CHAR: return std::string(1, SCIPparamGetChar(param));
    case SCIP_PARAMTYPE_STRING: return SCIPparamGetString(param);
  }
  return {};
}

std::map<std::string, std::string> changed_parameters(SCIP* scip) {
  std::map<std::string, std::string> changed;
  for (SCIP_PARAM* param : std::span(SCIPgetParams(scip), static_cast<std::size_t>(SCIPgetNParams(scip)))) {
    if (!SCIPparamIsDefault(param)) changed[SCIPparamGetName(param)] = parameter_text(param);
  }
  return changed;
}

void apply_settings(SCIP* scip, const Settings& settings) {
  if (const Preset* preset = find_preset(settings.preset)) {
    for (const auto& [name, value] : preset->parameters) set_parameter(scip, std::string(name), std::string(value));
    if (preset->name == "ml4co") check(SCIPsetHeuristics(scip, SCIP_PARAMSETTING_OFF, TRUE));
  } else if (is_settings_file(settings.preset)) {
    read_settings_file(scip, settings);
  } else {
    throw Error(ExitCode::usage, std::format("unknown settings '{}'", settings.preset), "expected default, paper, ml4co or a .set file");
  }

  if (const auto seed = effective_seed(settings)) {
    constexpr std::uint32_t most = 0x7fffffff;
    const std::string text = std::to_string(*seed & most);
    for (const char* name : {"randomization/randomseedshift", "randomization/permutationseed", "randomization/lpseed"}) {
      set_parameter(scip, name, text);
    }
    set_parameter(scip, "randomization/permutevars", "TRUE");
  }
  for (const auto& [name, value] : settings.overrides) set_parameter(scip, name, value);

  if (settings.time_limit_s && !time_limit_after_root(settings)) set_parameter(scip, "limits/time", std::format("{}", *settings.time_limit_s));
  if (settings.node_limit) set_parameter(scip, "limits/nodes", std::to_string(*settings.node_limit));
  if (settings.memory_limit_mb) set_parameter(scip, "limits/memory", std::format("{}", *settings.memory_limit_mb));
  if (settings.objective_limit) check(SCIPsetObjlimit(scip, *settings.objective_limit));
}

std::optional<double> time_limit_after_root(const Settings& settings) {
  const Preset* preset = find_preset(settings.preset);
  return preset != nullptr && preset->time_after_root ? settings.time_limit_s : std::nullopt;
}

void try_settings(const Settings& settings, const std::function<void(SCIP*)>& prepare, const std::function<void(SCIP*)>& verify) {
  const ScipPtr scip = create_scip();
  if (prepare) prepare(scip.get());
  load_problem(scip.get(), Milp{});
  apply_settings(scip.get(), settings);
  if (verify) verify(scip.get());
}

void refuse_rules_above(SCIP* scip, std::string_view name, int priority) {
  for (SCIP_BRANCHRULE* other : std::span(SCIPgetBranchrules(scip), static_cast<std::size_t>(SCIPgetNBranchrules(scip)))) {
    if (SCIPbranchruleGetName(other) == name || SCIPbranchruleGetPriority(other) < priority) continue;
    throw Error(ExitCode::usage, std::format("the settings say branching/{}/priority = {}: SCIP would branch with that rule and not with what was asked for", SCIPbranchruleGetName(other), SCIPbranchruleGetPriority(other)),
                std::format("leave it out, or below {}", priority));
  }
}

ScopedParam::ScopedParam(SCIP* scip, std::string name, const std::string& value) : scip_(scip), name_(std::move(name)) {
  if (SCIP_PARAM* param = SCIPgetParam(scip, name_.c_str())) old_ = parameter_text(param);
  set_parameter(scip, name_, value);
}

ScopedParam::~ScopedParam() {
  try {
    set_parameter(scip_, name_, old_);
  } catch (...) {  // the old value was valid; only a parameter fixed meanwhile could refuse it, and a destructor must not throw
  }
}

}  // namespace bough
