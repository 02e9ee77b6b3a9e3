// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bough/observe/policy.hpp"

namespace bough {

/// A policy that can be asked for by name.
struct PolicyKind {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Policy> (*make)(std::uint64_t seed);
};
std::span<const PolicyKind> policy_kinds();

/// Throws Error (usage) with the list of names if there is no such policy.
std::unique_ptr<Policy> make_policy(std::string_view name, std::uint64_t seed);

}  // namespace bough
