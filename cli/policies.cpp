// SPDX-License-Identifier: Apache-2.0
#include <format>
#include <memory>
#include <nlohmann/json.hpp>

#include "bough/branch/policies.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace bough::cli {

void add_policies(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("policies", "List the branching policies that have a name");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "the list as JSON");
  command->callback([&action, json] {
    action = [json] {
      nlohmann::ordered_json list = nlohmann::ordered_json::array();
      std::string text;
      for (const PolicyKind& kind : policy_kinds()) {
        list.push_back({{"name", kind.name}, {"summary", kind.summary}});
        text += std::format("{:<19}{}\n", kind.name, kind.summary);
      }
      text += std::format("{:<19}{}\n", "FILE", "a trained network: the model file that 'bough train' wrote; 'bough inspect FILE' shows it");
      print_result(*json ? json_text(list) : text);
      return ExitCode::ok;
    };
  });
}

}  // namespace bough::cli
