// SPDX-License-Identifier: Apache-2.0
#include "bough/file.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <format>
#include <optional>
#include <span>
#include <utility>

#include "bough/error.hpp"

namespace bough {
namespace {

constexpr std::size_t chunk_size = 1U << 16;

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  bool reset() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

[[noreturn]] void fail_write(const std::filesystem::path& path, int error) {
  throw Error(ExitCode::cannot_write, std::format("cannot write {}: {}", path.string(), std::strerror(error)),
              error == ENOSPC   ? "free some space or choose another place; nothing was left behind"
              : error == ENOENT ? "the directory does not exist; make it first"
                                : "");
}

Descriptor open_for_reading(const std::filesystem::path& path) {
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    throw Error(ExitCode::missing_input, std::format("{} is a directory, not a file", path.string()));
  }
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    throw Error(ExitCode::missing_input, std::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  }
  return Descriptor(fd);
}

/// Calls sink(span of bytes) for the file's chunks as they lie on disk.
void for_each_chunk(const std::filesystem::path& path, auto&& sink) {
  const Descriptor file = open_for_reading(path);
  std::array<unsigned char, chunk_size> buffer;
  for (;;) {
    const ssize_t n = ::read(file.get(), buffer.data(), buffer.size());
    if (n == 0) return;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(ExitCode::missing_input, std::format("cannot read {}: {}", path.string(), std::strerror(errno)));
    sink(std::span(buffer).first(static_cast<std::size_t>(n)));
  }
}

std::string inflate_all(const std::filesystem::path& path, const std::string& packed) {
  const auto damaged = [&](const char* how) {
    return Error(ExitCode::bad_input, std::format("{}: the gzip data is {}", path.string(), how), "copy or download the file again");
  };
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw Error(ExitCode::failure, "zlib could not be initialised");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, inflateEnd);
  std::string text;
  std::array<char, chunk_size> buffer;
  // zlib's interface predates const; it does not write through next_in.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    text.append(buffer.data(), buffer.size() - stream.avail_out);
    if (status == Z_STREAM_END) {
      if (stream.avail_in == 0) return text;
      inflateReset(&stream);  // gzip allows several members in one file
    } else if (status == Z_BUF_ERROR || (status == Z_OK && stream.avail_in == 0 && stream.avail_out != 0)) {
      throw damaged("cut off");
    } else if (status != Z_OK) {
      throw damaged("damaged");
    }
  }
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  std::string bytes;
  for_each_chunk(path, [&](std::span<const unsigned char> chunk) { bytes.append(reinterpret_cast<const char*>(chunk.data()), chunk.size()); });
  const bool gzip = bytes.starts_with("\x1f\x8b");
  return gzip ? inflate_all(path, bytes) : bytes;
}

std::string sha256_of_file(const std::filesystem::path& path) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int length = 0;
  bool good = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for_each_chunk(path, [&](std::span<const unsigned char> chunk) {
    good = good && EVP_DigestUpdate(context.get(), chunk.data(), chunk.size()) == 1;
  });
  if (!good || EVP_DigestFinal_ex(context.get(), digest.data(), &length) != 1) throw Error(ExitCode::failure, "SHA-256 is not available");
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) hex += std::format("{:02x}", digest[i]);
  return hex;
}

/// Where the bytes go: the descriptor directly, or through deflate.
struct AtomicFile::Sink {
  Sink(const std::filesystem::path& final_path, int fd, bool gzip) : path(final_path), file(fd) {
    if (!gzip) return;
    packer.emplace();
    if (deflateInit2(&*packer, 6, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
      packer.reset();
      throw Error(ExitCode::failure, "zlib could not be initialised");
    }
  }
  ~Sink() {
    if (packer) deflateEnd(&*packer);
  }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  void put(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail_write(path, errno);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  void pack(std::string_view text, int flush) {
    packer->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    packer->avail_in = static_cast<uInt>(text.size());
    std::array<char, chunk_size> buffer;
    do {
      packer->next_out = reinterpret_cast<Bytef*>(buffer.data());
      packer->avail_out = static_cast<uInt>(buffer.size());
      deflate(&*packer, flush);
      put({buffer.data(), buffer.size() - packer->avail_out});
    } while (packer->avail_out == 0);
  }

  const std::filesystem::path& path;
  Descriptor file;
  std::optional<z_stream> packer;
};

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  const bool gzip = path_.extension() == ".gz";
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {  // a pipe, a terminal, /dev/null: nothing to rename
    const int fd = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) fail_write(path_, errno);
    sink_ = std::make_unique<Sink>(path_, fd, gzip);
    return;
  }
  std::string name = path_.string() + ".XXXXXX";
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) fail_write(path_, errno);
  temporary_ = name;
  sink_ = std::make_unique<Sink>(path_, fd, gzip);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  (void)::fchmod(fd, 0666 & ~mask);  // mkostemp makes it private; an output file follows the user's umask
}

AtomicFile::~AtomicFile() {
  if (!sink_) return;
  sink_.reset();
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::write(std::string_view text) {
  if (sink_->packer) {
    sink_->pack(text, Z_NO_FLUSH);
  } else {
    sink_->put(text);
  }
}

void AtomicFile::commit() {
  if (sink_->packer) sink_->pack({}, Z_FINISH);
  // EINVAL, EROFS: a pipe or a terminal cannot be flushed to disk and need not be.
  if (::fsync(sink_->file.get()) != 0 && !temporary_.empty()) fail_write(path_, errno);
  if (!sink_->file.reset()) fail_write(path_, errno);
  if (!temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0) fail_write(path_, errno);
  sink_.reset();
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

TemporaryDirectory::TemporaryDirectory() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string name = (error ? std::filesystem::path("/tmp") : parent) / "bough-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(ExitCode::cannot_write, std::format("cannot create a directory like {}: {}", name, std::strerror(errno)), "set TMPDIR to a writable directory");
  }
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace bough
