// eilbote_load: puts mails, or another text, into a running Eilbote over HTTP and prints what it measured as one JSON object.
// Called by bench/run; of use by hand, too (--help).
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>

#include "load/cpu_time.h"
#include "load/load_run.h"

namespace eilbote::load {
namespace {

void print(const LoadOptions& options, LoadResult& result) {
  std::string errors;
  for (const auto& [what, count] : result.errors)
    errors += fmt::format(R"({}"{}":{})", errors.empty() ? "" : ",", what, count);
  const double rate = result.seconds > 0 ? static_cast<double>(result.accepted) / result.seconds : 0;
  fmt::print(R"({{"loop":"{}","connections":{},"requests":{},"accepted":{},"errors":{{{}}},)",
             options.rate > 0 ? "open" : "closed", options.connections, result.sent, result.accepted, errors);
  fmt::print(R"("seconds":{:.4f},"rate":{:.1f},"cpuSeconds":{:.4f},"latencyMillis":{})", result.seconds, rate,
             cpu_seconds(), result.latency.json());
  if (result.captured) fmt::print(R"(,"captureMillis":{})", result.captured->json());
  fmt::print("}}\n");
}

}  // namespace
}  // namespace eilbote::load

int main(int argc, char** argv) {
  using namespace eilbote::load;
  LoadOptions options;
  CLI::App app{"Puts mails into a running Eilbote and prints what it measured as JSON."};
  app.add_option("--host", options.host, "IPv4 address of the server");
  app.add_option("--port", options.port, "its port")->required();
  app.add_option("--path", options.path, "where to POST");
  app.add_option("--connections", options.connections, "keep-alive connections")->check(CLI::Range(1, 20000));
  app.add_option("--rate", options.rate,
                 "requests per second, latency from the scheduled time; 0: closed loop");
  app.add_option("--seconds", options.seconds, "how long to send");
  app.add_option("--requests", options.requests, "or how many to send");
  app.add_option("--text-bytes", options.text_bytes, "length of the mail's text");
  app.add_option("--capture-folder", options.capture_folder, "measure until ID.eml appears there, too");
  app.add_option("--accepted-file", options.accepted_file,
                 "write the messageId of what was accepted there, a line each");
  std::string body_file;
  app.add_option("--body-file", body_file,
                 "send this instead of mails; twenty @ in it become the time the request was due, in ns")
      ->check(CLI::ExistingFile);
  std::string token_file;
  app.add_option("--token-file", token_file, "a token per line, sent in turn");
  app.add_option("--patience", options.patience, "seconds to wait for answers and captures at the end");
  CLI11_PARSE(app, argc, argv);
  std::ifstream tokens(token_file);
  for (std::string line; std::getline(tokens, line);)
    options.tokens.push_back(line);
  std::ifstream body(body_file);
  options.body.assign(std::istreambuf_iterator<char>(body), {});
  try {
    LoadResult result = run_load(options);
    print(options, result);
    return result.errors.empty() ? 0 : 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "eilbote_load: {}\n", e.what());
    return 1;
  }
}
