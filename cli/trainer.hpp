// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace bough::cli {

/// Becomes bough-train, the program beside this one: it is linked with libtorch, this one is not.  Throws Error (failure) if it is not there.
[[noreturn]] void become_trainer(const std::vector<std::string>& arguments);

/// Runs it to its end, without what it prints as its result, and returns its exit code.  It gets the stop signals of the terminal itself; those that only this process gets are passed on.
int run_trainer(const std::vector<std::string>& arguments);

}  // namespace bough::cli
