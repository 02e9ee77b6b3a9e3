// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "bough/milp.hpp"

namespace bough {

/// The formats write_milp() knows, as file name endings without the dot.
inline constexpr std::array<std::string_view, 4> instance_formats{"mps.gz", "mps", "lp.gz", "lp"};

/// Writes free MPS or LP format, by the file name's ending.  Numbers are the shortest text that reads back to the same bits.
/// LP format cannot hold every name: signs like '-' become '_' there, and a range row becomes two rows.
/// Throws Error: usage for another ending, cannot_write.  The file appears complete or not at all.
void write_milp(const Milp& milp, const std::filesystem::path& path);

}  // namespace bough
