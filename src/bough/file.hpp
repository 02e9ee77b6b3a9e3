// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace bough {

/// The whole file, decompressed if it is gzip.  Throws Error: missing_input if it is not there, is a directory or cannot be read,
/// bad_input if its gzip stream is damaged or cut off.
std::string read_file(const std::filesystem::path& path);

/// The file's SHA-256 in hexadecimal, of the bytes as they lie on disk: `sha256sum` gives the same.
std::string sha256_of_file(const std::filesystem::path& path);

/// A file that appears under its name only when it is complete: written beside it under a temporary name, flushed to disk, then
/// renamed.  A name that ends in .gz is compressed, with no time stamp, so that the same content gives the same bytes.
///
/// Destroyed without commit(), it leaves nothing behind.  Every failure is an Error (cannot_write) that names the file.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
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
