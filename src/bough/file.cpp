// SPDX-License-Identifier: Apache-2.0
#include "bough/file.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <format>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "bough/error.hpp"

namespace bough {
namespace {

constexpr std::size_t chunk_size = 1U << 16;

// Shards are written once and read every epoch, as fast at every level; beyond 9 a step takes several times as long for a few percent
// of the bytes.
constexpr int zstd_level = 9;

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

class Sha256 {
 public:
  void add(std::string_view bytes) { good_ = good_ && EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1; }
  [[nodiscard]] std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned int length = 0;
    if (!good_ || EVP_DigestFinal_ex(context_.get(), digest.data(), &length) != 1) throw Error(ExitCode::failure, "SHA-256 is not available");
    std::string text;
    for (unsigned int i = 0; i < length; ++i) text += std::format("{:02x}", digest[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_{EVP_MD_CTX_new(), EVP_MD_CTX_free};
  bool good_ = context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1;
};

/// Between a file's name and six characters: a temporary name of AtomicFile.
constexpr std::string_view temporary_mark = ".tmp-";

/// A rename is on disk only when the directory is.  One that cannot be opened or flushed (no right to list it, some network file
/// systems) is left to the system.
void flush_directory_of(const std::filesystem::path& path) {
  const auto directory = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() >= 0 && ::fsync(opened.get()) != 0 && errno != EINVAL && errno != EROFS) fail_write(path, errno);
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

/// A compressor or decompressor.  step() moves what it can from `in`, which it advances, to `out`.
class Codec {
 public:
  enum class Status { more, idle, damaged };  ///< more: call again; idle: all of `in` is taken and nothing waits to come out
  struct Step {
    Status status;
    std::size_t n_written;
  };
  explicit Codec(const char* format) : name(format) {}
  virtual ~Codec() = default;
  Codec(const Codec&) = delete;
  Codec& operator=(const Codec&) = delete;

  /// `last` (for a compressor): there is no more after `in`.
  virtual Step step(std::string_view& in, std::span<char> out, bool last) = 0;

  const char* name;
  bool at_end = false;  ///< of a decompressor: the last member or frame was whole.  Another may follow in both formats.
};

/// Runs `in` through the codec to sink(bytes); false if the codec finds it damaged.
bool pump(Codec& codec, std::string_view in, bool last, auto&& sink) {
  std::array<char, chunk_size> buffer;
  for (;;) {
    const auto [status, n_written] = codec.step(in, buffer, last);
    sink(std::string_view(buffer.data(), n_written));
    if (status != Codec::Status::more) return status == Codec::Status::idle;
  }
}

/// zlib's stream, in both directions: the two differ in the functions called.
class Gzip final : public Codec {
 public:
  explicit Gzip(bool pack) : Codec("gzip"), pack_(pack) {
    constexpr int gzip_window = 15 + 16;  // the largest window; 16 asks for gzip's own frame
    const int status = pack ? deflateInit2(&stream_, 6, Z_DEFLATED, gzip_window, 9, Z_DEFAULT_STRATEGY) : inflateInit2(&stream_, gzip_window);
    if (status != Z_OK) throw Error(ExitCode::failure, "zlib could not be initialised");
  }
  ~Gzip() override { pack_ ? deflateEnd(&stream_) : inflateEnd(&stream_); }

  Step step(std::string_view& in, std::span<char> out, bool last) override {
    if (std::exchange(at_end, false)) inflateReset(&stream_);
    const std::size_t n_in = std::min<std::size_t>(in.size(), 1U << 30);  // zlib counts in 32 bits
    // zlib's interface predates const; it does not write through next_in.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(n_in);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int status = pack_ ? deflate(&stream_, last && n_in == in.size() ? Z_FINISH : Z_NO_FLUSH) : inflate(&stream_, Z_NO_FLUSH);
    in.remove_prefix(n_in - stream_.avail_in);
    at_end = !pack_ && status == Z_STREAM_END;
    // Z_BUF_ERROR: there was nothing to do, as when the last step filled `out` exactly.
    const bool good = status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR;
    const bool idle = in.empty() && (stream_.avail_out != 0 || status == Z_STREAM_END);
    return {!good ? Status::damaged : idle ? Status::idle : Status::more, out.size() - stream_.avail_out};
  }

 private:
  z_stream stream_{};
  bool pack_;
};

class ZstdPacker final : public Codec {
 public:
  explicit ZstdPacker(std::optional<std::size_t> content_size) : Codec("zstd") {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, zstd_level);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    if (content_size) ZSTD_CCtx_setPledgedSrcSize(context_.get(), *content_size);
  }

  Step step(std::string_view& in, std::span<char> out, bool last) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t waiting = ZSTD_compressStream2(context_.get(), &to, &from, last ? ZSTD_e_end : ZSTD_e_continue);
    in.remove_prefix(from.pos);
    // Asked once more after the end it would begin a second frame; while it is not the end, `waiting` counts what it rightly keeps.
    const bool idle = in.empty() && (last ? waiting == 0 : to.pos < to.size);
    return {ZSTD_isError(waiting) ? Status::damaged : idle ? Status::idle : Status::more, to.pos};
  }

