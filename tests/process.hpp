// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace bough::test {

struct Finished {
  int exit_code = -1;  ///< 128 + signal if a signal ended it
  std::string out;
  std::string err;
};

/// Runs a program to its end in `directory`.  The first word is looked up on the PATH; "bough" is the program under test.
/// `while_running`, if given, is called once with the process id right after the start.
Finished run_program(std::vector<std::string> words, const std::filesystem::path& directory = ".",
                     const std::function<void(int pid)>& while_running = {});

/// Waits until a file is there and not empty, or until the process has ended.
void wait_for_file(const std::filesystem::path& file, int pid);

/// Splits a command line at spaces; nothing is quoted in our tables.
std::vector<std::string> words_of(const std::string& command);

}  // namespace bough::test
