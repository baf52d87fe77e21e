// Completions and the man page come from the program's own tables, and the programs they are for can read them.
#include <gmock/gmock.h>

#include <fstream>

#include "config/option.h"
#include "support/child_process.h"
#include "support/cli_fixture.h"
#include "support/temp_folder.h"

namespace eilbote::test::cli_completion_test {
namespace {

using ::testing::HasSubstr;

class CliCompletion : public CliFixture {
 protected:
  // What `describe` prints, as a file.
  std::string described(const std::vector<std::string>& words) {
    std::vector<std::string> all{"describe"};
    all.insert(all.end(), words.begin(), words.end());
    const CliOutcome outcome = run(all);
    EXPECT_EQ(outcome.code, ExitCode::ok) << outcome.err;
    text_ = outcome.out;
    const std::string file = folder_ / words.back();
    std::ofstream(file) << text_;
    return file;
  }
  // What bash offers after these words.
  static std::string offered(const std::string& file, const std::string& words, int count) {
    const CommandResult done =
        run_command({"bash", "--norc", "-c",
                     "source '" + file + "'; COMP_WORDS=(" + words +
                         "); COMP_CWORD=" + std::to_string(count) + "; _eilbote; echo \"${COMPREPLY[*]}\""});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(done.err, "");
    return done.out;
  }
  static bool is_installed(const std::string& program) {
    return run_command({"sh", "-c", "command -v " + program}).exit_code == 0;
  }

  const TempFolder folder_;
  std::string text_;
};

TEST_F(CliCompletion, of_bash_offers_commands_and_flags) {
  const std::string file = described({"completion", "bash"});
  const CommandResult checked = run_command({"bash", "-n", file});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_EQ(offered(file, "eilbote do", 1), "doctor\n");
  EXPECT_EQ(offered(file, "eilbote dead r", 2), "retry\n");
  EXPECT_EQ(offered(file, "eilbote dead retry --dr", 3), "--dry-run\n");
  EXPECT_EQ(offered(file, "eilbote queue --server http://127.0.0.1:1 --js", 4), "--json\n")
      << "a value is no command";
  EXPECT_EQ(offered(file, "eilbote serve --config ''", 3), "\n") << "files are left to the shell";
  for (const Option& option : option_table())
    EXPECT_THAT(text_, HasSubstr(flag_name(option) + " "));
}

TEST_F(CliCompletion, of_other_shells_is_read_by_them) {
  for (const std::string shell : {"zsh", "fish"}) {
    const std::string file = described({"completion", shell});
    EXPECT_THAT(text_, HasSubstr("doctor")) << shell;
    EXPECT_THAT(text_, HasSubstr("\"dead retry\"")) << shell;
    if (is_installed(shell)) {
      const CommandResult checked = run_command({shell, "-n", file});
      EXPECT_EQ(checked.exit_code, 0) << shell << ": " << checked.err;
    }
  }
}

// As compinit does it: the file is loaded when the function is called for the first time, and that call must offer something.
TEST_F(CliCompletion, of_zsh_offers_at_the_first_tab) {
  described({"completion", "zsh"});
  EXPECT_TRUE(text_.starts_with("#compdef eilbote\n"));
  EXPECT_THAT(text_,
              HasSubstr("if [[ $funcstack[1] = _eilbote ]]; then\n  _eilbote \"$@\"\nelse\n  compdef"));
  if (!is_installed("zsh")) return;
  std::ofstream(folder_ / "_eilbote") << text_;
  const CommandResult done =
      run_command({"zsh", "-f", "-c",
                   "fpath=('" + folder_.path() +
                       "'); autoload -Uz _eilbote; _describe() { print -l -- $entries }; "
                       "words=(eilbote dead ''); CURRENT=3; _eilbote"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("retry:"));
}

TEST_F(CliCompletion, needs_a_shell_that_is_known) {
  EXPECT_EQ(run({"describe", "completion"}).code, ExitCode::usage);
  EXPECT_THAT(run({"describe", "completion", "tcsh"}).err, HasSubstr("bash, zsh, fish"));
  EXPECT_EQ(run({"describe", "man", "bash"}).code, ExitCode::usage);
}

TEST_F(CliCompletion, the_man_page_has_every_command_and_option) {
  const std::string file = described({"man"});
  EXPECT_TRUE(text_.starts_with(".\\\" "));
  for (const char* words : {"eilbote serve", "eilbote dead retry", "eilbote doctor", "eilbote backup FILE"})
    EXPECT_THAT(text_, HasSubstr(".SS \"" + std::string(words)));
  for (const Option& option : option_table())
    EXPECT_THAT(text_, HasSubstr(option.key));
  if (is_installed("groff")) {
    const CommandResult read = run_command({"groff", "-man", "-Tascii", "-ww", "-z", file});
    EXPECT_EQ(read.exit_code, 0);
    EXPECT_EQ(read.err, "");
  }
  if (is_installed("mandoc")) {
    const CommandResult read = run_command({"mandoc", "-Tlint", "-Werror", file});
    EXPECT_EQ(read.exit_code, 0) << read.out;
  }
  const auto json = boost::json::parse(run({"describe", "man", "--json"}).out);
  EXPECT_EQ(json.at("text").as_string(), text_);
}

}  // namespace
}  // namespace eilbote::test::cli_completion_test
