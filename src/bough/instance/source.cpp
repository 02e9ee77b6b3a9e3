// SPDX-License-Identifier: Apache-2.0
#include "bough/instance/source.hpp"

#include <algorithm>
#include <charconv>
#include <format>
#include <functional>
#include <set>

#include "bough/error.hpp"
#include "bough/foreign_text.hpp"

namespace bough {
namespace {

namespace fs = std::filesystem;

/// The entries of a folder for which `name_of` returns a name, sorted by it.
std::vector<Instance> listed(const fs::path& folder, const std::function<std::string(const fs::directory_entry&)>& name_of) {
  std::error_code error;
  std::vector<Instance> found;
  fs::directory_iterator entries(folder, error);
  if (error) throw Error(ExitCode::missing_input, std::format("cannot read the folder {}: {}", folder.string(), error.message()));
  require_utf8(fs::weakly_canonical(folder).filename());
  for (const auto& entry : entries) {
    const std::string name = name_of(entry);
    if (name.empty() || name.starts_with('.')) continue;  // hidden files are nobody's instances
    require_utf8(entry.path().filename());
    found.push_back({name, entry.path(), 0});
  }
  std::ranges::sort(found, {}, &Instance::name);
  return found;
}

}  // namespace

void parse_seeds(const std::string& text, const std::string& origin, SeedRange& seeds) {
  const auto dots = text.find("..");
  const std::string first = text.substr(0, dots);
  const std::string last = dots == std::string::npos ? first : text.substr(dots + 2);
  const auto parse = [&](const std::string& number) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size()) throw Error(ExitCode::usage, std::format("{} {}: expected A..B with whole numbers", origin, text), "example: 0..99");
    return value;
  };
  seeds.first = parse(first);
  seeds.last = parse(last);
  if (seeds.last < seeds.first) throw Error(ExitCode::usage, std::format("{} {}: the last is smaller than the first", origin, text));
  if (seeds.last - seeds.first >= 10'000'000) throw Error(ExitCode::usage, std::format("{} {}: more than 10 million instances", origin, text));
}

std::vector<Instance> instances_of(const SeedRange& seeds) {
  std::string kind = std::format("{}-{}", seeds.family, size_names[static_cast<std::size_t>(seeds.size)]);
  for (const auto& [name, value] : seeds.parameters) kind += std::format("-{}={}", name, value);
  std::vector<Instance> all;
  for (std::uint64_t k = 0; k <= seeds.last - seeds.first; ++k) {
    const std::uint64_t seed = seeds.first + k;
    all.push_back({std::format("{}-{}", kind, seed), {}, seed});
  }
  return all;
}

std::vector<Instance> instances_in(const fs::path& folder) {
  const auto found = listed(folder, [](const fs::directory_entry& entry) -> std::string {
    static const std::set<std::string> formats{".mps", ".lp", ".cip"};
    return entry.is_regular_file() && formats.contains(ending_of(entry.path())) ? entry.path().filename().string() : "";
  });
  if (found.empty()) throw Error(ExitCode::missing_input, std::format("no instance in {}: looked for .mps, .lp and .cip files, plain or .gz", folder.string()));
  return found;
}

std::vector<Instance> data_in(const fs::path& folder) {
  auto found = listed(folder, [](const fs::directory_entry& entry) { return entry.is_regular_file() ? entry.path().stem().string() : ""; });
  if (found.empty()) found = listed(folder, [](const fs::directory_entry& entry) { return entry.is_directory() ? entry.path().filename().string() : ""; });
  if (found.empty()) throw Error(ExitCode::missing_input, std::format("no data in {}", folder.string()));
  return found;
}

}  // namespace bough
