// Every shell block of README.md and the pages runs as it stands there, against the real program (tests/docs/docs_commands.py);
// what is not run says why. The other tests show that the runner finds what is wrong with a page.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/child_process.h"
#include "support/program.h"
#include "support/temp_folder.h"

namespace eilbote::test::every_command_of_the_docs_runs {
namespace {

using namespace std::chrono_literals;

constexpr int kCannotRun = 77;  // docs_commands.py: no network of its own can be had here

CommandResult run_pages(const std::string& root) {
  return run_command({"python3", EILBOTE_SOURCE_DIR "/tests/docs/docs_commands.py", "--program",
                      program_under_test(), "--root", root},
                     {}, 300s);
}

TEST(EveryCommandOfTheDocs, runs) {
  // LeakSanitizer looks for its own process in /proc, which is not that of the page's namespace.
  if (is_other_program()) GTEST_SKIP() << "the docs are run with the release program only";
  const CommandResult result = run_pages(EILBOTE_SOURCE_DIR);
  if (result.exit_code == kCannotRun) GTEST_SKIP() << result.out;
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  std::printf("%s", result.out.c_str());
}

struct PageCase {
  const char* name;
  const char* page;
  const char* fault;  // what the runner must say; nullptr: nothing is wrong
};

const PageCase kPages[] = {
    {"a good one", "```sh\na=1\n```\n```sh\ntest $a = 1\n```\n", nullptr},
    {"a command that fails", "```sh\nfalse\n```\n", "README.md:1: ended with 1"},
    {"one that ends the shell", "```sh\nexit 0\n```\n```sh\ntrue\n```\n",
     "README.md:1: ended with no command"},
    {"one that fails in a pipe", "```sh\nfalse | cat\n```\n", "ended with 1"},
    {"an unknown option", "text\n```sh\neilbote list --colour\n```\n", "README.md:2: ended with 2"},
    {"no language", "```\nls\n```\n", "a block without a language"},
    {"a command that hides", "```text\ncurl http://127.0.0.1\n```\n", "a command in a block of `text`"},
    {"no reason", "<!-- test: none: -->\n```sh\nls\n```\n", "needs a reason"},
    {"a good reason", "<!-- test: none: needs a real cluster -->\n```sh\nfalse\n```\n", nullptr},
    {"a mark that is none", "<!-- test: sometimes -->\n```sh\nls\n```\n", "no mark `sometimes`"},
    {"a mark before no block", "<!-- test: prints a -->\ntext\n", "right before a shell block"},
    {"other words than shown", "```console\n$ echo a b\na c\n```\n", "does not print `a c`"},
    {"the words that are shown", "```console\n$ echo 'a  b'\na b\n```\n", nullptr},
    {"not what the mark says", "<!-- test: prints SENT -->\n```sh\necho QUEUED\n```\n",
     "does not print `SENT`"},
    {"an answer of 404",
     "<!-- test: server sqlite -->\n```sh\ncurl http://127.0.0.1:8925/messages/0HZX3T8Q6N2VB\n```\n",
     "README.md:2: ended with 22"},
    {"an answer of 404 that is told",
     "<!-- test: server sqlite -->\n<!-- test: answers 404 -->\n"
     "```sh\ncurl http://127.0.0.1:8925/messages/0HZX3T8Q6N2VB\n```\n",
     nullptr},
    {"another answer than is told",
     "<!-- test: server sqlite -->\n<!-- test: answers 409 -->\n"
     "```sh\ncurl http://127.0.0.1:8925/messages/0HZX3T8Q6N2VB\n```\n",
     "not refused as the page says"},
    {"a link to no page", "[a](docs/gone.md)\n", "links to docs/gone.md"},
    {"a link to no section", "[a](#gone)\n", "no such section"},
    {"a link that leads somewhere", "# A b\n[a](README.md#a-b)\n```sh\ntrue\n```\n", nullptr},
    {"a setting that is none", "```ini\nEILBOTE_LOG=loud\n```\n", "EILBOTE_LOG: must be"},
    {"settings", "```ini\nEILBOTE_LOG=text   # for people\nEILBOTE_ROLE=worker\n```\n", nullptr},
    {"a server that does not start", "<!-- test: serves -->\n```sh\nEILBOTE_LOG=loud eilbote serve\n```\n",
     "no ready line"},
};

TEST(EveryCommandOfTheDocs, is_really_looked_at) {
  for (const PageCase& one : kPages) {
    const TempFolder root;
    std::ofstream(root / "README.md") << one.page;
    const CommandResult result = run_pages(root.path());
    if (result.exit_code == kCannotRun) GTEST_SKIP() << result.out;
    EXPECT_EQ(result.exit_code, one.fault == nullptr ? 0 : 1) << one.name << ":\n"
                                                              << result.out << result.err;
    if (one.fault == nullptr) continue;
    EXPECT_NE(result.out.find(one.fault), std::string::npos) << one.name << ":\n" << result.out << result.err;
  }
}

TEST(EveryCommandOfTheDocs, is_found_on_every_page) {
  for (const char* page : {"docs/a.md", "deploy/a/README.md", "examples/a/README.md", "bench/README.md"}) {
    const TempFolder root;
    std::filesystem::create_directories(std::filesystem::path(root / page).parent_path());
    std::ofstream(root / page) << "```sh\nfalse\n```\n";
    const CommandResult result = run_pages(root.path());
    if (result.exit_code == kCannotRun) GTEST_SKIP() << result.out;
    EXPECT_NE(result.out.find(std::string(page) + ":1: ended with 1"), std::string::npos)
        << result.out << result.err;
  }
}

TEST(EveryCommandOfTheDocs, is_on_a_page_that_is_listed) {
  const TempFolder root;
  std::filesystem::create_directories(root / "docs");
  std::ofstream(root / "docs/README.md") << "[a](a.md)\n```sh\ntrue\n```\n";
  std::ofstream(root / "docs/a.md") << "";
  std::ofstream(root / "docs/b.md") << "";
  const CommandResult result = run_pages(root.path());
  EXPECT_NE(result.out.find("has no link to b.md"), std::string::npos) << result.out << result.err;
  EXPECT_EQ(result.out.find("has no link to a.md"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace eilbote::test::every_command_of_the_docs_runs
