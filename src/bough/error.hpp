// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace bough {

/// The process's exit codes (docs/cli.md has the table that a test runs).  An Error carries the one it leads to.
enum class ExitCode : int {
  ok = 0,              ///< done; the solve's status is in the output
  failure = 1,         ///< something went wrong at run time
  usage = 2,           ///< the command line is wrong
  partial = 3,         ///< a batch ended with some jobs failed
  bad_input = 65,      ///< an input file is there and is not what it should be
  missing_input = 66,  ///< an input file is missing or unreadable
  cannot_write = 73,   ///< an output file cannot be written
  interrupted = 130,   ///< SIGINT (128 + 2)
  terminated = 143,    ///< SIGTERM (128 + 15)
};

/// The one exception type.  `what()` says what is wrong and where, expected and got; `hint()` says what to do, and may be empty.
class Error : public std::runtime_error {
 public:
  explicit Error(ExitCode code, const std::string& what, std::string hint = {})
      : std::runtime_error(what), code_(code), hint_(std::move(hint)) {}

  [[nodiscard]] ExitCode code() const noexcept { return code_; }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

 private:
  ExitCode code_;
  std::string hint_;
};

}  // namespace bough
