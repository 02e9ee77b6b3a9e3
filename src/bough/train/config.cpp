// SPDX-License-Identifier: Apache-2.0
#include "bough/train/config.hpp"

#include <format>
#include <limits>
#include <nlohmann/json.hpp>

#include "bough/error.hpp"
#include "bough/toml.hpp"

namespace bough {
namespace {

/// The one list of keys: visit(name, field) for numbers and switches, visit(name, field, names) for choices.
template <class AConfig, class Visit>
void for_each_key(AConfig& c, Visit&& visit) {
  visit("network", c.architecture.network, network_names);
  visit("d", c.architecture.d);
  visit("heads", c.architecture.heads);
  visit("memory", c.architecture.memory);
  visit("attention", c.architecture.attention, attention_names);
  visit("epochs", c.epochs);
  visit("batch", c.batch);
  visit("learning_rate", c.learning_rate);
  visit("patience", c.patience);
  visit("early_stop", c.early_stop);
  visit("clip", c.clip);
  visit("weight_decay", c.weight_decay);
  visit("average", c.average);
  visit("select", c.select, select_names);
  visit("target", c.target, target_names);
  visit("sharpness", c.sharpness);
  visit("depth_weighting", c.depth_weighting);
  visit("seed", c.seed);
  visit("threads", c.threads);
  visit("states", c.states);
}

template <class T>
void require(const std::string& origin, std::string_view name, T value, T low, T high) {
  if (!(value >= low && value <= high)) throw Error(ExitCode::bad_input, std::format("{}: {} = {}, expected {} to {}", origin, name, value, low, high));
}

}  // namespace

void read_config(TomlReader& reader, Config& config) {
  for_each_key(config, reader);
  reader.refuse_others();
}

void read_config(const std::filesystem::path& path, Config& config) {
  const toml::table table = read_toml(path);
  TomlReader reader(table, path.string());
  read_config(reader, config);
  validate(config, path.string());
}

void validate(const Config& c, const std::string& origin) {
  validate(c.architecture, origin);
  constexpr int most = 1'000'000;
  require(origin, "epochs", c.epochs, 1, most);
  require(origin, "batch", c.batch, 1, most);
  require(origin, "learning_rate", c.learning_rate, 1e-12, 10.0);
  require(origin, "patience", c.patience, 1, most);
  require(origin, "early_stop", c.early_stop, 1, most);
  require(origin, "clip", c.clip, 0.0, 1e12);
  require(origin, "weight_decay", c.weight_decay, 0.0, 1.0);
  require(origin, "average", c.average, 0.0, 0.999999);
  require(origin, "sharpness", c.sharpness, 0.0, 1000.0);
  require(origin, "seed", c.seed, std::uint64_t{0}, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  require(origin, "threads", c.threads, 0, 1024);
  require(origin, "states", c.states, std::int64_t{0}, std::numeric_limits<std::int64_t>::max());
}

nlohmann::ordered_json config_json(const Config& config) {
  nlohmann::ordered_json json;
  const auto add = [&](std::string_view key, const auto& field, const auto&... names) {
    if (key == "threads") return;
    if constexpr (sizeof...(names) == 1) json[std::string(key)] = (names[static_cast<std::size_t>(field)], ...);
    else json[std::string(key)] = field;
  };
  for_each_key(config, add);
  return json;
}

std::string config_toml(const Config& config) {
  std::string text;
  for (const auto& [key, value] : config_json(config).items()) text += std::format("{} = {}\n", key, value.dump());  // scalars look the same in both
  return text;
}

}  // namespace bough
