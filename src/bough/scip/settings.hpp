// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bough/scip/scip.hpp"

namespace bough {

/// A named set of SCIP parameters (docs/cli.md lists them).
struct Preset {
  std::string_view name;
  std::span<const std::pair<std::string_view, std::string_view>> parameters;
  bool seeded;           ///< seed 0 if the user gives none; otherwise SCIP's own order stays as it is
  bool time_after_root;  ///< the time limit starts when the root node is done
};

/// Names and values, in order: a later one wins.
using ScipParameters = std::vector<std::pair<std::string, std::string>>;

/// Everything that shapes a solve besides the branching policy.
struct Settings {
  std::string preset = "default";           ///< a preset's name, or a .set file
  ScipParameters overrides{};               ///< after the preset
  std::optional<std::uint32_t> seed{};
  std::optional<double> time_limit_s{};
  std::optional<std::int64_t> node_limit{};
  std::optional<double> memory_limit_mb{};
  std::optional<double> objective_limit{};  ///< only better solutions are of interest (`ml4co`)
  std::string file_sha256{};                ///< of a .set file that must not change any more: pinned()
};

/// The same settings; if they are a .set file, with the checksum that it has now: apply_settings() then refuses (usage) the file if it has become another one, or is gone.
/// For work that applies them again and again and promises that they are the same.  Throws Error (bad_input) for a file whose name no record can hold.
Settings pinned(Settings settings);

/// Parameters of Bough's own rule begin like this.  A .set file may have them: where the rule is not, they concern nobody.
inline constexpr std::string_view own_parameters = "branching/bough/";

/// Applies everything, limits last.  The problem must have been read (the objective limit belongs to it).
/// Throws Error: usage for an unknown preset, parameter or value, missing_input or bad_input for a .set file.
void apply_settings(SCIP* scip, const Settings& settings);

/// Applies them to an empty problem: throws what apply_settings() would, before anything is begun.  `prepare` adds the plugins whose parameters they may name, `verify` looks
/// at what they made.
void try_settings(const Settings& settings, const std::function<void(SCIP*)>& prepare = {}, const std::function<void(SCIP*)>& verify = {});

/// Throws Error (usage) if another rule than `name` has at least this priority: SCIP would branch with that one.
void refuse_rules_above(SCIP* scip, std::string_view name, int priority);

inline constexpr double longest_time_limit_s = 1e9;  ///< that a file may ask for

/// The limit that counts from the end of the root node, which is run()'s to set; empty if apply_settings() has set it from the start.
std::optional<double> time_limit_after_root(const Settings& settings);

/// The seed in force: the given one, or the preset's.
std::optional<std::uint32_t> effective_seed(const Settings& settings);

/// Null if `settings.preset` names a file.
const Preset* find_preset(std::string_view name);

/// Sets one parameter from text.  Throws Error (usage) that names the type, the range and, for a misspelt name, the nearest ones.
void set_parameter(SCIP* scip, const std::string& name, const std::string& value);

/// A parameter's value as text, such that set_parameter() gives the same value back.
std::string parameter_text(SCIP_PARAM* param);

/// The parameters that differ from SCIP's defaults, by name.
std::map<std::string, std::string> changed_parameters(SCIP* scip);

/// Sets a parameter for the duration of a scope.
class ScopedParam {
 public:
  ScopedParam(SCIP* scip, std::string name, const std::string& value);
  ~ScopedParam();
  ScopedParam(const ScopedParam&) = delete;
  ScopedParam& operator=(const ScopedParam&) = delete;

 private:
  SCIP* scip_;
  std::string name_;
  std::string old_;
};

}  // namespace bough
