// SPDX-License-Identifier: Apache-2.0
#include "bough/jobs.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <format>
#include <list>
#include <new>
#include <vector>

#include "bough/stop.hpp"

namespace bough {
namespace {

using Clock = std::chrono::steady_clock;

// What a child writes to its pipe: a kind, a length, the bytes.
enum class Frame : char { message = 'm', result = 'r', error = 'e', exception = 'x' };

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) ::_exit(1);  // the parent is gone
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void send_frame(int fd, Frame kind, std::string_view payload) {
  std::string frame(1, static_cast<char>(kind));
  const auto length = static_cast<std::uint32_t>(payload.size());
  frame.append(reinterpret_cast<const char*>(&length), sizeof length);
  frame += payload;
  write_all(fd, frame);
}

/// An Error as the parent will see it: code, hint, what.  A hint is one line.
std::string error_text(const Error& error) { return std::format("{}\n{}\n{}", static_cast<int>(error.code()), error.hint(), error.what()); }

JobEnd error_from(std::string_view text) {
  const auto first = text.find('\n');
  const auto second = text.find('\n', first + 1);
  return {JobEnd::Kind::failed, std::string(text.substr(second + 1)), std::string(text.substr(first + 1, second - first - 1)),
          static_cast<ExitCode>(std::stoi(std::string(text.substr(0, first))))};
}

void limit_memory(std::size_t megabytes) {
#ifndef __SANITIZE_ADDRESS__  // its shadow memory is terabytes of address space
  if (megabytes == 0) return;
  const rlimit limit{megabytes << 20U, megabytes << 20U};
  (void)::setrlimit(RLIMIT_DATA, &limit);
#else
  (void)megabytes;
#endif
}

/// Whether no other worker on this machine, of this program or of another, has the core.  It is this process's until it ends, however it
/// does: a name in the abstract socket namespace goes with its last descriptor, which is left open.
bool claim(int core) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = std::format("bough-core-{}", core);
  std::ranges::copy(name, address.sun_path + 1);  // after a zero byte: not in the file system
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return true;  // nobody to ask
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())) == 0) return true;
  const bool taken = errno == EADDRINUSE;
  ::close(fd);
  return !taken;
}

/// Keeps the process on a core of its own among those that it may use, if one is left; the last first: the first has the most of the system's
/// own work.
void pin_to_core() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (int core = CPU_SETSIZE - 1; core >= 0; --core) {
    if (!CPU_ISSET(static_cast<std::size_t>(core), &allowed) || !claim(core)) continue;
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(static_cast<std::size_t>(core), &only);
    (void)::sched_setaffinity(0, sizeof only, &only);
    return;
  }
}

struct Running {
  std::size_t job;
  pid_t pid;
  int pipe;
  Clock::time_point start;
  std::string inbox;                 ///< bytes of a frame that is not complete yet
  std::optional<JobEnd> end;         ///< what the child said of its end
  bool hung = false;
};

