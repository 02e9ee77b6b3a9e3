// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace bough {

/// The whole file, decompressed if its first bytes are gzip's or zstd's.  Throws Error: missing_input if it is not there, is a
/// directory or cannot be read, bad_input if it is compressed and damaged or cut off, or if its content is longer than `max_bytes`:
/// no more than that is ever held, whatever a small file unpacks to.
std::string read_file(const std::filesystem::path& path, std::size_t max_bytes = std::size_t{4} << 30);

/// The format by which read_file would decompress it, "gzip" or "zstd"; empty for any other file.
std::string compression_of(const std::filesystem::path& path);

/// The file's SHA-256 in hexadecimal, of the bytes as they lie on disk: `sha256sum` gives the same.
std::string sha256_of_file(const std::filesystem::path& path);
std::string sha256_of(std::string_view bytes);

/// The Error (cannot_write) of a system call that failed with `error`; `if_full` is its hint if the disk is full.
[[noreturn]] void fail_write(const std::filesystem::path& path, int error, std::string_view if_full = "free some space or choose another place; nothing was left behind");

/// A file that appears under its name only when it is complete: written beside it under a temporary name, flushed to disk, then
/// renamed, and the directory flushed: after commit() a power cut leaves the new file, before it the old one.
/// A name that ends in .gz or .zst is compressed, with no time stamp, so that the same content gives the same bytes; a .zst has a
/// checksum.
///
/// Destroyed without commit(), it leaves nothing behind.  Every failure is an Error (cannot_write) that names the file.
class AtomicFile {
 public:
  /// `content_size`, if all of it is known: a .zst then records it, which some readers need.  Precondition: so much is written.
  explicit AtomicFile(std::filesystem::path path, std::optional<std::size_t> content_size = {});
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  struct Sink;
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::unique_ptr<Sink> sink_;
};

/// AtomicFile in one call.
void write_file(const std::filesystem::path& path, std::string_view text);

/// Removes what AtomicFiles left in a directory when their process was killed, of files whose names begin with `prefix`.  Only for a
/// directory, or names, to which nobody else is writing.
void remove_leftovers(const std::filesystem::path& directory, std::string_view prefix = {});

/// A new directory below the system's temporary one, removed with its owner.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace bough
