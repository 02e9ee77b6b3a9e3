// SPDX-License-Identifier: Apache-2.0
#include "bough/stop.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <initializer_list>

namespace bough {
namespace {

std::atomic<int> received{0};
std::atomic<std::int64_t> received_at_ms{0};
std::atomic<void (*)()> hook{nullptr};
static_assert(decltype(received)::is_always_lock_free && decltype(received_at_ms)::is_always_lock_free && decltype(hook)::is_always_lock_free);

// `timeout` signals its child and then the whole process group: the child gets the signal twice at once and means it once.
constexpr std::int64_t one_request_ms = 200;

std::int64_t now_ms() {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);  // may be called from a signal handler
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void on_signal(int signal) {
  std::int64_t none = 0;
  if (!received_at_ms.compare_exchange_strong(none, now_ms())) {  // the time first: another thread may get the same request's second signal before the next line
    if (now_ms() - none > one_request_ms) ::_exit(128 + signal);
    return;
  }
  received = signal;
  if (const auto call = hook.load()) call();
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&action.sa_mask, signal);
  for (const int signal : {SIGINT, SIGTERM}) (void)sigaction(signal, &action, nullptr);
}

int stop_signal() noexcept { return received.load(); }

void forget_stop() noexcept {
  received = 0;
  received_at_ms = 0;
}

void on_stop(void (*call)()) noexcept { hook = call; }

}  // namespace bough
