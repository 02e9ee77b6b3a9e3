// SPDX-License-Identifier: Apache-2.0
//
// An installation is complete: the examples build against it, with CMake and with pkg-config, and solve.
#include <gtest/gtest.h>

#include <cstdlib>
#include <format>
#include <regex>

#include "bough/file.hpp"
#include "bough/instance/family.hpp"
#include "bough/instance/write.hpp"
#include "bough/scip/problem.hpp"
#include "bough/scip/run.hpp"
#include "tests/models.hpp"
#include "tests/process.hpp"

namespace bough::test {
namespace {

namespace fs = std::filesystem;

const fs::path build_directory = fs::path(BOUGH_EXECUTABLE).parent_path();

Milp setcover() {
  const Family& family = family_by_name("setcover");
  return generate_instance(family, resolve_parameters(family, Size::tiny), 3);
}

double optimum_of(const Milp& milp) {
  std::exception_ptr error;
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), milp);
  return run(scip.get(), {}, error).primal_bound;
}

/// Runs a command that has to succeed.
std::string run_well(const std::vector<std::string>& words, const fs::path& directory) {
  const Finished finished = run_program(words, directory);
  std::string command;
  for (const std::string& word : words) command += word + " ";
  EXPECT_EQ(finished.exit_code, 0) << command << "\n" << finished.out << finished.err;
  return finished.out;
}

bool has_program(const std::string& name) { return run_program({"sh", "-c", "command -v " + name}).exit_code == 0; }

TEST(Installation, IsAllThatAProgramNeeds) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a program would have to be built with the sanitizer too";
#endif
  const TemporaryDirectory directory;
  const fs::path& at = directory.path();
  const fs::path prefix = at / "prefix";
  run_well({"cmake", "--install", build_directory, "--prefix", prefix}, at);
  for (const char* header : {"bough.hpp", "bough.h", "error.hpp"}) EXPECT_TRUE(fs::exists(prefix / "include/bough" / header)) << header;
  EXPECT_EQ(std::distance(fs::directory_iterator(prefix / "include/bough"), fs::directory_iterator()), 3) << "a header nobody is meant to use";
  EXPECT_TRUE(fs::exists(prefix / "bin/bough-train"));
  EXPECT_TRUE(run_well({prefix / "bin/bough", "--version"}, at).starts_with("bough "));

  const Milp milp = setcover();
  write_milp(milp, at / "instance.mps");
  write_file(at / "model.safetensors", model_bytes(random_model({.network = Network::tgat, .d = 16}, 1)));
  const std::string expected = std::format("status optimal\nobjective {:.9g}\ndecisions ", optimum_of(milp));
  const auto expect_solves = [&](const std::vector<std::string>& program) {
    std::vector<std::string> words = program;
    words.insert(words.end(), {"instance.mps", "model.safetensors"});
    const std::string out = run_well(words, at);
    EXPECT_TRUE(out.starts_with(expected)) << out;
    EXPECT_TRUE(out.ends_with("fallbacks 0\n")) << out;
    words.back() = "missing.safetensors";
    const Finished refused = run_program(words, at);
    EXPECT_NE(refused.exit_code, 0);
    EXPECT_NE(refused.err.find("cannot read missing.safetensors"), std::string::npos) << refused.err;
  };

  const fs::path examples = fs::path(BOUGH_SOURCE_DIR) / "examples";
  run_well({"cmake", "-G", "Ninja", "-S", examples, "-B", at / "examples", "-DCMAKE_PREFIX_PATH=" + prefix.string()}, at);
  run_well({"cmake", "--build", at / "examples"}, at);
  expect_solves({at / "examples/solve"});
  expect_solves({at / "examples/solve-c"});

  // Without pkg-config on the machine, the flags that it would print are read from the file.
  std::string flags = "$(PKG_CONFIG_PATH=prefix/lib/pkgconfig pkg-config --cflags --libs bough)";
  if (!has_program("pkg-config")) {
    const std::string pc = read_file(prefix / "lib/pkgconfig/bough.pc");
    std::smatch libs;
    std::smatch cflags;
    ASSERT_TRUE(std::regex_search(pc, libs, std::regex("\nLibs: (.*)\n")) && std::regex_search(pc, cflags, std::regex("\nCflags: (.*)\n"))) << pc;
    ASSERT_NE(pc.find("prefix=${pcfiledir}/../../\nlibdir=${prefix}/lib\nincludedir=${prefix}/include\n"), std::string::npos) << pc;
    flags = cflags.str(1) + " " + libs.str(1);
    flags = std::regex_replace(flags, std::regex(R"(\$\{libdir\})"), (prefix / "lib").string());
    flags = std::regex_replace(flags, std::regex(R"(\$\{includedir\})"), (prefix / "include").string());
  }
  run_well({"sh", "-c", std::format("cc '{}' -o solve-pc {}", (examples / "solve.c").string(), flags)}, at);
  expect_solves({"env", std::format("LD_LIBRARY_PATH={}", (prefix / "lib").string()), at / "solve-pc"});
}

TEST(Installation, HasNoTorchInTheSolverAndNoScipInTheTrainer) {
  const auto links = [](const fs::path& file, const std::string& library) {
    const Finished ldd = run_program({"ldd", file});
    EXPECT_EQ(ldd.exit_code, 0) << ldd.err;
    return ldd.out.find(library) != std::string::npos;
  };
  for (const char* file : {"bough", "libbough.so"}) {
    EXPECT_TRUE(links(build_directory / file, "libscip")) << file;
    for (const char* library : {"libtorch", "libc10"}) EXPECT_FALSE(links(build_directory / file, library)) << file << " links " << library;
  }
  EXPECT_FALSE(links(build_directory / "bough-train", "libscip"));
}

TEST(Installation, ShowsOnlyThePublicFunctions) {
  const Finished nm = run_program({"nm", "--dynamic", "--defined-only", "--demangle", build_directory / "libbough.so"});
  ASSERT_EQ(nm.exit_code, 0) << nm.err;
  for (const char* symbol : {"BOUGHincludeBranching", "BOUGHgetNDecisions", "bough::include_branching(", "bough::counts(Scip*)"}) {
    EXPECT_NE(nm.out.find(symbol), std::string::npos) << symbol;
  }
  for (const char* symbol : {"bough::Scorer", "bough::read_model", "nlohmann", "bough::families"}) EXPECT_EQ(nm.out.find(symbol), std::string::npos) << symbol;
}

}  // namespace
}  // namespace bough::test
