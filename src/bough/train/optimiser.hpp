// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bough {

/// Adam (Kingma & Ba 2015) with decoupled weight decay (Loshchilov & Hutter 2019), on one array of weights.
class Adam {
 public:
  explicit Adam(std::size_t n) : first_moment(n), second_moment(n) {}

  void step(std::span<float> weights, std::span<const float> gradient, double learning_rate, double weight_decay) {
    ++n_steps;
    const auto rate = static_cast<float>(learning_rate / (1 - std::pow(beta1, static_cast<double>(n_steps))));
    const auto correction = static_cast<float>(1 / (1 - std::pow(beta2, static_cast<double>(n_steps))));
    const auto keep = static_cast<float>(1 - learning_rate * weight_decay);
    constexpr auto b1 = static_cast<float>(beta1), b2 = static_cast<float>(beta2);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      first_moment[i] = b1 * first_moment[i] + (1 - b1) * gradient[i];
      second_moment[i] = b2 * second_moment[i] + (1 - b2) * gradient[i] * gradient[i];
      weights[i] = keep * weights[i] - rate * first_moment[i] / (std::sqrt(correction * second_moment[i]) + 1e-8F);
    }
  }

  std::vector<float> first_moment, second_moment;  // (n)
  std::int64_t n_steps = 0;

 private:
  static constexpr double beta1 = 0.9, beta2 = 0.999;
};

/// The length of a vector, summed in the order of its elements.
inline double norm(std::span<const float> x) {
  double squares = 0;
  for (const float value : x) squares += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(squares);
}

}  // namespace bough
