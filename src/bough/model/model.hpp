// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bough/model/architecture.hpp"
#include "bough/safetensors.hpp"

namespace bough {

/// The format's name and version in a model's metadata.
inline constexpr std::string_view model_schema = "bough-model/1";

/// The largest weight of pseudocosts: four times that at which they count as much as a network with soft targets of sharpness 4.
inline constexpr double most_pseudocosts = 16;

/// A trained network as data: what a model file holds (docs/formats.md).
struct Model {
  Architecture architecture;
  std::map<std::string, std::vector<float>, std::less<>> tensors;  ///< by the names of tensors_of(), row-major
  std::string training;  ///< a JSON object: configuration, data, commit, seed, accuracy; "{}" if unknown
  double pseudocosts = 0;    ///< how much SCIP's pseudocosts count beside the logits, 0 to most_pseudocosts (docs/model.md, section 6)

  bool operator==(const Model&) const = default;
};

/// The file's bytes.  Equal models give equal bytes.
std::string model_bytes(const Model& model);

/// The other direction.  Nothing in the file is trusted: another schema or feature set, a tensor too many, too few or of another
/// shape, a number that is not finite, a deviation that is not positive, a weight of pseudocosts that is not from 0 to 16 are each an Error (bad_input) that says which.
Model model_from(const SafeTensors& file);

/// Reads and checks a model file.  Throws Error: missing_input, bad_input.
Model read_model(const std::filesystem::path& path);

}  // namespace bough
