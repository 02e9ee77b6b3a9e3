// SPDX-License-Identifier: Apache-2.0
#include "bough/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <format>

#include "bough/error.hpp"
#include "bough/file.hpp"

namespace bough {
namespace {

constexpr std::string_view if_full = "free some space and run the same command again: it goes on where it was";

}  // namespace

void make_directories(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw Error(ExitCode::cannot_write, std::format("cannot create {}: {}", path.string(), error.message()));
}

std::vector<std::string> read_journal(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  std::vector<std::string> lines;
  std::size_t at = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', at)) {
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

void append_to_journal(const std::filesystem::path& path, std::string_view line) {
  const std::string bytes = std::string(line) + "\n";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) fail_write(path, errno, if_full);
  errno = 0;  // a write that is cut short says nothing more
  off_t size = ::lseek(fd, 0, SEEK_END);
  char last = '\n';
  while (size > 0 && ::pread(fd, &last, 1, size - 1) == 1 && last != '\n') --size;
  const bool good = size >= 0 && ::ftruncate(fd, size) == 0 && ::pwrite(fd, bytes.data(), bytes.size(), size) == static_cast<ssize_t>(bytes.size()) && ::fsync(fd) == 0;
  const int error = errno;
  if (!good) (void)::ftruncate(fd, size);
  ::close(fd);
  if (!good) fail_write(path, error != 0 ? error : ENOSPC, if_full);
}

DirectoryLock::DirectoryLock(const std::filesystem::path& directory, std::string_view what) : fd_(::open((directory / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (fd_ < 0) fail_write(directory / ".lock", errno, if_full);
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(fd_, F_SETLK, &lock) != 0) {
    const int error = errno;
    ::close(fd_);
    if (error != EACCES && error != EAGAIN) throw Error(ExitCode::cannot_write, std::format("cannot lock {}: {}", (directory / ".lock").string(), std::strerror(error)), "its file system may know no locks: choose a directory on another one");
    throw Error(ExitCode::failure, std::format("another process is {} {}", what, directory.string()), "wait for it, or choose another directory");
  }
  remove_leftovers(directory);
}

DirectoryLock::~DirectoryLock() { ::close(fd_); }

}  // namespace bough