/// The jobs that run now.  Whatever happens, none outlives it.
class Children {
 public:
  explicit Children(const JobRunner& runner) : runner_(runner) {}
  ~Children() {
    for (const Running& child : running_) {
      ::kill(child.pid, SIGKILL);
      ::close(child.pipe);
      while (::waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {}
    }
  }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  [[nodiscard]] std::size_t size() const { return running_.size(); }

  void start(std::size_t job) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(ExitCode::failure, std::format("cannot make a pipe: {}", std::strerror(errno)));
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) throw Error(ExitCode::failure, std::format("cannot start a process: {}", std::strerror(errno)), "fewer --workers may help");
    if (pid == 0) {
      ::close(ends[0]);
      become_worker(job, ends[1], parent);
    }
    ::close(ends[1]);
    running_.push_back({job, pid, ends[0], Clock::now(), {}, {}, false});
  }

  /// Waits a moment for news, passes messages on, and calls on_end() for the jobs that ended.
  void attend() {
    std::vector<pollfd> polled;
    for (const Running& child : running_) polled.push_back({child.pipe, POLLIN, 0});
    if (::poll(polled.data(), polled.size(), /*timeout ms=*/100) < 0 && errno != EINTR) {
      throw Error(ExitCode::failure, std::format("cannot wait for processes: {}", std::strerror(errno)));
    }
    std::size_t i = 0;
    for (auto child = running_.begin(); child != running_.end(); ++i) {
      if (runner_.time_limit_s > 0 && !child->hung && Clock::now() - child->start > std::chrono::duration<double>(runner_.time_limit_s)) {
        child->hung = true;
        ::kill(child->pid, SIGKILL);
      }
      const bool ended = polled[i].revents != 0 && !receive(*child);
      if (!ended) {
        ++child;
        continue;
      }
      const std::size_t job = child->job;
      const JobEnd end = bury(*child);
      child = running_.erase(child);
      runner_.on_end(job, end);
    }
  }

 private:
  [[noreturn]] void become_worker(std::size_t job, int pipe, pid_t parent) {
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    forget_stop();  // one that came just before the fork: the parent will end this process
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // it died before the line above
    limit_memory(runner_.memory_limit_mb);
    if (runner_.pinned) pin_to_core();
    try {
      const std::string result = runner_.body(job, [pipe](std::string_view message) { send_frame(pipe, Frame::message, message); });
      send_frame(pipe, Frame::result, result);
    } catch (const Error& error) {
      send_frame(pipe, Frame::error, error_text(error));
    } catch (const std::bad_alloc&) {
      send_frame(pipe, Frame::exception, "out of memory");
    } catch (const std::exception& error) {
      send_frame(pipe, Frame::exception, error.what());
    }
    ::_exit(0);  // without the parent's destructors and exit handlers
  }

  /// False at the end of the child's pipe.
  bool receive(Running& child) {
    std::array<char, 1U << 16U> buffer;
    const ssize_t n = ::read(child.pipe, buffer.data(), buffer.size());
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    if (n == 0) return false;
    child.inbox.append(buffer.data(), static_cast<std::size_t>(n));
    constexpr std::size_t header = 1 + sizeof(std::uint32_t);
    while (child.inbox.size() >= header) {
      std::uint32_t length = 0;
      std::memcpy(&length, child.inbox.data() + 1, sizeof length);
      if (child.inbox.size() < header + length) break;
      const std::string payload = child.inbox.substr(header, length);
      const auto kind = static_cast<Frame>(child.inbox[0]);
      child.inbox.erase(0, header + length);
      switch (kind) {
        case Frame::message:
          if (payload.empty()) child.start = Clock::now();
          else if (runner_.on_message) runner_.on_message(child.job, payload);
          break;
        case Frame::result: child.end = JobEnd{JobEnd::Kind::done, payload, {}, ExitCode::ok}; break;
        case Frame::error: child.end = error_from(payload); break;
        case Frame::exception: child.end = JobEnd{JobEnd::Kind::crashed, payload, {}, ExitCode::failure}; break;
      }
    }
    return true;
  }

  JobEnd bury(const Running& child) const {
    ::close(child.pipe);
    int status = 0;
    while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {}
    if (child.end) return *child.end;
    if (child.hung) return {JobEnd::Kind::hung, std::format("it did not end within {} s", runner_.time_limit_s), {}, ExitCode::failure};
    if (!WIFSIGNALED(status)) return {JobEnd::Kind::crashed, std::format("it exited with code {} in the middle", WEXITSTATUS(status)), {}, ExitCode::failure};
    const int signal = WTERMSIG(status);
    const bool from_outside = signal == SIGKILL || signal == SIGTERM;
    return {from_outside ? JobEnd::Kind::killed : JobEnd::Kind::crashed, std::format("signal {} ({})", signal, ::strsignal(signal)), {}, ExitCode::failure};
  }

  const JobRunner& runner_;
  std::list<Running> running_;
};

}  // namespace

void JobRunner::run() {
  Children children(*this);
  auto ticked = Clock::now();
  for (;;) {
    if (stop && stop()) return;
    while (children.size() < static_cast<std::size_t>(n_workers)) {
      const std::optional<std::size_t> job = next();
      if (!job) break;
      children.start(*job);
    }
    if (children.size() == 0) return;
    children.attend();
    if (!on_tick || Clock::now() - ticked < std::chrono::seconds(1)) continue;
    ticked = Clock::now();
    on_tick();
  }
}

}  // namespace bough