 private:
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_{ZSTD_createCCtx(), ZSTD_freeCCtx};
};

class ZstdUnpacker final : public Codec {
 public:
  ZstdUnpacker() : Codec("zstd") {
    if (!context_) throw std::bad_alloc();
  }

  Step step(std::string_view& in, std::span<char> out, bool) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t wanted = ZSTD_decompressStream(context_.get(), &to, &from);  // 0 at the end of a frame
    in.remove_prefix(from.pos);
    at_end = wanted == 0;
    const bool idle = in.empty() && (to.pos < to.size || at_end);
    return {ZSTD_isError(wanted) ? Status::damaged : idle ? Status::idle : Status::more, to.pos};
  }

 private:
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_{ZSTD_createDCtx(), ZSTD_freeDCtx};
};

/// By the magic number at the file's beginning; none if it is not compressed.
std::unique_ptr<Codec> make_unpacker(std::string_view beginning) {
  if (beginning.starts_with("\x1f\x8b")) return std::make_unique<Gzip>(false);
  if (beginning.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<ZstdUnpacker>();
  return nullptr;
}

/// By the file's name; none if it is not to be compressed.
std::unique_ptr<Codec> make_packer(const std::filesystem::path& path, std::optional<std::size_t> content_size) {
  if (path.extension() == ".gz") return std::make_unique<Gzip>(true);
  if (path.extension() == ".zst") return std::make_unique<ZstdPacker>(content_size);
  return nullptr;
}

/// Calls sink(bytes) for the file's chunks as they lie on disk; all of them but the last one are full, so the first has a magic number.
void for_each_chunk(const std::filesystem::path& path, auto&& sink) {
  const Descriptor file = open_for_reading(path);
  std::array<char, chunk_size> buffer;
  for (std::size_t filled = 0;;) {
    const ssize_t n = ::read(file.get(), buffer.data() + filled, buffer.size() - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(ExitCode::missing_input, std::format("cannot read {}: {}", path.string(), std::strerror(errno)));
    filled += static_cast<std::size_t>(n);
    if (n > 0 && filled < buffer.size()) continue;
    if (filled > 0) sink(std::string_view(buffer.data(), filled));
    if (n == 0) return;
    filled = 0;
  }
}

}  // namespace

void fail_write(const std::filesystem::path& path, int error, std::string_view if_full) {
  throw Error(ExitCode::cannot_write, std::format("cannot write {}: {}", path.string(), std::strerror(error)),
              error == ENOSPC   ? std::string(if_full)
              : error == ENOENT ? "the directory does not exist; make it first"
                                : "");
}

std::string read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  std::string content;
  const auto append = [&](std::string_view bytes) {
    if (bytes.size() > max_bytes - content.size()) {
      throw Error(ExitCode::bad_input, std::format("{}: more than {} bytes of content", path.string(), max_bytes),
                  "is it the right file? larger ones are not read");
    }
    if (content.size() + bytes.size() > content.capacity()) {  // grow as append() would, but never past the limit
      content.reserve(std::min(max_bytes, std::max(2 * content.capacity(), content.size() + bytes.size())));
    }
    content += bytes;
  };
  std::unique_ptr<Codec> unpacker;
  bool first = true;
  for_each_chunk(path, [&](std::string_view chunk) {
    if (std::exchange(first, false)) unpacker = make_unpacker(chunk);
    if (!unpacker) return append(chunk);
    if (pump(*unpacker, chunk, false, append)) return;
    throw Error(ExitCode::bad_input, std::format("{}: the {} data is damaged", path.string(), unpacker->name), "copy or download the file again");
  });
  if (unpacker && !unpacker->at_end) {
    throw Error(ExitCode::bad_input, std::format("{}: the {} data is cut off", path.string(), unpacker->name), "copy or download the file again");
  }
  return content;
}

std::string compression_of(const std::filesystem::path& path) {
  const Descriptor file = open_for_reading(path);
  std::array<char, 4> magic;  // as long as the longest
  const ssize_t n = ::read(file.get(), magic.data(), magic.size());
  const auto unpacker = make_unpacker({magic.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))});
  return unpacker ? unpacker->name : "";
}

