// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "bough/model/architecture.hpp"
#include "bough/train/batch.hpp"

namespace bough {

class TomlReader;

/// Which epoch becomes the model: that with the highest validation top-1, the lower loss among equals; or that with the lowest loss.
enum class Select : std::uint8_t { accuracy, loss };
inline constexpr std::array<std::string_view, 2> select_names{"accuracy", "loss"};

/// How a network is trained: the keys of a configuration file, with the defaults (docs/training.md).
struct Config {
  Architecture architecture;
  int epochs = 40;
  int batch = 8;  ///< windows that make one step
  double learning_rate = 1e-3;
  int patience = 10;    ///< epochs without a lower validation loss after which the learning rate shrinks to a fifth
  int early_stop = 20;  ///< and after which training ends
  double clip = 1;      ///< the longest gradient; longer ones are shortened; 0: any length
  double weight_decay = 0;
  double average = 0;   ///< of weights over steps, exponentially: what is validated and kept; 0: the weights themselves
  Select select = Select::accuracy;
  Target target = Target::ties;
  double sharpness = 4;
  bool depth_weighting = false;
  std::uint64_t seed = 0;
  int threads = 0;          ///< 0: all cores.  Results do not depend on it
  std::int64_t states = 0;  ///< train on the first episodes that together have so many labelled states; 0: on all
};

/// Reads the keys of a table over `config`.  Throws Error (bad_input) with file and line for an unknown key or a value of another type.
void read_config(TomlReader& reader, Config& config);

/// Reads a TOML file over `config`.  Throws Error: missing_input; bad_input with file and line for text that is not TOML, an unknown
/// key, a value of another type or out of range.
void read_config(const std::filesystem::path& path, Config& config);

/// Throws Error (bad_input) that names the value which is out of range.
void validate(const Config& config, const std::string& origin);

/// Every key and its value, and the same as a TOML file.  What the result does not depend on (threads) is left out.
nlohmann::ordered_json config_json(const Config& config);
std::string config_toml(const Config& config);

}  // namespace bough
