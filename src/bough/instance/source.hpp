// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bough/instance/family.hpp"

namespace bough {

/// The instances of a family with seeds first .. last, both included.
struct SeedRange {
  std::string family;
  Size size = Size::easy;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  Overrides parameters{};
};

/// Reads "A..B" or "A" into `seeds`.  Throws Error (usage) that begins with `origin`.
void parse_seeds(const std::string& text, const std::string& origin, SeedRange& seeds);

/// One instance of a list: its name, and where it comes from.
struct Instance {
  std::string name;
  std::filesystem::path file{};  ///< of one that lies in a folder
  std::uint64_t seed = 0;        ///< of a generated one
};

/// "setcover-easy-7" and so on, without files; with other parameters "setcover-easy-density=0.1-7": another instance, so another name.
std::vector<Instance> instances_of(const SeedRange& seeds);

/// The .mps, .lp and .cip files of a folder, plain or .gz, in small letters or capitals, by name.
/// Throws Error: missing_input if the folder cannot be read or has none, bad_input for a name, also the folder's, that is not valid UTF-8.
std::vector<Instance> instances_in(const std::filesystem::path& folder);

/// The published data sets in a folder: every file, or every directory if there is no file, named without its ending.  Throws as instances_in().
std::vector<Instance> data_in(const std::filesystem::path& folder);

}  // namespace bough
