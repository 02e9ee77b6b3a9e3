// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace bough {

/// Reads a text file of white-space separated numbers, token by token; every complaint is an Error (bad_input) with file and line.
class NumberReader {
 public:
  /// Throws Error (missing_input) if the file cannot be read.
  explicit NumberReader(const std::filesystem::path& path);

  /// The next number; `what` names it in the complaint ("a column's cost").  The range is inclusive.
  int integer(std::string_view what, int low, int high);
  double real(std::string_view what, double low, double high);

  /// The next token as it stands; empty at the end of the file.
  std::string_view token();

  /// The rest of the current line.
  void skip_line();

  void expect_end();
  [[noreturn]] void fail(const std::string& complaint) const;  ///< Error (bad_input) at the last token's line

 private:
  std::filesystem::path path_;
  std::string text_;
  std::size_t at_ = 0;
  int line_ = 1;        // of at_
  int token_line_ = 1;  // of the last token
};

}  // namespace bough
