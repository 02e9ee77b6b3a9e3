// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace bough {

// Text that somebody else wrote: names of files, and what stands in files that may come from anybody.

/// For a message: quoted, in ASCII, and not longer than a reader wants it.
std::string in_quotes(std::string_view text);

/// For a terminal: nothing in it speaks to it.
std::string printable(std::string text);

/// A JSON object that is not nested so deeply that copying or printing it could exhaust the stack.
bool is_shallow_object(std::string_view text);

/// Throws Error (bad_input) if the name is not valid UTF-8: JSON, and so no record, can hold it.
void require_utf8(const std::filesystem::path& name);

/// The ending of a file's name in small letters, that before .gz if it has one: ".mps" for "a/b.mps.gz" and for "B.MPS".
std::string ending_of(const std::filesystem::path& path);

}  // namespace bough
