// SPDX-License-Identifier: Apache-2.0
#include "bough/model/layout.hpp"

#include <algorithm>
#include <vector>

namespace bough {
namespace {

Floats copy(const Model& model, const std::string& name) {
  const auto& from = model.tensors.at(name);
  return {from.begin(), from.end()};
}

/// (out, in) -> (in, out)
Floats turned(const std::vector<float>& weight, std::size_t out, std::size_t in) {
  Floats result(weight.size());
  for (std::size_t o = 0; o < out; ++o) {
    for (std::size_t i = 0; i < in; ++i) result[i * out + o] = weight[o * in + i];
  }
  return result;
}

Layer layer(const Model& model, const std::string& name, std::size_t out) {
  const auto& weight = model.tensors.at(name + ".weight");
  const std::size_t in = weight.size() / out;
  const bool has_bias = model.tensors.contains(name + ".bias");
  return {in, out, turned(weight, out, in), has_bias ? copy(model, name + ".bias") : Floats(out, 0.0F)};
}

Normalisation normalisation(const Model& model, const std::string& name) {
  Normalisation result{copy(model, name + ".mean"), copy(model, name + ".std")};
  for (float& s : result.scale) s = 1 / s;
  return result;
}

HalfLayer half_layer(const Model& model, const std::string& name) {
  const Architecture& a = model.architecture;
  const auto d = static_cast<std::size_t>(a.d);
  HalfLayer half{layer(model, name + ".target", a.width()), layer(model, name + ".source", a.width()), layer(model, name + ".edge", a.width()), {}, {},
                 normalisation(model, name + ".gathered"), layer(model, name + ".post.0", d), layer(model, name + ".post.1", d)};
  if (a.attends() && a.attention == Attention::sum) {
    half.attention = copy(model, name + ".attention");
  } else if (a.attends()) {
    half.attention = copy(model, name + ".attention.source");
    half.attention_edge = copy(model, name + ".attention.edge");
  }
  return half;
}

}  // namespace

Layout::Layout(const Model& model)
    : architecture(model.architecture),
      variable_input(normalisation(model, "variable")),
      row_input(normalisation(model, "row")),
      edge_input(normalisation(model, "edge")),
      rows(half_layer(model, "rows")),
      variables(half_layer(model, "variables")),
      head_1(copy(model, "head.1.weight")) {
  const auto d = static_cast<std::size_t>(architecture.d);
  variable_0 = layer(model, "variable.embed.0", d);
  variable_1 = layer(model, "variable.embed.1", d);
  row_0 = layer(model, "row.embed.0", d);
  row_1 = layer(model, "row.embed.1", d);
  if (architecture.attends()) edge_embed = layer(model, "edge.embed", d);
  if (architecture.remembers()) {
    gru_input = layer(model, "gru.input", 3 * d);
    gru_hidden = layer(model, "gru.hidden", 3 * d);
  }
  head_0 = layer(model, "head.0", d);
}

}  // namespace bough
