// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <format>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "bough/file.hpp"
#include "bough/jobs.hpp"

namespace bough::test {
namespace {

using Body = std::function<std::string(std::size_t, const std::function<void(std::string_view)>&)>;

/// Runs jobs 0 .. n-1 and returns how each ended.
std::map<std::size_t, JobEnd> run_jobs(std::size_t n, int n_workers, const Body& body, const std::function<void(JobRunner&)>& set = {}) {
  std::map<std::size_t, JobEnd> ends;
  std::size_t started = 0;
  JobRunner runner;
  runner.n_workers = n_workers;
  runner.next = [&]() -> std::optional<std::size_t> { return started < n ? std::optional(started++) : std::nullopt; };
  runner.body = body;
  runner.on_end = [&](std::size_t job, const JobEnd& end) {
    EXPECT_FALSE(ends.contains(job)) << "job " << job << " ended twice";
    ends[job] = end;
  };
  if (set) set(runner);
  runner.run();
  return ends;
}

TEST(Jobs, EveryJobRunsOnceInItsOwnProcessAndItsResultComesBack) {
  for (const int n_workers : {1, 2, 5}) {
    const auto ends = run_jobs(12, n_workers, [](std::size_t job, const auto&) { return std::format("{} {}", job, ::getpid()); });
    ASSERT_EQ(ends.size(), 12U);
    for (const auto& [job, end] : ends) {
      EXPECT_EQ(end.kind, JobEnd::Kind::done);
      EXPECT_TRUE(end.text.starts_with(std::format("{} ", job))) << end.text;
      EXPECT_FALSE(end.text.ends_with(std::format(" {}", ::getpid())));
    }
  }
}

/// The cores that a pinned worker may use, each as " 3 ".
std::string cores_of_a_pinned_worker() {
  const auto ends = run_jobs(
      1, 1,
      [](std::size_t, const auto&) {
        cpu_set_t mine;
        (void)::sched_getaffinity(0, sizeof mine, &mine);
        std::string text;
        for (std::size_t core = 0; core < CPU_SETSIZE; ++core) text += CPU_ISSET(core, &mine) ? std::format(" {} ", core) : "";
        return text;
      },
      [](JobRunner& runner) { runner.pinned = true; });
  return ends.at(0).text;
}

/// Takes a core's name, as a pinned worker does.  The descriptor to close, or -1 if somebody has the name.
int take_name_of(std::size_t core) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = std::format("bough-core-{}", core);
  std::ranges::copy(name, address.sun_path + 1);
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())) == 0) return fd;
  ::close(fd);
  return -1;
}

std::vector<std::size_t> allowed_cores() {
  cpu_set_t allowed;
  EXPECT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  std::vector<std::size_t> cores;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  }
  return cores;
}

