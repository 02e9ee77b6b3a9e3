// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bough {

/// One line of a set's manifest: how the episode of one instance went.
struct ManifestEntry {
  std::string instance;
  std::string end;         ///< how the episode ended; "crashed", "hung": an attempt that gave none; "quarantined": given up
  std::string shard{};     ///< file below shards/; empty if the episode has no states
  std::string sha256{};    ///< of the shard's bytes as they lie on disk
  std::string instance_sha256{};  ///< of the instance's file; empty if it was generated
  std::uint64_t bytes = 0;
  std::uint64_t raw_bytes = 0;  ///< of the shard before compression
  std::int64_t n_states = 0;
  std::int64_t n_labels = 0;
  std::int64_t n_windows = 0;
  std::int64_t n_candidates = 0;
  std::int64_t n_decisions = 0;
  std::int64_t n_nodes = 0;
  std::int64_t n_fallbacks = 0;  ///< decisions that the explorer's scores could not make, left to SCIP's default rule
  std::map<std::string, std::int64_t> unlabelled{};  ///< by reason; only what is not zero
  std::string message{};   ///< of a failure
  std::int64_t pass = 0;   ///< how often the instance was solved before, each time in another order

  [[nodiscard]] bool has_episode() const { return end != "crashed" && end != "hung" && end != "quarantined"; }
};

/// An entry as one line of JSON, without the newline, and back.  entry_from() throws std::exception for anything else.
std::string entry_text(const ManifestEntry& entry);
ManifestEntry entry_from(std::string_view line);

/// A collected set on disk:
///
///   DIR/set.json             what was asked for and with which versions
///   DIR/manifest.jsonl       one line for each episode, in the order of the instances once the set is complete
///   DIR/shards/NAME.safetensors.zst
///
/// The manifest is a journal while a set grows: lines are appended and flushed to disk one by one, and a last line that was cut off
/// by a crash is as if it had never been.
class Manifest {
 public:
  /// The set in `directory`.  Throws Error: missing_input if there is no manifest, bad_input with the line that is damaged.
  static Manifest read(const std::filesystem::path& directory);

  [[nodiscard]] const std::vector<ManifestEntry>& entries() const { return entries_; }
  [[nodiscard]] std::filesystem::path shard_path(const ManifestEntry& entry) const { return directory_ / "shards" / entry.shard; }

  /// Adds a line, on disk when this returns.
  void append(ManifestEntry entry);

  /// Replaces all lines at once.
  void rewrite(std::vector<ManifestEntry> entries);

  /// An empty set whose manifest does not exist yet.
  explicit Manifest(std::filesystem::path directory) : directory_(std::move(directory)) {}

 private:
  [[nodiscard]] std::filesystem::path file() const { return directory_ / "manifest.jsonl"; }

  std::filesystem::path directory_;
  std::vector<ManifestEntry> entries_;
};

/// The format's name and version in set.json.
inline constexpr std::string_view set_schema = "bough-set/1";

/// The text of set.json.  Throws Error: missing_input if there is none, bad_input if it is not of a set that this version reads.
std::string read_set_description(const std::filesystem::path& directory);

/// Which part of the instances a set is made of.  The part depends on nothing but the instance's name, so that sets collected with
/// the same instances and different parts share none.
enum class Split : std::uint8_t { train, valid, test };
inline constexpr std::array<std::string_view, 3> split_names{"train", "valid", "test"};
Split split_of(std::string_view instance);  ///< 80 %, 10 %, 10 %

}  // namespace bough
