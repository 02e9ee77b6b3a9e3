// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace bough {

/// A directory that a long command fills step by step, and goes on filling when it is started again.  What is done is one line of a
/// journal, a text file that only grows.

/// Makes the directory and those above it.  Throws Error (cannot_write).
void make_directories(const std::filesystem::path& path);

/// The journal's lines without their newlines.  A last one without newline was cut off by a crash and does not count.  Throws Error (missing_input).
std::vector<std::string> read_journal(const std::filesystem::path& path);

/// Appends a line and flushes it to disk; what a crash left after the last whole line goes first.  After a failure, an Error
/// (cannot_write), the file is as it was before.
void append_to_journal(const std::filesystem::path& path, std::string_view line);

/// One writer at a time: who has the lock finds nothing half-written of those before.  It goes with the process, however that ends, and
/// children do not inherit it.  Throws Error: cannot_write,
/// failure if another process has it, which is doing `what`.
class DirectoryLock {
 public:
  DirectoryLock(const std::filesystem::path& directory, std::string_view what);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int fd_;
};

}  // namespace bough
