#include "support/eilbote_process.h"
#include "support/private_texts.h"
#include "support/program.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace eilbote::test {

using namespace std::chrono_literals;

namespace {

// What a sanitized program says before it ends, from its first line on. Whether anybody waited for its exit code or not.
void expect_no_sanitizer_report(const std::string& file) {
  constexpr int kTold = 60;
  std::ifstream log(file);
  std::string report;
  int lines = 0;
  for (std::string line; lines < kTold && std::getline(log, line);) {
    const bool is_log_entry = line.starts_with('{');
    const bool begins = !is_log_entry && (line.find("Sanitizer: ") != std::string::npos ||
                                          line.find("runtime error: ") != std::string::npos);
    if (lines == 0 && !begins) continue;
    report += line + "\n";
    ++lines;
  }
  EXPECT_EQ(report, "") << "Sanitizer: the server's log has a report";
}

}  // namespace

EilboteProcess::EilboteProcess(std::string data_folder, std::map<std::string, std::string> environment)
    : data_folder_(std::move(data_folder)), environment_(std::move(environment)) {
  environment_.try_emplace("EILBOTE_LISTEN", "127.0.0.1:0");
  environment_.try_emplace("EILBOTE_DATA_DIR", data_folder_);
  environment_.try_emplace("EILBOTE_LOG", "json");
  environment_.try_emplace("EILBOTE_LOG_LEVEL", "debug");
  // The endpoints of the tests are on this machine.
  environment_.try_emplace("EILBOTE_OUTBOUND_ALLOW", "127.0.0.0/8,::1");
}

EilboteProcess::~EilboteProcess() {
  if (!process_) return;
  if (process_->running() && !url_.empty()) search_metrics();
  process_.reset();
  PrivateTexts::of_this_test().note_environment(environment_);  // files may have other secrets by now
  expect_nothing_private_in_log(log_file());
  expect_no_sanitizer_report(log_file());
}

void EilboteProcess::start() {
  PrivateTexts::of_this_test().note_environment(environment_);
  const std::vector<std::string> command{program_under_test(), "serve"};
  process_ = std::make_unique<ChildProcess>(
      ChildOptions{wrapper_ ? wrapper_(command) : command, environment_, log_file(), ""});
  // Sanitizer builds start slowly on a busy machine.
  const auto line = process_->read_line(60s);
  const std::string greeting = "eilbote ready on ";
  if (!line || !line->starts_with(greeting)) {
    std::ostringstream log;
    log << std::ifstream(log_file()).rdbuf();
    throw std::runtime_error("eilbote did not start: " + line.value_or("(nothing)") + "\n" + log.str());
  }
  url_ = line->substr(greeting.size());
}

void EilboteProcess::kill_hard() {
  process_->signal(SIGKILL);
  process_->wait(30s);
}

int EilboteProcess::stop() {
  search_metrics();
  process_->signal(SIGTERM);
  return process_->wait(60s).value_or(-1);
}

std::string mail_json(const std::string& to, const std::string& subject, const std::string& extra) {
  return R"({"from":"sender@example.org","to":[")" + to + R"("],"subject":")" + subject +
         R"(","body":{"text":"Guten Tag"})" + (extra.empty() ? "" : "," + extra) + "}";
}

}  // namespace eilbote::test
