#include "net/http_request_reader.h"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <optional>

#include "base/ascii.h"

namespace eilbote {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using Text = boost::beast::string_view;

constexpr std::size_t kChunkedBytesMin = 5;  // "0", and two ends of lines

std::string_view view(Text text) {
  return {text.data(), text.size()};
}

HttpRefusal refusal_of(const error_code& ec) {
  if (ec == http::error::header_limit)
    return {431,
            "the request header is too large; the server's EILBOTE_HTTP_HEADER_BYTES_MAX sets the limit"};
  if (ec == http::error::body_limit)
    return {413, "the request body is too large; the server's EILBOTE_HTTP_BODY_BYTES_MAX sets the limit"};
  if (ec == http::error::bad_version) return {400, "the protocol must be HTTP/1.0 or HTTP/1.1"};
  if (ec == http::error::bad_content_length)
    return {400, "Content-Length must be one number, without Transfer-Encoding"};
  if (ec == http::error::bad_transfer_encoding)
    return {400, "Transfer-Encoding must be 'chunked', without Content-Length"};
  if (ec == http::error::bad_chunk || ec == http::error::bad_chunk_extension)
    return {400, "the chunked body is malformed"};
  return {400, "the request is not well-formed HTTP: " + ec.message()};
}

// Writes into the request as Beast reads; nothing is kept twice.
class Sink final : public http::basic_parser<true> {
 public:
  HttpRequest request;
  HttpRefusal refusal;
  bool expects_continue = false;
  bool has_chunk = false;
  int version = 11;

  // Faults Beast does not see. Status 0: none.
  void check_header() {
    if (refusal.status != 0) return;
    if (version == 11 && hosts_ != 1) refusal = {400, "exactly one Host header is needed"};
  }

 private:
  int hosts_ = 0;

  void on_request_impl(http::verb, Text method, Text target, int number, error_code&) override {
    request.method = view(method);
    request.target = view(target);
    version = number;
    refusal.status = 0;
  }
  void on_field_impl(http::field name, Text name_text, Text value, error_code&) override {
    if (is_header_done()) return;  // a trailer
    if (name == http::field::host) ++hosts_;
    // A coding Beast does not know would leave the body's length to guesswork.
    if (name == http::field::transfer_encoding && !same_but_for_case(value, "chunked"))
      refusal = {400, "Transfer-Encoding must be 'chunked'"};
    if (name == http::field::expect) {
      expects_continue = same_but_for_case(value, "100-continue");
      if (!expects_continue) refusal = {417, "the only expectation that can be met is 100-continue"};
    }
    request.headers.emplace_back(view(name_text), view(value));
  }
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, error_code&) override {
    request.body.append(body.data(), body.size());
    return body.size();
  }
  std::size_t on_body_impl(Text body, error_code&) override { return body.size(); }
  void on_response_impl(int, Text, int, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  void on_chunk_header_impl(std::uint64_t, Text, error_code&) override { has_chunk = true; }
  void on_finish_impl(error_code&) override {}
};

}  // namespace

struct HttpRequestReader::Parser {
  std::optional<Sink> sink;  // Beast's parsers are good for one message
  HttpRefusal refusal;
};

HttpRequestReader::HttpRequestReader() : parser_(std::make_unique<Parser>()) {}
HttpRequestReader::~HttpRequestReader() = default;

void HttpRequestReader::reset(const Limits& limits) {
  Sink& sink = parser_->sink.emplace();
  sink.header_limit(static_cast<std::uint32_t>(limits.header_bytes_max));
  sink.body_limit(limits.body_bytes_max);
  sink.eager(false);
}

HttpRequestReader::Step HttpRequestReader::feed(std::string_view bytes, std::size_t& consumed) {
  Sink& sink = *parser_->sink;
  const bool in_header = !sink.is_header_done();
  if (!in_header) sink.eager(true);
  // Beast asserts that a last chunk which is the first comes in one piece: a client that sends its bytes one by one would end a
  // program that was compiled with assertions.
  if (!in_header && !sink.has_chunk && bytes.size() < kChunkedBytesMin) {
    consumed = 0;
    return Step::need_more;
  }
  error_code ec;
  consumed = sink.put(boost::asio::const_buffer(bytes.data(), bytes.size()), ec);
  if (ec == http::error::need_more) ec = {};
  if (ec) {
    parser_->refusal = refusal_of(ec);
    return Step::refused;
  }
  if (in_header && sink.is_header_done()) {
    sink.check_header();
    if (sink.refusal.status == 0) return Step::header;
    parser_->refusal = sink.refusal;
    return Step::refused;
  }
  return !in_header && sink.is_done() ? Step::done : Step::need_more;
}

bool HttpRequestReader::chunked() const {
  return parser_->sink->chunked();
}
std::uint64_t HttpRequestReader::content_length() const {
  return chunked() ? 0 : parser_->sink->content_length().value_or(0);
}
bool HttpRequestReader::keep_alive() const {
  return parser_->sink->keep_alive();
}
bool HttpRequestReader::is_http10() const {
  return parser_->sink->version == 10;
}
bool HttpRequestReader::expects_continue() const {
  return parser_->sink->expects_continue;
}
HttpRequest& HttpRequestReader::request() {
  return parser_->sink->request;
}
const HttpRefusal& HttpRequestReader::refusal() const {
  return parser_->refusal;
}

}  // namespace eilbote
