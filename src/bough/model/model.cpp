// SPDX-License-Identifier: Apache-2.0
#include "bough/model/model.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <format>
#include <ranges>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/foreign_text.hpp"
#include "bough/observe/graph.hpp"

namespace bough {
namespace {

[[noreturn]] void refuse(const SafeTensors& file, const std::string& what, const std::string& hint = {}) {
  throw Error(ExitCode::bad_input, std::format("{}: {}", file.origin(), what), hint);
}

const std::string& entry(const SafeTensors& file, std::string_view key) {
  const auto at = file.metadata().find(key);
  if (at == file.metadata().end()) refuse(file, std::format("not a model: its metadata has no \"{}\"", key), "'bough train' writes models");
  return at->second;
}

/// Models that do without have no such entry, as none had before there was one.
double pseudocosts_of(const SafeTensors& file) {
  const auto at = file.metadata().find("pseudocosts");
  if (at == file.metadata().end()) return 0;
  const std::string& text = at->second;
  double weight = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error != std::errc() || end != text.data() + text.size() || !(weight >= 0 && weight <= most_pseudocosts)) {
    refuse(file, std::format("its weight of pseudocosts is {}, expected a number from 0 to {}", in_quotes(text), most_pseudocosts));
  }
  return weight;
}

}  // namespace

std::string model_bytes(const Model& model) {
  SafeTensorsWriter writer;
  for (const TensorSpec& spec : tensors_of(model.architecture)) writer.add<float>(spec.name, model.tensors.at(spec.name), spec.shape);
  writer.metadata("schema", std::string(model_schema));
  writer.metadata("features", std::string(feature_schema));
  writer.metadata("architecture", architecture_json(model.architecture));
  if (model.pseudocosts != 0) writer.metadata("pseudocosts", std::format("{}", model.pseudocosts));
  writer.metadata("training", model.training);
  return writer.bytes();
}

Model model_from(const SafeTensors& file) {
  if (const std::string& schema = entry(file, "schema"); schema != model_schema) {
    refuse(file, std::format("schema {}, this build reads \"{}\"", in_quotes(schema), model_schema), "is it a model? 'bough train' writes models");
  }
  if (const std::string& features = entry(file, "features"); features != feature_schema) {
    refuse(file, std::format("trained on features {}, this build observes \"{}\"", in_quotes(features), feature_schema), "train it again with 'bough train'");
  }
  Model model;
  constexpr std::size_t longest_record = std::size_t{1} << 20U;  // a reader of JSON takes dozens of times as much memory
  if (const std::size_t n = entry(file, "architecture").size(); n > longest_record) refuse(file, std::format("its architecture has {} bytes, more than {}", n, longest_record));
  model.architecture = architecture_from_json(entry(file, "architecture"), file.origin());
  model.pseudocosts = pseudocosts_of(file);
  model.training = entry(file, "training");
  if (model.training.size() > longest_record) refuse(file, std::format("its training record has {} bytes, more than {}", model.training.size(), longest_record));
  if (!is_shallow_object(model.training)) refuse(file, "its training record is not a JSON object of reasonable depth");
  const auto specs = tensors_of(model.architecture);
  for (const auto& name : file.tensors() | std::views::keys) {
    if (std::ranges::find(specs, name, &TensorSpec::name) == specs.end()) {
      refuse(file, std::format("tensor {} does not belong to its architecture {}", in_quotes(name), architecture_json(model.architecture)));
    }
  }
  for (const TensorSpec& spec : specs) {
    auto values = file.values<float>(spec.name, spec.shape);
    const auto bad = std::ranges::find_if(values, [](float x) { return !std::isfinite(x); });
    if (bad != values.end()) refuse(file, std::format("tensor \"{}\" has the value {} at {}", spec.name, *bad, bad - values.begin()), "its training failed; train it again");
    constexpr float least_deviation = 1e-12F;  // its reciprocal still leaves room for any feature
    if (spec.name.ends_with(".std") && std::ranges::any_of(values, [](float x) { return x < least_deviation; })) {
      refuse(file, std::format("tensor \"{}\" has a deviation below {}", spec.name, least_deviation));
    }
    model.tensors.emplace(spec.name, std::move(values));
  }
  return model;
}

Model read_model(const std::filesystem::path& path) {
  constexpr std::size_t largest = std::size_t{64} << 20U;  // d = 256 with 16 heads needs 27 MB
  return model_from(SafeTensors::parse(read_file(path, largest), path.string()));
}

}  // namespace bough