std::string sha256_of_file(const std::filesystem::path& path) {
  Sha256 sum;
  for_each_chunk(path, [&](std::string_view chunk) { sum.add(chunk); });
  return sum.hex();
}

std::string sha256_of(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

/// Where the bytes go: the descriptor directly, or through a compressor.
struct AtomicFile::Sink {
  Sink(const std::filesystem::path& final_path, int fd, std::unique_ptr<Codec> codec) : path(final_path), file(fd), packer(std::move(codec)) {}

  void put(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail_write(path, errno);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  void pack(std::string_view text, bool last) {
    if (pump(*packer, text, last, [&](std::string_view bytes) { put(bytes); })) return;
    throw Error(ExitCode::failure, std::format("{}: {} could not compress it", path.string(), packer->name));
  }

  const std::filesystem::path& path;
  Descriptor file;
  std::unique_ptr<Codec> packer;
};

AtomicFile::AtomicFile(std::filesystem::path path, std::optional<std::size_t> content_size) : path_(std::move(path)) {
  std::unique_ptr<Codec> packer = make_packer(path_, content_size);
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {  // a pipe, a terminal, /dev/null: nothing to rename
    const int fd = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) fail_write(path_, errno);
    sink_ = std::make_unique<Sink>(path_, fd, std::move(packer));
    return;
  }
  std::string name = path_.string() + std::string(temporary_mark) + "XXXXXX";
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) fail_write(path_, errno);
  temporary_ = name;
  sink_ = std::make_unique<Sink>(path_, fd, std::move(packer));
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
    sink_->pack(text, false);
  } else {
    sink_->put(text);
  }
}

void AtomicFile::commit() {
  if (sink_->packer) sink_->pack({}, true);
  // EINVAL, EROFS: a pipe or a terminal cannot be flushed to disk and need not be.
  if (::fsync(sink_->file.get()) != 0 && !temporary_.empty()) fail_write(path_, errno);
  if (!sink_->file.reset()) fail_write(path_, errno);
  if (!temporary_.empty()) {
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail_write(path_, errno);
    flush_directory_of(path_);
  }
  sink_.reset();
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path, text.size());
  file.write(text);
  file.commit();
}

void remove_leftovers(const std::filesystem::path& directory, std::string_view prefix) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory.empty() ? "." : directory, error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t mark = name.rfind(temporary_mark);
    if (name.starts_with(prefix) && mark != std::string::npos && mark + temporary_mark.size() + 6 == name.size()) std::filesystem::remove(entry.path(), error);
  }
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
