// SPDX-License-Identifier: Apache-2.0
#include "bough/dataset/manifest.hpp"

#include <format>
#include <nlohmann/json.hpp>

#include "bough/dataset/episode.hpp"
#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/foreign_text.hpp"
#include "bough/journal.hpp"
#include "bough/observe/graph.hpp"
#include "bough/rng.hpp"

namespace bough {

std::string entry_text(const ManifestEntry& entry) {
  const auto text_of = [](const nlohmann::ordered_json& line) { return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace); };  // a message may quote any bytes
  nlohmann::ordered_json line{{"instance", entry.instance}, {"end", entry.end}};
  if (entry.pass > 0) line["pass"] = entry.pass;
  if (!entry.instance_sha256.empty()) line["instance_sha256"] = entry.instance_sha256;
  if (!entry.message.empty()) line["message"] = entry.message;
  if (!entry.has_episode()) return text_of(line);
  line.update({{"states", entry.n_states}, {"labels", entry.n_labels}, {"windows", entry.n_windows}, {"candidates", entry.n_candidates},
               {"decisions", entry.n_decisions}, {"nodes", entry.n_nodes}});
  if (entry.n_fallbacks > 0) line["fallbacks"] = entry.n_fallbacks;
  if (!entry.unlabelled.empty()) line["unlabelled"] = entry.unlabelled;
  if (!entry.shard.empty()) line.update({{"shard", entry.shard}, {"bytes", entry.bytes}, {"raw_bytes", entry.raw_bytes}, {"sha256", entry.sha256}});
  return text_of(line);
}

ManifestEntry entry_from(std::string_view text) {
  const auto line = nlohmann::json::parse(text);
  ManifestEntry entry;
  entry.instance = line.at("instance").get<std::string>();
  entry.end = line.at("end").get<std::string>();
  entry.instance_sha256 = line.value("instance_sha256", "");
  entry.message = line.value("message", "");
  entry.pass = line.value("pass", std::int64_t{0});
  if (entry.pass < 0) throw std::domain_error("'pass' is negative");
  if (!entry.has_episode()) return entry;
  const auto count = [&](const char* name) {
    const auto value = line.at(name).get<std::int64_t>();
    if (value < 0) throw std::domain_error(std::format("'{}' is negative", name));
    return value;
  };
  entry.n_states = count("states");
  entry.n_labels = count("labels");
  entry.n_windows = count("windows");
  entry.n_candidates = count("candidates");
  entry.n_decisions = count("decisions");
  entry.n_nodes = count("nodes");
  entry.n_fallbacks = line.value("fallbacks", std::int64_t{0});
  entry.unlabelled = line.value("unlabelled", std::map<std::string, std::int64_t>{});
  if (entry.n_states == 0) return entry;
  entry.shard = line.at("shard").get<std::string>();
  if (entry.n_labels > entry.n_states || entry.n_windows > entry.n_states) throw std::domain_error("more labels or windows than states");
  entry.sha256 = line.at("sha256").get<std::string>();
  entry.bytes = line.at("bytes").get<std::uint64_t>();
  entry.raw_bytes = line.at("raw_bytes").get<std::uint64_t>();
  if (entry.raw_bytes > max_shard_bytes || static_cast<std::uint64_t>(entry.n_states) > entry.raw_bytes) throw std::domain_error("no shard can be of such a size");
  if (entry.shard.empty() || std::filesystem::path(entry.shard).filename() != entry.shard || entry.shard.starts_with('.')) throw std::domain_error("'shard' is not a plain file name");
  return entry;
}

Manifest Manifest::read(const std::filesystem::path& directory) {
  Manifest manifest(directory);
  for (std::size_t number = 0; const std::string& line : read_journal(manifest.file())) {
    ++number;
    try {
      manifest.entries_.push_back(entry_from(line));
    } catch (const std::exception& error) {
      throw Error(ExitCode::bad_input, std::format("{}:{}: not a line of a manifest: {}", manifest.file().string(), number, error.what()),
                  "remove the line and run 'bough collect' again: it collects what is missing");
    }
  }
  return manifest;
}

void Manifest::append(ManifestEntry entry) {
  append_to_journal(file(), entry_text(entry));
  entries_.push_back(std::move(entry));
}

void Manifest::rewrite(std::vector<ManifestEntry> entries) {
  std::string text;
  for (const ManifestEntry& entry : entries) text += entry_text(entry) + "\n";
  write_file(file(), text);
  entries_ = std::move(entries);
}

std::string read_set_description(const std::filesystem::path& directory) {
  const auto path = directory / "set.json";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw Error(ExitCode::missing_input, std::format("{} is not a collected set: it has no set.json", directory.string()), "'bough collect' makes one");
  }
  std::string text = read_file(path);
  if (!is_shallow_object(text)) throw Error(ExitCode::bad_input, std::format("{} is damaged", path.string()), "collect the set again with 'bough collect'");
  const auto description = nlohmann::json::parse(text);
  const auto request = description.value("request", nlohmann::json::object());
  for (const auto& [key, expected] : {std::pair{"schema", set_schema}, std::pair{"features", feature_schema}}) {
    const std::string got = request.is_object() && request.contains(key) && request[key].is_string() ? request[key].get<std::string>() : "missing";
    if (got != expected) throw Error(ExitCode::bad_input, std::format("{}: the set's {} is {}, this version reads \"{}\"", path.string(), key, in_quotes(got), expected), "collect the set again with 'bough collect'");
  }
  return text;
}

Split split_of(std::string_view instance) {
  const double draw = Rng(instance, 0).uniform();
  return draw < 0.8 ? Split::train : draw < 0.9 ? Split::valid : Split::test;
}

}  // namespace bough
