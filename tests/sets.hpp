// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "bough/collect/collect.hpp"

namespace bough::test {

/// A request for a small set that is collected in about a second: `n_instances` tiny instances of a family, windows of three from the
/// root on, at most six labels an episode.
CollectRequest small_request(const std::filesystem::path& output, const std::string& family = "loadbalance", std::uint64_t n_instances = 6);

/// The names and contents of everything below a set that its bytes are made of: set.json, manifest, shards.
std::map<std::string, std::string> contents(const std::filesystem::path& set);

}  // namespace bough::test
