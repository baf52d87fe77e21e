// Answers as they come over a connection: whole, in pieces of every size, sloppy, cut off, packed, and none at all.
#include "net/http_answer_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace eilbote::test::http_answer_reader_test {
namespace {

using State = HttpAnswerReader::State;

constexpr std::size_t kHeaderMax = 500, kBodyMax = 100;

// What a reader makes of these bytes, `piece` at a time, and of the end of the connection after them.
std::string read(const std::string& bytes, std::size_t piece = 1'000'000, bool then_end = true) {
  HttpAnswerReader reader(kHeaderMax, kBodyMax);
  State state = State::more;
  for (std::size_t at = 0; at < bytes.size() && state == State::more; at += piece)
    state = reader.take(std::string_view(bytes).substr(at, piece));
  if (state == State::more && then_end) state = reader.end();
  const HttpAnswer& answer = reader.answer();
  switch (state) {
    case State::more:
      return "more";
    case State::lost:
      return "lost: " + reader.why();
    case State::bad:
      return "bad: " + reader.why();
    case State::done:
      return std::to_string(answer.status) + " '" + answer.body + "'" + (answer.body_is_cut ? " cut" : "") +
             (reader.may_go_on() ? " goes on" : "");
  }
  return {};
}

std::string packed(const std::string& text, int window) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string with_length(const std::string& headers, const std::string& body) {
  return "HTTP/1.1 200 OK\r\n" + headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

struct Case {
  std::string bytes, want;
};

const std::vector<Case> kCases{
    // whole ones
    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "200 'ok' goes on"},
    {"HTTP/1.1 200 OK\r\ncontent-LENGTH:2\r\n\r\nok", "200 'ok' goes on"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200 '' goes on"},
    {"HTTP/1.1 204 No Content\r\n\r\n", "204 '' goes on"},
    {"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "304 '' goes on"},
    {"HTTP/1.1 500 Oh\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbad", "500 'bad'"},
    {"HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 0\r\n\r\n", "200 ''"},
    {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "200 'ok'"},
    {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", "200 'ok' goes on"},
    {"HTTP/1.1 200 OK\r\n\r\nuntil the end", "200 'until the end'"},
    // sloppy ones
    {"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", "200 'ok' goes on"},
    {"HTTP/1.1 200 \nContent-Length: 2\n\nok", "200 'ok' goes on"},
    {"HTTP/1.1 200 OK\r\nX-Long: a\r\n b\r\nContent-Length: 2\r\n\r\nok", "200 'ok' goes on"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", "200 'ok' goes on"},
    // what comes after an answer is not ours, and the connection not to be trusted
    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok!", "200 'ok'"},
    {"HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\n", "204 ''"},
    // before the answer
    {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nX: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: "
     "0\r\n\r\n",
     "200 '' goes on"},
    {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nanything", "101 ''"},
    // in chunks
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
     "200 'ok0123456789' goes on"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nok\r\n0\r\nTrailer: 1\r\n\r\n",
     "200 'ok' goes on"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n0\r\n\r\n", "200 ''"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "bad: a chunk has no size"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", "bad: a chunk has no size"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11111111111111111\r\n",
     "bad: a chunk has no size"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokay\r\n",
     "bad: a chunk does not end where it should"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
     "bad: a Transfer-Encoding that nobody asked for"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", "lost: in the middle of the body"},
    // cut off
    {"", "lost: the other side closed the connection"},
    {"HTTP/1.1 200 OK\r\nContent-Le", "lost: in the middle of the headers"},
    {"HTTP/1.1 100 Continue\r\n\r\n", "lost: in the middle of the headers"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", "lost: in the middle of the body"},
    // no answers
    {"SSH-2.0-OpenSSH\r\n", "bad: this is not an HTTP answer"},
    {"HTTP/2 200\r\n", "bad: this is not an HTTP answer"},
    {"HTTP/1.1 20\r\n", "bad: this is not an HTTP answer"},
    {"HTTP/1.1 2000 OK\r\n", "bad: this is not an HTTP answer"},
    {"HTTP/1.1 abc OK\r\n", "bad: this is not an HTTP answer"},
    {"\r\n", "bad: this is not an HTTP answer"},
    {"HTTP/1.1 200 OK\r\nno colon\r\n", "bad: a header has no colon"},
    {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n", "bad: the Content-Length makes no sense"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 2x\r\n", "bad: the Content-Length makes no sense"},
    {"HTTP/1.1 200 OK\r\nContent-Length:\r\n", "bad: the Content-Length makes no sense"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n", "bad: the Content-Length makes no sense"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n",
     "bad: the Content-Length makes no sense"},
    {"HTTP/1.1 200 OK\r\nX: " + std::string(kHeaderMax, 'x') + "\r\n\r\n",
     "bad: more than 500 bytes of headers"},
    {std::string(kHeaderMax + 1, 'x'), "bad: more than 500 bytes of headers"},
    // to the byte
    {with_length("", std::string(kBodyMax, 'x')), "200 '" + std::string(kBodyMax, 'x') + "' goes on"},
    {with_length("", std::string(kBodyMax + 1, 'x')), "200 '" + std::string(kBodyMax, 'x') + "' cut"},
    // packed
    {with_length("Content-Encoding: gzip\r\n", packed("hello", 15 + 16)), "200 'hello' goes on"},
    {with_length("Content-Encoding: X-GZIP\r\n", packed("hello", 15 + 16)), "200 'hello' goes on"},
    {with_length("Content-Encoding: deflate\r\n", packed("hello", 15)), "200 'hello' goes on"},
    {with_length("Content-Encoding: deflate\r\n", packed("hello", -15)), "200 'hello' goes on"},
    {with_length("Content-Encoding: br\r\n", "raw"), "200 'raw' goes on"},
    {with_length("Content-Encoding: gzip\r\n", "not packed"),
     "bad: the body is not packed as its Content-Encoding says"},
    {with_length("Content-Encoding: gzip\r\n", packed(std::string(5'000'000, 'x'), 15 + 16)),
     "200 '" + std::string(kBodyMax, 'x') + "' cut"},
};

TEST(HttpAnswerReader, reads_every_kind_of_answer) {
  for (const Case& one : kCases)
    EXPECT_EQ(read(one.bytes), one.want) << one.bytes.substr(0, 200);
}

TEST(HttpAnswerReader, does_not_care_how_the_bytes_come) {
  for (const Case& one : kCases) {
    for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U}) {
      // What comes in a later piece was not seen yet when the answer was whole.
      std::string want = one.want;
      const std::string came = read(one.bytes, piece);
      if (!want.ends_with(" goes on") && came == want + " goes on") want = came;
      EXPECT_EQ(came, want) << one.bytes.substr(0, 200) << " by " << piece;
    }
  }
}

TEST(HttpAnswerReader, counts_an_endless_row_of_interim_answers) {
  std::string many;
  for (int i = 0; i < 40; ++i)
    many += "HTTP/1.1 102 Processing\r\n\r\n";
  EXPECT_EQ(read(many), "bad: more than 500 bytes of headers");
}

TEST(HttpAnswerReader, takes_a_long_body_in_small_chunks) {
  std::string bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::string body;
  for (int i = 0; i < 100; ++i) {
    bytes += "1;extension=of-some-length\r\nx\r\n";
    body += 'x';
  }
  EXPECT_EQ(read(bytes + "0\r\n\r\n"), "200 '" + body + "' goes on");
}

TEST(HttpAnswerReader, counts_no_frame_of_a_chunk_as_a_header) {
  HttpAnswerReader reader(kHeaderMax, 1'000'000);
  EXPECT_EQ(reader.take("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), State::more);
  for (int i = 0; i < 10'000; ++i)
    ASSERT_EQ(reader.take("1\r\nx\r\n"), State::more) << i;
  EXPECT_EQ(reader.take("0\r\n\r\n"), State::done);
  EXPECT_EQ(reader.answer().body.size(), 10'000U);
}

// It would be a yes or no answer at all, by how the network cut it.
TEST(HttpAnswerReader, has_enough_of_a_body_whose_rest_is_broken_whatever_the_pieces) {
  std::string body = packed(std::string(150, 'x'), 15 + 16);
  body.back() = static_cast<char>(body.back() + 1);
  const std::string bytes = with_length("Content-Encoding: gzip\r\n", body);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, bytes.size()})
    EXPECT_EQ(read(bytes, piece), "200 '" + std::string(100, 'x') + "' cut") << piece;
}

TEST(HttpAnswerReader, keeps_the_headers_of_the_last_answer_only) {
  HttpAnswerReader reader(kHeaderMax, kBodyMax);
  EXPECT_EQ(
      reader.take("HTTP/1.1 100 Continue\r\nX-First: 1\r\n\r\nHTTP/1.1 429 Slow\r\nRetry-After: 7\r\n\r\n"),
      State::more);
  EXPECT_EQ(reader.answer().header("x-first"), "");
  EXPECT_EQ(reader.answer().header("retry-after"), "7");
}

}  // namespace
}  // namespace eilbote::test::http_answer_reader_test
