// SPDX-License-Identifier: Apache-2.0
//
// bough-fuzz-seeds DIRECTORY     writes the files that the fuzzer starts from
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "bough/dataset/episode.hpp"
#include "bough/model/model.hpp"
#include "bough/observe/khalil_features.hpp"
#include "bough/safetensors.hpp"

namespace {

/// Two windows of two states each, over two LPs with two variables and one row.
bough::Episode small_episode(bool khalil) {
  bough::Episode episode;
  episode.metadata["instance"] = "seed";
  for (int s = 0; s < 4; ++s) {
    if (s % 2 == 0) {
      bough::Topology topology;
      topology.row_start = {0, 2};
      topology.edge_variable = {0, 1};
      topology.edge_coefficient = {0.5F, -0.5F};
      topology.index_by_variable(2);
      episode.topologies.push_back(topology);
    }
    bough::State state;
    state.topology = s / 2;
    state.variable_features.assign(2 * bough::n_variable_features, 0.25F);
    state.row_features.assign(bough::n_row_features, 1);
    state.candidates = {0, 1};
    if (khalil) state.khalil.assign(2 * bough::n_khalil_features, 3);
    if (s % 2 == 1) state.label = bough::Label{{1, 2}, {3, 4}, {0, 1}, {3, 8}, {0, 1}, 1};
    state.chosen = 1;
    state.decision = s;
    episode.states.push_back(state);
  }
  episode.window_start = {0, 2, 4};
  return episode;
}

/// The smallest model of a network.  Its 20 to 29 KB are why fuzz/run allows inputs of 32 KB.
bough::Model small_model(const bough::Architecture& architecture) {
  bough::Model model{architecture, {}, R"({"seed": 1})"};
  for (const bough::TensorSpec& spec : bough::tensors_of(architecture)) {
    std::size_t size = 1;
    for (const std::size_t extent : spec.shape) size *= extent;
    model.tensors[spec.name].assign(size, 0.5F);
  }
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace bough;
  if (argc != 2) {
    (void)std::fputs("usage: bough-fuzz-seeds DIRECTORY\n", stderr);
    return 2;
  }
  SafeTensorsWriter nothing;
  SafeTensorsWriter notes;
  notes.metadata("kind", "\"quoted\"\n\xc3\xa9");
  notes.metadata("", "");
  SafeTensorsWriter shapes;
  shapes.add<double>("scalar", std::vector<double>{1}, {});
  shapes.add<float>("matrix", std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  shapes.add<std::int32_t>("empty", std::vector<std::int32_t>{}, {0, 7});
  shapes.metadata("k", "v");
  SafeTensorsWriter types;
  const std::vector<std::byte> eight(8);
  for (int k = 0; k <= static_cast<int>(DType::f64); ++k) {
    const auto dtype = static_cast<DType>(k);
    types.add(std::string(1, static_cast<char>('a' + k)), dtype, {1}, std::span(eight).first(size_of(dtype)));
  }
  std::vector<std::string> seeds{nothing.bytes(), notes.bytes(), shapes.bytes(), types.bytes(), episode_bytes(small_episode(false)), episode_bytes(small_episode(true))};
  seeds.push_back(model_bytes(small_model({Network::gcnn, 16})));
  for (const Network network : {Network::gat, Network::tgat}) {
    for (const Attention attention : {Attention::sum, Attention::concat}) seeds.push_back(model_bytes(small_model({network, 16, 1, 2, attention})));
  }
  int k = 0;
  for (const std::string& seed : seeds) {
    std::ofstream file(argv[1] + ("/seed-" + std::to_string(k++)), std::ios::binary);
    file << seed;
    file.close();
    if (!file) {
      (void)std::fprintf(stderr, "cannot write to %s\n", argv[1]);
      return 73;
    }
  }
  return 0;
}
