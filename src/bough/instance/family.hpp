// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bough/milp.hpp"
#include "bough/rng.hpp"

namespace bough {

enum class Size { tiny, easy, medium, hard };
inline constexpr std::array<std::string_view, 4> size_names{"tiny", "easy", "medium", "hard"};

/// One knob of a family: `--<name>` on the command line, a default per size, and the range in which it makes sense.
struct ParameterSpec {
  std::string name;
  std::string help;
  std::array<double, 4> defaults;  // by Size: tiny, easy, medium, hard
  double low = 0;
  double high = 1e9;
  bool integral = true;
};

/// Parameters that differ from the defaults of a size, by name.
using Overrides = std::map<std::string, double, std::less<>>;

/// The values of a family's parameters, by name.
class Parameters {
 public:
  explicit Parameters(std::map<std::string, double, std::less<>> values) : values_(std::move(values)) {}

  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] int integer(std::string_view name) const { return static_cast<int>(real(name)); }
  [[nodiscard]] bool flag(std::string_view name) const { return real(name) != 0; }

 private:
  std::map<std::string, double, std::less<>> values_;
};

/// A family of instances: everything that is known of it, and the two ways to get a MILP.
///
/// A new family is a new file in this folder that defines one of these and registers it:
///
///     const FamilyRegistration registration{{.name = "knapsack", ...}};
///
/// The command line, the contract tests and the documentation pick it up from the registry.
struct Family {
  std::string name;
  std::string summary;    ///< one line for --help
  std::string reference;  ///< where the definition comes from
  std::vector<ParameterSpec> parameters;

  /// A random instance.  Deterministic in (parameters, rng); throws Error (usage) if the parameters contradict each other.
  Milp (*generate)(const Parameters&, Rng&) = nullptr;

  /// The same model from a published data file (a directory for maritime); nullptr if the family has none.
  Milp (*from_data)(const std::filesystem::path&, const Parameters&) = nullptr;
  std::string data_format{};  ///< what `from_data` reads, for --help
};

class FamilyRegistration {
 public:
  explicit FamilyRegistration(Family family);
};

/// All families, by name.
std::span<const Family> families();

/// Throws Error (usage) with the list of names if there is no such family.
const Family& family_by_name(std::string_view name);

/// The defaults of `size` with `overrides` on top.  Throws Error (usage) for an unknown name or a value out of range.
Parameters resolve_parameters(const Family&, Size, const Overrides& overrides = {});

/// The instance of `family` with this seed: `generate --seed S --count N` makes those of the seeds S .. S+N-1.
Milp generate_instance(const Family&, const Parameters&, std::uint64_t seed);

}  // namespace bough
