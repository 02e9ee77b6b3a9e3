// SPDX-License-Identifier: Apache-2.0
#include "cli/trainer.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <filesystem>
#include <format>
#include <thread>

#include "bough/error.hpp"
#include "bough/stop.hpp"

namespace bough::cli {

void become_trainer(const std::vector<std::string>& arguments) {
  const auto trainer = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "bough-train";
  std::vector<char*> words;
  std::string name = trainer.string();
  words.push_back(name.data());
  std::vector<std::string> copies = arguments;
  for (std::string& word : copies) words.push_back(word.data());
  words.push_back(nullptr);
  (void)::setenv("OPENBLAS_NUM_THREADS", "1", /*overwrite=*/0);
  std::signal(SIGPIPE, SIG_DFL);
  ::execv(name.c_str(), words.data());
  throw Error(ExitCode::failure, std::format("cannot start {}: {}", name, std::strerror(errno)), "it belongs beside the program 'bough'; build it with 'make'");
}

int run_trainer(const std::vector<std::string>& arguments) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw Error(ExitCode::failure, std::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) {
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // it died before the line above
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);  // its summary is not our result
    (void)::dup2(nowhere, STDOUT_FILENO);
    try {
      become_trainer(arguments);
    } catch (const std::exception& error) {  // all of them: what the parent holds is not the child's to clear away
      (void)!::write(STDERR_FILENO, error.what(), std::strlen(error.what()));
    }
    ::_exit(static_cast<int>(ExitCode::failure));
  }
  int status = 0;
  bool told = false;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (stop_signal() != 0 && !told) {
      ::kill(child, stop_signal());  // within a fifth of a second of the terminal's own it counts as the same
      told = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace bough::cli
