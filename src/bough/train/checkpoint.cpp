// SPDX-License-Identifier: Apache-2.0
#include "bough/train/checkpoint.hpp"

#include <format>
#include <nlohmann/json.hpp>

#include "bough/error.hpp"
#include "bough/file.hpp"

namespace bough {
namespace {

using Json = nlohmann::ordered_json;

// Numbers survive JSON to the last bit: they are written with as many digits as it takes.
Json tally_json(const Tally& tally) { return {{"n", tally.n}, {"loss", tally.loss}, {"hits", tally.hits}}; }

Tally tally_from(const Json& json) { return {json.at("n").get<std::int64_t>(), json.at("loss").get<double>(), json.at("hits").get<decltype(Tally::hits)>()}; }

}  // namespace

Json record_json(const EpochRecord& record) {
  Json json{{"epoch", record.epoch}};
  for (const auto& [name, tally] : {std::pair{"train", record.train}, std::pair{"valid", record.valid}}) {
    json[std::format("{}_loss", name)] = tally.mean_loss();
    for (std::size_t k = 0; k < top_k.size(); ++k) json[std::format("{}_top{}", name, top_k[k])] = tally.accuracy(k);
  }
  json["learning_rate"] = record.learning_rate;
  json["states_per_second"] = record.seconds > 0 ? static_cast<double>(record.train.n + record.valid.n) / record.seconds : 0.0;
  json["seconds"] = record.seconds;
  return json;
}

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& c) {
  SafeTensorsWriter writer;
  for (const TensorSpec& spec : tensors_of(c.model.architecture)) writer.add<float>("model." + spec.name, c.model.tensors.at(spec.name), spec.shape);
  writer.add<float>("first_moment", c.first_moment, {c.first_moment.size()});
  writer.add<float>("second_moment", c.second_moment, {c.second_moment.size()});
  writer.add<float>("average", c.average, {c.average.size()});
  writer.add<float>("best", c.best, {c.best.size()});
  Json epochs = Json::array();
  for (const EpochRecord& e : c.epochs) {
    epochs.push_back({{"epoch", e.epoch}, {"learning_rate", e.learning_rate}, {"train", tally_json(e.train)}, {"valid", tally_json(e.valid)}, {"seconds", e.seconds}});
  }
  writer.metadata("schema", std::string(checkpoint_schema));
  writer.metadata("architecture", architecture_json(c.model.architecture));
  writer.metadata("run", c.run);
  writer.metadata("progress", Json{{"n_steps", c.n_steps}, {"batch", c.batch}, {"train", tally_json(c.train)}, {"seconds", c.seconds}, {"epochs", epochs}}.dump());
  write_file(path, writer.bytes());
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const SafeTensors file = SafeTensors::parse(read_file(path), path.string());
  const auto text = [&](std::string_view key) {
    const auto at = file.metadata().find(key);
    return at == file.metadata().end() ? std::string() : at->second;
  };
  if (text("schema") != checkpoint_schema) {
    throw Error(ExitCode::bad_input, std::format("{}: schema \"{}\", this build reads \"{}\"", path.string(), text("schema"), checkpoint_schema), "start again with --force");
  }
  Checkpoint c;
  c.run = text("run");
  c.model.architecture = architecture_from_json(text("architecture"), path.string());
  c.model.training = "{}";
  for (const TensorSpec& spec : tensors_of(c.model.architecture)) c.model.tensors.emplace(spec.name, file.values<float>("model." + spec.name, spec.shape));
  const std::vector<std::size_t> shape{n_parameters(c.model.architecture)};
  c.first_moment = file.values<float>("first_moment", shape);
  c.second_moment = file.values<float>("second_moment", shape);
  c.average = file.vector<float>("average");
  c.best = file.vector<float>("best");
  try {
    const Json progress = Json::parse(text("progress"));
    c.n_steps = progress.at("n_steps").get<std::int64_t>();
    c.batch = progress.at("batch").get<std::int64_t>();
    c.train = tally_from(progress.at("train"));
    c.seconds = progress.at("seconds").get<double>();
    for (const Json& e : progress.at("epochs")) {
      c.epochs.push_back({e.at("epoch").get<int>(), e.at("learning_rate").get<double>(), tally_from(e.at("train")), tally_from(e.at("valid")), e.at("seconds").get<double>()});
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(ExitCode::bad_input, std::format("{}: its progress cannot be read: {}", path.string(), error.what()), "start again with --force");
  }
  bool possible = c.n_steps >= 0 && c.batch >= 0 && c.best.empty() == c.epochs.empty();
  for (std::size_t e = 0; e < c.epochs.size(); ++e) possible = possible && c.epochs[e].epoch == static_cast<int>(e) + 1;
  if (!possible) throw Error(ExitCode::bad_input, std::format("{}: its progress is none that a run could have made", path.string()), "start again with --force");
  for (const auto* weights : {&c.average, &c.best}) {
    if (!weights->empty() && weights->size() != shape[0]) throw Error(ExitCode::bad_input, std::format("{}: {} weights, expected {}", path.string(), weights->size(), shape[0]), "start again with --force");
  }
  return c;
}

}  // namespace bough
