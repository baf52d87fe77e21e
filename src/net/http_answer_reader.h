// Reads an HTTP/1.x answer from the bytes of a connection as they come, in pieces of any size. As lenient as endpoints need
// it (bare line feeds, no reason phrase), with a limit on everything. Used by net/plain_driver.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_client.h"

namespace eilbote {

class HttpAnswerReader {
 public:
  enum class State {
    more,  // the answer is not whole yet
    done,  // it is, or as much of it as was wanted
    lost,  // the connection ended before it
    bad    // this is no HTTP answer, or beyond the limits
  };

  HttpAnswerReader(std::size_t header_bytes_max, std::size_t body_bytes_max);
  ~HttpAnswerReader();
  HttpAnswerReader(const HttpAnswerReader&) = delete;
  HttpAnswerReader& operator=(const HttpAnswerReader&) = delete;

  // Bytes after the end of the answer are not looked at, but seen: the connection is not used again.
  State take(std::string_view bytes);
  // The other side has closed.
  State end();

  // Whether the connection may carry another request; asked when the answer is done.
  bool may_go_on() const;
  bool has_begun() const { return part_ != Part::status_line || header_bytes_ > 0; }
  // What is known so far; taken out.
  HttpAnswer& answer() { return answer_; }
  // Of State::bad and State::lost, for people.
  const std::string& why() const { return why_; }

 private:
  enum class Part { status_line, header, body, chunk_size, chunk, chunk_end, trailer, until_close, over };
  class Inflater;

  State bad(std::string why);
  std::optional<std::string_view> take_line(std::string_view& bytes);
  State on_line(std::string_view line);
  State on_status_line(std::string_view line);
  State on_header(std::string_view line);
  State on_headers_end();
  State on_chunk_size(std::string_view line);
  State begin_body();
  State take_body(std::string_view& bytes);
  State keep(std::string_view bytes);
  State finish();

  const std::size_t header_bytes_max_, body_bytes_max_;
  HttpAnswer answer_;
  std::string why_;
  Part part_ = Part::status_line;
  std::string line_;              // what came of one that goes on in the next bytes
  std::size_t header_bytes_ = 0;  // over all answers: an endless row of 1xx is too much as well
  std::int64_t length_ = -1;      // of the body, by its header
  std::uint64_t left_ = 0;        // of the body or the chunk
  bool chunked_ = false, closes_ = false, goes_on_ = true;
  std::string encoding_;
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace eilbote
