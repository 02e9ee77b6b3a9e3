// SPDX-License-Identifier: Apache-2.0
#include "tests/process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <format>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "bough/file.hpp"

namespace bough::test {

Finished run_program(std::vector<std::string> words, const std::filesystem::path& directory, const std::function<void(int)>& while_running) {
  const TemporaryDirectory capture;
  const auto out = capture.path() / "out";
  const auto err = capture.path() / "err";
  for (std::string& word : words) {
    if (word == "bough") word = BOUGH_EXECUTABLE;
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  // Opened before the fork: a signal may end the child before its first instruction.
  const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out_fd = ::open(out.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const int err_fd = ::open(err.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    if (::chdir(directory.c_str()) != 0 || ::dup2(in, 0) < 0 || ::dup2(out_fd, 1) < 0 || ::dup2(err_fd, 2) < 0) ::_exit(127);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  for (const int fd : {in, out_fd, err_fd}) ::close(fd);
  if (while_running) while_running(child);
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), read_file(out), read_file(err)};
}

void wait_for_file(const std::filesystem::path& file, int pid) {
  const auto there = [&] { return std::filesystem::exists(file) && std::filesystem::file_size(file) > 0; };
  const auto running = [&] { return !read_file(std::format("/proc/{}/cmdline", pid)).empty(); };  // a process that has ended has none
  while (!there() && running()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream in(command);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace bough::test
