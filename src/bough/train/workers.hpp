// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bough {

/// Threads that share the items of a job.
class Workers {
 public:
  using Job = std::function<void(std::size_t worker, std::size_t item)>;

  /// The caller is one of the `n`.
  explicit Workers(std::size_t n) {
    for (std::size_t w = 1; w < n; ++w) threads_.emplace_back([this, w](const std::stop_token& stop) { wait_for_jobs(w, stop); });
  }

  [[nodiscard]] std::size_t size() const { return threads_.size() + 1; }

  /// Calls job(worker, item) for every item below `n`, each once, and returns when all are done.  A worker does one item at a time.
  /// An exception of a job is thrown here, after the others have ended.
  void run(std::size_t n, const Job& job) {
    {
      const std::scoped_lock lock(mutex_);
      job_ = &job;
      next_ = 0;
      n_ = n;
      n_working_ = threads_.size();
      ++round_;
    }
    wake_.notify_all();
    work(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return n_working_ == 0; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void wait_for_jobs(std::size_t worker, const std::stop_token& stop) {
    for (std::size_t round = 0;;) {
      {
        std::unique_lock lock(mutex_);
        if (!wake_.wait(lock, stop, [&] { return round_ != round; })) return;
        round = round_;
      }
      work(worker);
      const std::scoped_lock lock(mutex_);
      if (--n_working_ == 0) done_.notify_one();
    }
  }

  void work(std::size_t worker) {
    for (;;) {
      std::size_t item = 0;
      {
        const std::scoped_lock lock(mutex_);
        if (next_ == n_) return;
        item = next_++;
      }
      try {
        (*job_)(worker, item);
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_ = n_;
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable done_;
  const Job* job_ = nullptr;
  std::size_t next_ = 0, n_ = 0, n_working_ = 0, round_ = 0;
  std::exception_ptr error_;
  std::vector<std::jthread> threads_;  // last: they end before what they use does
};

}  // namespace bough
