// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bough/model/model.hpp"
#include "bough/train/batch.hpp"

namespace bough {

/// What a network says about the candidates of a batch.
template <class T>
struct Scores {
  std::vector<T> logits;           // (n_candidates)
  std::vector<T> log_probability;  // (n_candidates)  log softmax over each state's candidates
};

/// The two half layers, by their names in a model.
enum class Half : std::uint8_t { rows, variables };
inline constexpr std::array<std::string_view, 2> half_names{"rows", "variables"};

/// A network that learns (docs/model.md).  T is float; tests also use double.
///
/// The trained tensors lie one behind the other in one array, in the order of tensors_of(), so that an optimiser need not know them.
/// Scoring and differentiating may run in several threads at once, as long as nobody changes the weights.
template <class T>
class Learner {
 public:
  /// All weights and means are 0, all deviations and scales 1.
  explicit Learner(const Architecture& architecture);
  /// With a model's weights and statistics.
  explicit Learner(const Model& model);
  ~Learner();
  Learner(Learner&&) noexcept;
  Learner& operator=(Learner&&) noexcept;

  [[nodiscard]] const Architecture& architecture() const;

  /// (n_parameters)
  [[nodiscard]] std::span<T> weights();
  [[nodiscard]] std::span<const T> weights() const;
  /// A tensor that is not trained, such as "row.mean".
  [[nodiscard]] std::span<T> statistic(std::string_view name);
  [[nodiscard]] std::span<const T> statistic(std::string_view name) const;

  /// Matrices uniform with He's variance before a relu and with Glorot's elsewhere, those of the GRU uniform within 1/sqrt(d), biases 0.
  void initialise(std::uint64_t seed);

  /// What the targets of a half layer gather, before it is normalised: (n_rows or n_pairs, d).
  [[nodiscard]] std::vector<T> gathered(const Batch& batch, Half half) const;

  /// Forward only.
  void score(const Batch& batch, Scores<T>& scores) const;

  /// Forward and backward of  factor * sum over states of  weight * cross entropy.  Overwrites `gradient` (n_parameters).
  void differentiate(const Batch& batch, double factor, Scores<T>& scores, std::span<T> gradient) const;

  /// The weights and statistics as a model, with an empty training record.
  [[nodiscard]] Model to_model() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Makes libtorch and the BLAS below it use one thread each: ours share the work in larger pieces, and several pools on the same
/// cores cost a factor.  To be called once, before anything is computed.
void use_one_thread_in_libtorch();

extern template class Learner<float>;
extern template class Learner<double>;

}  // namespace bough
