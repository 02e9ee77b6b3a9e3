// SPDX-License-Identifier: Apache-2.0
#include "bough/scip/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace bough {
namespace {

std::atomic<int> received{0};
std::atomic<std::int64_t> received_at_ms{0};
std::atomic<SCIP*> solving{nullptr};
static_assert(std::atomic<SCIP*>::is_always_lock_free && std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

// `timeout` signals its child and then the whole process group: the child gets the signal twice at once and means it once.
constexpr std::int64_t one_request_ms = 200;

std::int64_t now_ms() {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);  // may be called from a signal handler
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void on_signal(int signal) {
  int none = 0;
  if (!received.compare_exchange_strong(none, signal)) {
    if (now_ms() - received_at_ms.load() > one_request_ms) ::_exit(128 + signal);
    return;
  }
  received_at_ms = now_ms();
  // SCIPinterruptSolve only sets a flag in a library built without stage checks (Debian's), so it may be called from here.
  if (SCIP* scip = solving.load()) (void)SCIPinterruptSolve(scip);
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) (void)sigaction(signal, &action, nullptr);
}

int stop_signal() noexcept { return received.load(); }

StoppableSolve::StoppableSolve(SCIP* scip) noexcept { solving = scip; }
StoppableSolve::~StoppableSolve() { solving = nullptr; }

}  // namespace bough
