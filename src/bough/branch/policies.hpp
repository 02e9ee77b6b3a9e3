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

/// Whether `policy` means a model file: no policy has this name, and it is a file or ends in .safetensors.
bool is_model_file(const std::string& policy);

/// A policy by its name, or a trained one by its model file.
/// Throws Error: usage with the list of names if there is no such policy, missing_input or bad_input for a model file.
std::unique_ptr<Policy> make_policy(const std::string& name, std::uint64_t seed);

}  // namespace bough
