// SPDX-License-Identifier: Apache-2.0
#include "bough/report/render.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <format>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/report/assets.hpp"
#include "bough/stop.hpp"

namespace bough {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* packages_hint = "figures are drawn by the packages nodejs, node-vega and node-vega-lite: use the project's environment (./bough does), or install them";

/// Debian's modules lie in a directory that only its own nodejs searches by itself.
std::vector<std::string> environment_of_node() {
  std::vector<std::string> words;
  std::string path = "NODE_PATH=";
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string word = *entry;
    if (word.starts_with("NODE_PATH=")) path = word + ":";
    else words.push_back(word);
  }
  words.push_back(path + "/usr/share/nodejs");
  return words;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct FileActions {
  posix_spawn_file_actions_t actions;
  FileActions() { ::posix_spawn_file_actions_init(&actions); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
};

}  // namespace

std::vector<Drawing> draw(const std::vector<Json>& specs) {
  if (specs.empty()) return {};
  // Files instead of pipes: no order of reading and writing can block, and a node that dies early raises no SIGPIPE.
  const TemporaryDirectory directory;
  const auto in = directory.path() / "specs.json", out = directory.path() / "drawings.json", err = directory.path() / "messages.txt";
  write_file(in, Json(specs).dump(-1, ' ', false, Json::error_handler_t::replace));

  std::vector<std::string> words{"node", "-e", std::string(assets::render_js())}, variables = environment_of_node();
  const std::vector<char*> arguments = pointers_to(words), environment = pointers_to(variables);
  FileActions files;
  ::posix_spawn_file_actions_addopen(&files.actions, 0, in.c_str(), O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files.actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  ::posix_spawn_file_actions_addopen(&files.actions, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t child = 0;
  if (const int error = ::posix_spawnp(&child, "node", &files.actions, nullptr, arguments.data(), environment.data()); error != 0) {
    throw Error(ExitCode::failure, std::format("cannot run node to draw the figures: {}", std::strerror(error)), packages_hint);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw Error(ExitCode::failure, std::format("cannot wait for node: {}", std::strerror(errno)));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    if (stop_signal() != 0) throw Error(static_cast<ExitCode>(128 + stop_signal()), "interrupted while the figures were drawn", "the same command draws them again");
    const std::string messages = read_file(err);
    if (messages.contains("Cannot find module 'vega")) throw Error(ExitCode::failure, "node has no Vega to draw the figures with", packages_hint);
    throw Error(ExitCode::failure, std::format("node failed to draw the figures: {}", messages.empty() ? std::format("status {}", status) : messages.substr(0, 2000)));
  }
  std::vector<Drawing> drawings;
  for (Json& drawing : Json::parse(read_file(out))) drawings.push_back({drawing.at("svg").get<std::string>(), std::move(drawing.at("vega"))});
  if (drawings.size() != specs.size()) throw Error(ExitCode::failure, std::format("node drew {} of {} figures", drawings.size(), specs.size()));
  return drawings;
}

}  // namespace bough
