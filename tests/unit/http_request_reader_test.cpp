// Requests as they come over a connection, in pieces of every size. http_server_test.cpp has what the server makes of them.
#include "net/http_request_reader.h"

#include <gtest/gtest.h>

namespace eilbote::test::http_request_reader_test {
namespace {

using Step = HttpRequestReader::Step;

// What becomes of it, `piece` bytes at a time.
std::string read(const std::string& bytes, std::size_t piece) {
  HttpRequestReader reader;
  reader.reset({1000, 1000});
  std::string waiting, said;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    waiting += bytes.substr(at, piece);
    for (bool again = true; again;) {
      std::size_t consumed = 0;
      const Step step = reader.feed(waiting, consumed);
      waiting.erase(0, consumed);
      if (step == Step::refused) return said + std::to_string(reader.refusal().status);
      if (step == Step::done) return said + "done '" + reader.request().body + "'";
      if (step == Step::header) said = "header, ";
      again = step == Step::header || (consumed > 0 && !waiting.empty());
    }
  }
  return said + "more";
}

TEST(HttpRequestReader, reads_chunks_whatever_the_pieces) {
  const struct {
    std::string body, want;
  } cases[] = {
      {"0\r\n\r\n", "header, done ''"},  // in pieces it met an assertion of the library
      {"00;x=1\r\n\r\n", "header, done ''"},
      {"0\r\nA: b\r\n\r\n", "header, done ''"},
      {"1\r\nx\r\n0\r\n\r\n", "header, done 'x'"},
      {"3\r\nxyz\r\n1\r\n!\r\n0\r\nA: b\r\n\r\n", "header, done 'xyz!'"},
      {"0\r\n\r", "header, more"},
      {"x\r\n\r\n", "header, 400"},
      {"fff\r\nabc", "header, 413"},
  };
  for (const auto& [body, want] : cases)
    for (std::size_t piece = 1; piece <= body.size(); ++piece)
      EXPECT_EQ(read("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body, piece), want)
          << body << " in pieces of " << piece;
}

}  // namespace
}  // namespace eilbote::test::http_request_reader_test
