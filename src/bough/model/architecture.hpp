// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bough {

enum class Network : std::uint8_t { gcnn, gat, tgat };
inline constexpr std::array<std::string_view, 3> network_names{"gcnn", "gat", "tgat"};

/// How the three projections meet in an attention logit: added inside the LeakyReLU, or concatenated (docs/model.md).
enum class Attention : std::uint8_t { sum, concat };
inline constexpr std::array<std::string_view, 2> attention_names{"sum", "concat"};

/// What distinguishes one network from another; with the weights, all of a model.
struct Architecture {
  Network network = Network::tgat;
  int d = 32;      ///< width of every embedding: a multiple of 16, so that no vector register is ever cut
  int heads = 2;   ///< H, gat and tgat
  int memory = 4;  ///< L, tgat: the present decision and the L - 1 before it
  Attention attention = Attention::concat;  ///< gat and tgat

  [[nodiscard]] bool attends() const { return network != Network::gcnn; }
  [[nodiscard]] bool remembers() const { return network == Network::tgat; }
  /// Width of a projection: H d for attention, d for the convolution.
  [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(attends() ? heads * d : d); }

  bool operator==(const Architecture&) const = default;
};

/// Throws Error (bad_input) that names the value which is out of range.  `origin` is the file that asks for it.
void validate(const Architecture& architecture, const std::string& origin);

/// One tensor of a model.
struct TensorSpec {
  std::string name;
  std::vector<std::size_t> shape;
  bool trained = true;  ///< false: a statistic of the training set
};

/// All tensors of a model with this architecture, in a fixed order.  The one list: the trainer creates its parameters from it, the
/// loader checks files against it.
std::vector<TensorSpec> tensors_of(const Architecture& architecture);

/// The number of trained parameters.
std::size_t n_parameters(const Architecture& architecture);

/// For people and for metadata: {"network": "tgat", "d": 32, "heads": 2, "memory": 4, "attention": "concat"}; what a network does
/// not have is left out.
std::string architecture_json(const Architecture& architecture);
Architecture architecture_from_json(std::string_view text, const std::string& origin);

}  // namespace bough
