// SPDX-License-Identifier: Apache-2.0
#include "bough/model/architecture.hpp"

#include <algorithm>
#include <format>
#include <limits>
#include <nlohmann/json.hpp>

#include "bough/error.hpp"
#include "bough/foreign_text.hpp"
#include "bough/observe/graph.hpp"
#include "bough/safetensors.hpp"

namespace bough {
namespace {

void require_range(const std::string& origin, std::string_view name, int value, int low, int high) {
  if (value < low || value > high) {
    throw Error(ExitCode::bad_input, std::format("{}: {} = {}, expected {} to {}", origin, name, value, low, high));
  }
}

template <std::size_t N>
std::size_t position(const std::array<std::string_view, N>& names, std::string_view name, std::string_view what, const std::string& origin) {
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) {
    std::string known;
    for (const std::string_view n : names) known += std::format("{}{}", known.empty() ? "" : ", ", n);
    throw Error(ExitCode::bad_input, std::format("{}: {} {} is not known; there are {}", origin, what, in_quotes(name), known));
  }
  return static_cast<std::size_t>(at - names.begin());
}

/// A whole number that fits; 16.5, true and 2^32 + 16 are none.
int whole_number(const nlohmann::json& json, const char* key, const std::string& origin) {
  const auto& value = json.at(key);
  if (!value.is_number_integer() || value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    throw Error(ExitCode::bad_input, std::format("{}: {} = {}, expected a whole number", origin, key, value.is_structured() ? value.type_name() : in_quotes(value.dump(-1, ' ', /*ensure_ascii=*/true))));
  }
  return value.get<int>();
}

}  // namespace

void validate(const Architecture& a, const std::string& origin) {
  require_range(origin, "d", a.d, 16, 256);
  if (a.d % 16 != 0) throw Error(ExitCode::bad_input, std::format("{}: d = {}, expected a multiple of 16", origin, a.d));
  require_range(origin, "heads", a.heads, 1, 16);
  require_range(origin, "memory", a.memory, 1, 64);
}

std::vector<TensorSpec> tensors_of(const Architecture& a) {
  const auto d = static_cast<std::size_t>(a.d);
  const auto heads = static_cast<std::size_t>(a.heads);
  const std::size_t width = a.width();
  std::vector<TensorSpec> specs;
  const auto linear = [&](const std::string& name, std::size_t out, std::size_t in, bool bias = true) {
    specs.push_back({name + ".weight", {out, in}});
    if (bias) specs.push_back({name + ".bias", {out}});
  };
  const auto embedding = [&](const std::string& name, std::size_t n_features) {
    specs.push_back({name + ".mean", {n_features}, false});
    specs.push_back({name + ".std", {n_features}, false});
    if (name == "edge") return;
    linear(name + ".embed.0", d, n_features);
    linear(name + ".embed.1", d, d);
  };
  embedding("variable", n_variable_features);
  embedding("row", n_row_features);
  embedding("edge", 1);
  if (a.attends()) linear("edge.embed", d, 1);
  for (const std::string half : {"rows", "variables"}) {
    linear(half + ".target", width, d);
    linear(half + ".source", width, d, a.attends());
    linear(half + ".edge", width, a.attends() ? d : 1, false);
    if (a.attends() && a.attention == Attention::sum) {
      specs.push_back({half + ".attention", {heads, d}});
    } else if (a.attends()) {
      specs.push_back({half + ".attention.source", {heads, d}});
      specs.push_back({half + ".attention.edge", {heads, d}});
    }
    specs.push_back({half + ".gathered.mean", {d}, false});
    specs.push_back({half + ".gathered.std", {d}, false});
    linear(half + ".post.0", d, 2 * d);
    linear(half + ".post.1", d, d);
  }
  if (a.remembers()) {
    linear("gru.input", 3 * d, d);
    linear("gru.hidden", 3 * d, d);
  }
  linear("head.0", d, d);
  linear("head.1", 1, d, false);
  return specs;
}

std::size_t n_parameters(const Architecture& architecture) {
  std::size_t n = 0;
  for (const TensorSpec& spec : tensors_of(architecture)) {
    if (!spec.trained) continue;
    std::size_t size = 1;
    for (const std::size_t extent : spec.shape) size *= extent;
    n += size;
  }
  return n;
}

std::string architecture_json(const Architecture& a) {
  nlohmann::ordered_json json{{"network", network_names[static_cast<std::size_t>(a.network)]}, {"d", a.d}};
  if (a.attends()) {
    json["heads"] = a.heads;
    json["attention"] = attention_names[static_cast<std::size_t>(a.attention)];
  }
  if (a.remembers()) json["memory"] = a.memory;
  return json.dump();
}

Architecture architecture_from_json(std::string_view text, const std::string& origin) {
  Architecture a;
  try {
    const auto json = nlohmann::json::parse(text);
    a.network = static_cast<Network>(position(network_names, json.at("network").get<std::string>(), "network", origin));
    a.d = whole_number(json, "d", origin);
    if (a.attends()) {
      a.heads = whole_number(json, "heads", origin);
      a.attention = static_cast<Attention>(position(attention_names, json.at("attention").get<std::string>(), "attention", origin));
    }
    if (a.remembers()) a.memory = whole_number(json, "memory", origin);
  } catch (const nlohmann::json::exception& error) {
    throw Error(ExitCode::bad_input, std::format("{}: its architecture cannot be read: {}", origin, error.what()));
  }
  validate(a, origin);
  return a;
}

}  // namespace bough
