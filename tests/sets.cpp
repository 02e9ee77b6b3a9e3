// SPDX-License-Identifier: Apache-2.0
#include "tests/sets.hpp"

#include <fstream>
#include <iterator>

#include "bough/branch/policies.hpp"

namespace bough::test {

CollectRequest small_request(const std::filesystem::path& output, const std::string& family, std::uint64_t n_instances) {
  CollectRequest request;
  request.seeds = {family, Size::tiny, 0, n_instances - 1};
  request.output = output;
  request.sampling.window = 3;
  request.sampling.start = Start::first;
  request.sampling.max_labels = 6;
  request.settings.preset = "paper";
  request.settings.overrides = {{"separating/maxroundsroot", "0"}};
  request.make_explorer = [name = request.explorer](std::uint64_t seed) { return make_policy(name, seed); };
  return request;
}

std::map<std::string, std::string> contents(const std::filesystem::path& set) {
  std::map<std::string, std::string> found;
  for (const auto& file : std::filesystem::recursive_directory_iterator(set)) {
    if (!file.is_regular_file() || file.path().filename() == ".lock") continue;
    std::ifstream in(file.path(), std::ios::binary);
    found[std::filesystem::relative(file.path(), set).string()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return found;
}

}  // namespace bough::test