// Workers of other tests may have all cores at the moment: then there is none for this one, and it asks again.
TEST(Jobs, APinnedWorkerHasOneCore) {
  constexpr int patience = 600;
  for (int attempt = 0; attempt < patience; ++attempt) {
    if (std::ranges::count(cores_of_a_pinned_worker(), ' ') == 2) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  for (const std::size_t core : allowed_cores()) {
    const int fd = take_name_of(core);
    if (fd < 0) continue;
    ::close(fd);
    if (std::ranges::count(cores_of_a_pinned_worker(), ' ') == 2) return;  // it has become free since
    FAIL() << "core " << core << " is free, and the worker was not kept on it";
  }
  GTEST_SKIP() << "all cores belong to workers of something else";
}

// Somebody else's worker has the last core: its name is taken.
TEST(Jobs, APinnedWorkerLeavesACoreToTheOneThatHasIt) {
  const std::vector<std::size_t> cores = allowed_cores();
  if (cores.size() < 2) GTEST_SKIP() << "on a single core there is no choice";
  const int fd = take_name_of(cores.back());  // if somebody has it already, it is just as good
  EXPECT_NE(cores_of_a_pinned_worker(), std::format(" {} ", cores.back())) << "one core, and it is taken";
  if (fd >= 0) ::close(fd);
}

TEST(Jobs, LargeResultsAndManyMessagesArriveWholeAndInOrder) {
  std::string heard;
  const auto ends = run_jobs(
      1, 1,
      [](std::size_t, const auto& send) {
        for (int i = 0; i < 1000; ++i) send(std::format("{},", i));
        return std::string(3'000'000, 'x');
      },
      [&](JobRunner& runner) { runner.on_message = [&](std::size_t, std::string_view message) { heard += message; }; });
  EXPECT_EQ(ends.at(0).text, std::string(3'000'000, 'x'));
  std::string expected;
  for (int i = 0; i < 1000; ++i) expected += std::format("{},", i);
  EXPECT_EQ(heard, expected);
}

// It ends only after the second tick.
TEST(Jobs, TicksWhileAJobRuns) {
  const TemporaryDirectory directory;
  int n_ticks = 0;
  const auto ends = run_jobs(
      1, 1,
      [&](std::size_t, const auto&) {
        while (!std::filesystem::exists(directory.path() / "ticked")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return "ended";
      },
      [&](JobRunner& runner) {
        runner.time_limit_s = 60;
        runner.on_tick = [&] {
          if (++n_ticks == 2) write_file(directory.path() / "ticked", "");
        };
      });
  EXPECT_EQ(ends.at(0).text, "ended");
  EXPECT_GE(n_ticks, 2);
}

TEST(Jobs, ACrashAnErrorAndAnExceptionCostOneJobEach) {
  const auto ends = run_jobs(5, 2, [](std::size_t job, const auto&) -> std::string {
    if (job == 1) {
      std::signal(SIGABRT, SIG_DFL);
      std::abort();
    }
    if (job == 2) throw Error(ExitCode::bad_input, "two\nlines", "a hint");
    if (job == 3) throw std::runtime_error("not one of ours");
    return "good";
  });
  EXPECT_EQ(ends.at(0).text, "good");
  EXPECT_EQ(ends.at(4).text, "good");
  EXPECT_EQ(ends.at(1).kind, JobEnd::Kind::crashed);
  EXPECT_NE(ends.at(1).text.find("Aborted"), std::string::npos) << ends.at(1).text;
  EXPECT_EQ(ends.at(2).kind, JobEnd::Kind::failed);
  EXPECT_EQ(ends.at(2).code, ExitCode::bad_input);
  EXPECT_EQ(ends.at(2).text, "two\nlines");
  EXPECT_EQ(ends.at(2).hint, "a hint");
  EXPECT_EQ(ends.at(3).kind, JobEnd::Kind::crashed);
  EXPECT_EQ(ends.at(3).text, "not one of ours");
}

TEST(Jobs, AJobThatIsKilledFromOutsideIsToldApartFromACrash) {
  const auto ends = run_jobs(1, 1, [](std::size_t, const auto&) -> std::string {
    ::kill(::getpid(), SIGKILL);
    return "";
  });
  EXPECT_EQ(ends.at(0).kind, JobEnd::Kind::killed);
}

TEST(Jobs, AJobOverItsTimeLimitIsEnded) {
  const auto ends = run_jobs(
      2, 2,
      [](std::size_t job, const auto&) -> std::string {
        while (job == 0) ::pause();
        return "good";
      },
      [](JobRunner& runner) { runner.time_limit_s = 0.5; });
  EXPECT_EQ(ends.at(0).kind, JobEnd::Kind::hung);
  EXPECT_EQ(ends.at(1).kind, JobEnd::Kind::done);
}

TEST(Jobs, AnEmptyMessageStartsTheClockOfTheTimeLimitAnew) {
  const auto ends = run_jobs(
      1, 1,
      [](std::size_t, const auto& send) -> std::string {
        for (int stage = 0; stage < 3; ++stage) {  // 3.6 s in all
          std::this_thread::sleep_for(std::chrono::milliseconds(1200));
          send("");
        }
        return "good";
      },
      [](JobRunner& runner) { runner.time_limit_s = 3; });
  EXPECT_EQ(ends.at(0).kind, JobEnd::Kind::done) << ends.at(0).text;
}

TEST(Jobs, AJobOverItsMemoryLimitEndsAlone) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer needs all of the address space";
#endif
  const auto ends = run_jobs(
      2, 1,
      [](std::size_t job, const auto&) {
        std::string memory;
        while (job == 0) memory.append(50U << 20U, 'x');
        return std::string("good");
      },
      [](JobRunner& runner) { runner.memory_limit_mb = 1024; });
  EXPECT_EQ(ends.at(0).kind, JobEnd::Kind::crashed);
  EXPECT_EQ(ends.at(0).text, "out of memory");
  EXPECT_EQ(ends.at(1).text, "good");
}

TEST(Jobs, AStopKillsWhatRunsAndAnExceptionOfTheCallerPassesThrough) {
  bool stop = false;
  const auto ends = run_jobs(
      3, 3,
      [](std::size_t job, const auto& send) -> std::string {
        if (job == 0) send("go");
        for (;;) ::pause();
      },
      [&](JobRunner& runner) {
        runner.on_message = [&](std::size_t, std::string_view) { stop = true; };
        runner.stop = [&] { return stop; };
      });
  EXPECT_TRUE(ends.empty());
  EXPECT_THROW(run_jobs(2, 1, [](std::size_t, const auto&) { return std::string(); }, [](JobRunner& runner) { runner.on_end = [](std::size_t, const JobEnd&) { throw Error(ExitCode::cannot_write, "full"); }; }), Error);
}

bool is_alive(pid_t pid) {
  std::error_code ignored;
  const auto stat = std::format("/proc/{}/stat", pid);
  if (!std::filesystem::exists(stat, ignored)) return false;
  try {
    return read_file(stat).find(") Z ") == std::string::npos;  // dead, and nobody has asked for its exit code yet
  } catch (const Error&) {
    return false;
  }
}

TEST(Jobs, WorkersDieWithTheirParentEvenIfThatIsKilled) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "pid";
  const pid_t parent = ::fork();
  if (parent == 0) {
    run_jobs(1, 1, [&](std::size_t, const auto&) -> std::string {
      write_file(file, std::to_string(::getpid()));
      for (;;) ::pause();
    });
    ::_exit(0);
  }
  while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const pid_t worker = std::stoi(read_file(file));
  EXPECT_TRUE(is_alive(worker));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  for (int i = 0; i < 2000 && is_alive(worker); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(is_alive(worker));
}

}  // namespace
}  // namespace bough::test
