// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace bough {

/// A seeded random stream with its own distributions: the standard library's are not specified to the bit, so the same seed would
/// give other instances with another compiler.  Generator: xoshiro256++ (Blackman & Vigna 2021), seeded by splitmix64.
///
/// Streams with different names are independent for the same seed: Rng("setcover", 7) and Rng("auction", 7) share nothing.
class Rng {
 public:
  Rng(std::string_view stream, std::uint64_t seed) {
    std::uint64_t mix = 0xcbf29ce484222325U;  // FNV-1a over the stream's name, then the seed
    for (const char c : stream) mix = (mix ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    mix ^= splitmix(seed);
    for (auto& word : state_) word = splitmix(mix);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Uniform on [0, 1) with 53 random bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  bool bernoulli(double probability) { return uniform() < probability; }

  /// Uniform on {0, ..., n-1}, without modulo bias (Lemire 2019).  Precondition: n > 0.
  std::uint64_t below(std::uint64_t n) {
    assert(n > 0);
    const std::uint64_t threshold = (0 - n) % n;
    for (;;) {
      __extension__ using Wide = unsigned __int128;
      const Wide product = static_cast<Wide>(next()) * n;
      if (static_cast<std::uint64_t>(product) >= threshold) return static_cast<std::uint64_t>(product >> 64);
    }
  }

  /// Uniform on {low, ..., high}, both included.
  int integer(int low, int high) {
    assert(low <= high);
    return low + static_cast<int>(below(static_cast<std::uint64_t>(static_cast<std::int64_t>(high) - low) + 1));
  }

  /// An index with probability proportional to its weight.  Precondition: weights >= 0, their sum > 0.
  std::size_t weighted(std::span<const double> weights) {
    double total = 0;
    for (const double w : weights) total += w;
    assert(total > 0);
    double target = uniform() * total;
    std::size_t last = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] <= 0) continue;
      last = i;
      target -= weights[i];
      if (target < 0) break;
    }
    return last;  // rounding may leave target at 0 after the last positive weight
  }

  /// A uniform random permutation of {0, ..., n-1}.
  std::vector<int> permutation(int n) {
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    shuffle_front(order, order.size());
    return order;
  }

  /// Makes the first `k` elements of `items` a uniform sample without replacement, in random order (partial Fisher-Yates).
  template <class T>
  void shuffle_front(std::vector<T>& items, std::size_t k) {
    assert(k <= items.size());
    for (std::size_t i = 0; i < k; ++i) std::swap(items[i], items[i + below(items.size() - i)]);
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  static std::uint64_t splitmix(std::uint64_t& x) {
    x += 0x9e3779b97f4a7c15U;
    std::uint64_t z = x;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  std::uint64_t state_[4]{};
};

}  // namespace bough
