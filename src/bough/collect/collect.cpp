// SPDX-License-Identifier: Apache-2.0
#include "bough/collect/collect.hpp"

#include <algorithm>
#include <chrono>
#include <format>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/foreign_text.hpp"
#include "bough/jobs.hpp"
#include "bough/journal.hpp"
#include "bough/rng.hpp"
#include "bough/scip/problem.hpp"
#include "bough/stop.hpp"
#include "bough/version.hpp"

namespace bough {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t longest_name = 200;  // in bytes: a file system takes 255, and a shard that is being written has more in its name
constexpr int max_crashes = 3;
constexpr int max_kills = 10;  // by somebody else, who may be the kernel short of memory

std::vector<Instance> instances_of(const CollectRequest& request) {
  std::vector<Instance> all = request.instances.empty() ? instances_of(request.seeds) : instances_in(request.instances);
  if (request.split) std::erase_if(all, [&](const Instance& instance) { return split_of(instance.name) != *request.split; });
  if (!request.only.empty()) std::erase_if(all, [&](const Instance& instance) { return !std::ranges::contains(request.only, instance.name); });
  if (all.empty() && request.split) throw Error(ExitCode::usage, std::format("no instance belongs to the part '{}'", split_names[static_cast<std::size_t>(*request.split)]), "give more instances");
  for (const Instance& instance : all) {
    if (instance.name.size() > longest_name) throw Error(ExitCode::bad_input, std::format("{}: a name of {} bytes is too long for a shard", instance.file.string(), instance.name.size()), std::format("give the file a name of at most {}", longest_name));
  }
  if (all.empty()) throw Error(ExitCode::missing_input, std::format("none of the {} instances is in {}", request.only.size(), request.instances.string()));
  return all;
}

/// What makes two requests the same set.  Labels wanted, the last seed and the passes may grow from call to call.
Json description_of(const CollectRequest& request) {
  const Sampling& s = request.sampling;
  Json instances;
  if (request.instances.empty()) {
    instances = {{"family", request.seeds.family}, {"size", size_names[static_cast<std::size_t>(request.seeds.size)]}, {"first_seed", request.seeds.first}};
  } else {
    instances = {{"folder", fs::weakly_canonical(request.instances).filename().string()}};
  }
  if (!request.seeds.parameters.empty()) instances["parameters"] = request.seeds.parameters;
  if (!request.only.empty()) instances["only"] = request.only;
  return {{"schema", set_schema},
          {"features", feature_schema},
          {"instances", instances},
          {"split", request.split ? Json(split_names[static_cast<std::size_t>(*request.split)]) : Json(nullptr)},
          {"seed", request.seed},
          {"window", s.window},
          {"labels", labels_names[static_cast<std::size_t>(s.labels)]},
          {"start", start_names[static_cast<std::size_t>(s.start)]},
          {"expert_probability", s.probability},
          {"expert_candidates", s.max_candidates == 0 ? Json(nullptr) : Json(s.max_candidates)},
          {"follow", follow_names[static_cast<std::size_t>(s.follow)]},
          {"explorer", request.explorer},
          {"explorer_sha256", request.explorer_sha256.empty() ? Json(nullptr) : Json(request.explorer_sha256)},
          {"episode_labels", s.max_labels},
          {"episode_nodes", s.max_nodes},
          {"khalil", s.khalil},
          {"settings", request.settings.preset},
          {"settings_sha256", request.settings.file_sha256.empty() ? Json(nullptr) : Json(request.settings.file_sha256)},
          {"scip_parameters", request.settings.overrides},
          {"time_limit", request.settings.time_limit_s ? Json(*request.settings.time_limit_s) : Json(nullptr)},
          {"scip", std::format("{}.{}.{}", SCIPmajorVersion(), SCIPminorVersion(), SCIPtechVersion())}};
}

double seconds_since(std::chrono::steady_clock::time_point start) { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

class Collection {
 public:
  explicit Collection(const CollectRequest& request) : request_(request), instances_(instances_of(request)), manifest_(request.output) {
    for (std::size_t i = 0; i < instances_.size(); ++i) index_[instances_[i].name] = i;
    places_.resize(instances_.size() * static_cast<std::size_t>(request.n_passes));
    given_up_.assign(instances_.size(), request.n_passes);
  }

  CollectSummary run() {
    const auto start = std::chrono::steady_clock::now();
    try_settings(request_.settings, {}, refuse_other_rules);  // what SCIP refuses is found out before anything is written
    make_directories(request_.output / "shards");
    const DirectoryLock lock(request_.output, "collecting into");
    open_set();
    report_progress();
    JobRunner runner;
    runner.n_workers = request_.n_workers;
    runner.memory_limit_mb = request_.memory_limit_mb;
    // SCIP looks at its clock between steps; one that does not come back from a step is ended from outside.
    if (request_.settings.time_limit_s) runner.time_limit_s = 1.1 * *request_.settings.time_limit_s + 60;
    runner.next = [&] { return next(); };
    runner.body = [&](std::size_t job, const auto& send) { return sample(job, send); };
    runner.on_message = [&](std::size_t job, std::string_view) {
      ++places_[job].n_live_labels;
      report_progress();
    };
    runner.on_end = [&](std::size_t job, const JobEnd& end) { ended(job, end); };
    runner.on_tick = [&] { report_progress(); };
    runner.stop = [&] { return stop_signal() != 0 || prefix_is_complete(); };
    runner.run();
    summary_.complete = stop_signal() == 0;
    if (summary_.complete) keep_prefix();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (const ManifestEntry* entry = entry_of(i)) (entry->has_episode() ? summary_.episodes : summary_.quarantined).push_back(*entry);
    }
    if (request_.n_labels) summary_.complete = summary_.complete && done_labels() >= *request_.n_labels;
    summary_.wall_time_s = seconds_since(start);
    return std::move(summary_);
  }

 private:
  /// What is known of an instance in a pass.  They stand pass by pass.
  struct Place {
    std::optional<ManifestEntry> entry{};  ///< its episode, or its quarantine
    bool running = false;
    int n_crashes = 0;
    int n_kills = 0;
    std::int64_t n_live_labels = 0;  ///< of the running episode, for the progress report
  };

  /// Goes on with the set that is there, or begins one.
  void open_set() {
    const fs::path file = request_.output / "set.json";
    Json description = description_of(request_);
    const Json wanted{{"labels", request_.n_labels ? Json(*request_.n_labels) : Json(nullptr)},
                      {"last_seed", request_.instances.empty() ? Json(request_.seeds.last) : Json(nullptr)},
                      {"passes", request_.n_passes}};
    Json stored;
    if (fs::exists(file)) {
      const std::string text = read_file(file);
      if (is_shallow_object(text)) stored = Json::parse(text);
      if (!stored.is_object() || !stored.value("request", Json()).is_object() || !stored.value("wanted", Json()).is_object()) {
        throw Error(ExitCode::bad_input, std::format("{} is damaged", file.string()), "choose another directory, or remove this one");
      }
      for (const auto& [key, value] : description.items()) {
        if (stored["request"].value(key, Json(nullptr)) == value) continue;
        throw Error(ExitCode::usage, std::format("{} holds a set that was collected with {} = {}; now it is {}", request_.output.string(), key,
                                                 stored["request"].value(key, Json(nullptr)).dump(), value.dump()),
                    "choose another directory, or the same options");
      }
      for (const auto& [key, value] : wanted.items()) {
        const Json before = stored["wanted"].value(key, key == "passes" ? Json(1) : Json(nullptr));
        const bool shrinks = before.is_null() ? !value.is_null() : !value.is_null() && value < before;
        if (shrinks) {
          throw Error(ExitCode::usage, std::format("{} holds a set of {} = {}; {} would drop a part of it", request_.output.string(), key, before.dump(), value.dump()),
                      "a set can only grow; choose another directory for a smaller one");
        }
      }
      if (fs::exists(request_.output / "manifest.jsonl")) manifest_ = Manifest::read(request_.output);
    } else if (!fs::is_empty(request_.output / "shards")) {
      throw Error(ExitCode::usage, std::format("{} has shards but no set.json", request_.output.string()), "choose an empty directory");
    } else {
      stored["versions"] = {{"bough", version}, {"commit", commit}};
      manifest_.rewrite({});  // its name is on disk before the first line is appended
    }
    std::vector<ManifestEntry> there = manifest_.entries();
    const auto lost = std::erase_if(there, [&](const ManifestEntry& entry) {
      std::error_code missing;
      return entry.n_states > 0 && fs::file_size(manifest_.shard_path(entry), missing) != entry.bytes;  // gone or cut: collected again
    });
    if (lost > 0) manifest_.rewrite(there);  // one line for each episode, also while the set grows
    for (const ManifestEntry& entry : there) take_over(entry);
    const Json now{{"request", description}, {"wanted", wanted}, {"versions", stored["versions"]}};
    if (now != stored) write_file(file, now.dump(2) + "\n");  // what was refused has not grown
    for (const auto& file_in_shards : fs::directory_iterator(request_.output / "shards")) {  // what a killed worker left behind
      if (file_in_shards.path().extension() != ".zst") fs::remove(file_in_shards.path());
    }
  }

  /// A line of the manifest that was there.
  void take_over(const ManifestEntry& entry) {
    const auto found = index_.find(entry.instance);
    if (found == index_.end() && entry.has_episode()) {
      throw Error(ExitCode::usage, std::format("{} holds an episode of {}, which is not among these instances", request_.output.string(), entry.instance), "a set can only grow: bring the instance back, or choose another directory");
    }
    if (found == index_.end() || entry.pass >= request_.n_passes) return;
    std::int64_t& given_up = given_up_[found->second];
    Place& place = places_[static_cast<std::size_t>(entry.pass) * instances_.size() + found->second];
    if (entry.end == "quarantined") {
      place.n_crashes = 0;
      if (!request_.retry) place.entry = entry, given_up = std::min(given_up, entry.pass);
      return;
    }
    if (!entry.has_episode()) {
      ++place.n_crashes;
      return;
    }
    const Instance& instance = instances_[found->second];
    if (!instance.file.empty() && sha256_of_file(instance.file) != entry.instance_sha256) {
      throw Error(ExitCode::bad_input, std::format("{} has changed since its episode was collected", instance.file.string()), "choose another directory for the new instances");
    }
    place.entry = entry;
    if (given_up == entry.pass) given_up = request_.n_passes;  // it was tried again
  }

  [[nodiscard]] std::int64_t pass_of(std::size_t place) const { return static_cast<std::int64_t>(place / instances_.size()); }

  /// Who is quarantined stays so in later passes, also in one that another worker was quicker to finish.
  [[nodiscard]] bool given_up_before(std::size_t place) const { return pass_of(place) > given_up_[place % instances_.size()]; }

  /// What counts of a place; null if there is nothing, yet or for good.
  [[nodiscard]] const ManifestEntry* entry_of(std::size_t place) const { return places_[place].entry && !given_up_before(place) ? &*places_[place].entry : nullptr; }

  [[nodiscard]] std::int64_t labels_of(std::size_t place) const {
    const ManifestEntry* entry = entry_of(place);
    return entry != nullptr ? entry->n_labels : 0;
  }

  [[nodiscard]] std::int64_t done_labels() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) sum += labels_of(i);
    return sum;
  }

  [[nodiscard]] std::size_t prefix_size() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (request_.n_labels && sum >= *request_.n_labels) return i;
      sum += labels_of(i);
    }
    return places_.size();
  }

  /// Nothing is to be done there, or nothing can be.
  [[nodiscard]] bool settled(std::size_t place) const { return places_[place].entry || given_up_before(place); }

  [[nodiscard]] bool prefix_is_complete() const { return std::ranges::all_of(std::views::iota(std::size_t{0}, prefix_size()), [&](std::size_t place) { return settled(place); }); }

  std::optional<std::size_t> next() {
    const std::size_t end = prefix_size();
    for (std::size_t i = 0; i < end; ++i) {
      if (settled(i) || places_[i].running) continue;
      places_[i].running = true;
      places_[i].n_live_labels = 0;
      return i;
    }
    return std::nullopt;
  }

  /// Runs in a worker: one episode, written to its shard.  Returns the manifest's line and the times as JSON.
  std::string sample(std::size_t job, const std::function<void(std::string_view)>& send) const {
    const auto start = std::chrono::steady_clock::now();
    const Instance& instance = instances_[job % instances_.size()];
    const std::size_t pass = job / instances_.size();
    Rng seeds(std::format("collect {}{}", instance.name, pass == 0 ? "" : std::format(", pass {}", pass)), request_.seed);
    EpisodeRequest episode_request;
    episode_request.settings = request_.settings;
    episode_request.settings.seed = static_cast<std::uint32_t>(seeds.below(1U << 31U));
    const auto explorer = request_.make_explorer(seeds.next());
    episode_request.explorer = explorer.get();
    episode_request.seed = seeds.next();
    episode_request.sampling = request_.sampling;
    episode_request.on_label = [&] { send("label"); };
    episode_request.on_root_done = [&] { if (time_limit_after_root(request_.settings)) send(""); };  // the runner's clock starts anew
    ManifestEntry entry{instance.name, ""};
    episode_request.load = [&](SCIP* scip) {
      if (!instance.file.empty()) {
        read_problem(scip, instance.file);
        entry.instance_sha256 = sha256_of_file(instance.file);  // now: whatever becomes of the file, the labels are of this one
        return;
      }
      const Family& family = family_by_name(request_.seeds.family);
      load_problem(scip, generate_instance(family, resolve_parameters(family, request_.seeds.size, request_.seeds.parameters), instance.seed));
    };
    SampledEpisode sampled = sample_episode(episode_request);

    Episode& episode = sampled.episode;
    entry.end = sampled.end;
    entry.pass = static_cast<std::int64_t>(pass);
    entry.n_states = static_cast<std::int64_t>(episode.states.size());
    entry.n_labels = static_cast<std::int64_t>(episode.n_labels());
    entry.n_windows = static_cast<std::int64_t>(episode.n_windows());
    for (const State& state : episode.states) entry.n_candidates += static_cast<std::int64_t>(state.candidates.size());
    entry.n_decisions = sampled.n_decisions;
    entry.n_nodes = sampled.n_nodes;
    entry.n_fallbacks = sampled.n_fallbacks;
    for (std::size_t r = 0; r < n_no_label; ++r) {
      if (sampled.unlabelled[r] > 0) entry.unlabelled[std::string(no_label_names[r])] = sampled.unlabelled[r];
    }
    if (entry.n_states > 0) {
      episode.metadata = {{"instance", instance.name}, {"scip_seed", std::to_string(*episode_request.settings.seed)}, {"request", description_of(request_).dump()}};
      entry.shard = std::format("{}.safetensors{}.zst", instance.name, pass == 0 ? "" : std::format(".{}", pass));  // no name of a file makes two of them equal
      const std::string bytes = episode_bytes(episode);
      if (bytes.size() > max_shard_bytes) throw Error(ExitCode::bad_input, std::format("an episode of {} states takes {} MB, a shard at most {}", entry.n_states, bytes.size() >> 20U, max_shard_bytes >> 20U), "ask for fewer with --episode-states");
      write_file(manifest_.shard_path(entry), bytes);
      entry.raw_bytes = bytes.size();
      entry.bytes = fs::file_size(manifest_.shard_path(entry));
      entry.sha256 = sha256_of_file(manifest_.shard_path(entry));
    }
    const double total = seconds_since(start);
    return Json{{"entry", entry_text(entry)}, {"total", total}, {"expert", sampled.expert_time_s}, {"own", total - (sampled.solve_time_s - sampled.observe_time_s)}}.dump();
  }

  void ended(std::size_t job, const JobEnd& end) {
    Place& place = places_[job];
    place.running = false;
    place.n_live_labels = 0;
    const std::size_t instance = job % instances_.size();
    const auto record = [&](const char* what) { manifest_.append({.instance = instances_[instance].name, .end = what, .message = end.text, .pass = pass_of(job)}); };
    const auto quarantine = [&] {
      record("quarantined");
      place.entry = manifest_.entries().back();
      given_up_[instance] = std::min(given_up_[instance], pass_of(job));
    };
    switch (end.kind) {
      case JobEnd::Kind::done: {
        const Json result = Json::parse(end.text);
        manifest_.append(entry_from(result.at("entry").get<std::string>()));
        place.entry = manifest_.entries().back();
        summary_.n_new_labels += place.entry->n_labels;
        ++summary_.n_new_episodes;
        summary_.worker_time_s += result.at("total").get<double>();
        summary_.expert_time_s += result.at("expert").get<double>();
        summary_.own_time_s += result.at("own").get<double>();
        break;
      }
      case JobEnd::Kind::failed:
        // A disk that is full or an option that SCIP refuses would hit every instance; a file that cannot be read is its own.
        if (end.code == ExitCode::cannot_write || end.code == ExitCode::usage) throw Error(end.code, end.text, end.hint);
        if (end.code == ExitCode::bad_input || end.code == ExitCode::missing_input) {
          quarantine();
          break;
        }
        [[fallthrough]];
      case JobEnd::Kind::crashed:
      case JobEnd::Kind::hung:
        if (++place.n_crashes >= max_crashes) {
          quarantine();
        } else {
          record(end.kind == JobEnd::Kind::hung ? "hung" : "crashed");
        }
        break;
      case JobEnd::Kind::killed:
        if (++place.n_kills >= max_kills) quarantine();
        break;
    }
    report_progress();
  }

  /// The complete set: the prefix, in order, and nothing else.
  void keep_prefix() {
    std::vector<ManifestEntry> kept;
    std::set<std::string> shards;
    const std::size_t end = prefix_size();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (i >= end) places_[i].entry.reset();
      const ManifestEntry* entry = entry_of(i);
      if (entry == nullptr) continue;
      kept.push_back(*entry);
      shards.insert(entry->shard);
    }
    manifest_.rewrite(std::move(kept));
    for (const auto& file : fs::directory_iterator(request_.output / "shards")) {
      if (!shards.contains(file.path().filename().string())) fs::remove(file.path());
    }
  }

  void report_progress() const {
    if (!request_.on_progress) return;
    CollectProgress progress;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const ManifestEntry* entry = entry_of(i);
      progress.n_labels += entry != nullptr ? entry->n_labels : places_[i].n_live_labels;
      if (entry == nullptr) continue;
      ++progress.n_episodes;
      for (const auto& [reason, n] : entry->unlabelled) progress.unlabelled[reason] += n;
    }
    progress.n_planned = static_cast<std::int64_t>(places_.size());
    request_.on_progress(progress);
  }

  const CollectRequest& request_;
  std::vector<Instance> instances_;
  std::map<std::string, std::size_t> index_;  ///< of an instance, by name
  std::vector<Place> places_;                 // (n_passes, n_instances)
  std::vector<std::int64_t> given_up_;        // (n_instances)  the first pass in which it was quarantined; n_passes: in none
  Manifest manifest_;
  CollectSummary summary_;
};

}  // namespace

CollectSummary collect(const CollectRequest& request) {
  CollectRequest lasting = request;
  lasting.settings = pinned(request.settings);
  return Collection(lasting).run();
}

}  // namespace bough
