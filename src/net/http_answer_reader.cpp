#include "net/http_answer_reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

namespace eilbote {
namespace {

constexpr std::size_t kInflateStep = 16 * 1024;
constexpr std::size_t kUsualHeaders = 512;  // bytes

// Whether a comma-separated list names this.
bool names(std::string_view list, std::string_view what) {
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(one.size() + 1, list.size()));
    if (same_but_for_case(trimmed(one), what)) return true;
  }
  return false;
}

}  // namespace

// Unpacks gzip and deflate, a bounded piece at a time.
class HttpAnswerReader::Inflater {
 public:
  // Some send "deflate" without the frame it should have: the first byte tells.
  explicit Inflater(bool framed) { is_ready_ = inflateInit2(&stream_, framed ? 15 + 32 : -15) == Z_OK; }
  ~Inflater() {
    if (is_ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Calls keep(piece) until it says stop. False: these bytes are not packed as they should be.
  template <class Keep>
  bool take(std::string_view bytes, Keep keep) {
    if (!is_ready_) return false;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): zlib reads only
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    char out[kInflateStep];
    while (!is_over_) {
      stream_.next_out = reinterpret_cast<Bytef*>(out);
      stream_.avail_out = sizeof out;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t made = sizeof out - stream_.avail_out;
      // What was made before a fault counts first: else it depended on the pieces it came in whether there was enough.
      if (!keep(std::string_view(out, made))) return true;
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return false;
      is_over_ = code == Z_STREAM_END;
      if (made < sizeof out) return true;
    }
    return true;
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false, is_over_ = false;
};

HttpAnswerReader::HttpAnswerReader(std::size_t header_bytes_max, std::size_t body_bytes_max)
    : header_bytes_max_(header_bytes_max), body_bytes_max_(body_bytes_max) {}

HttpAnswerReader::~HttpAnswerReader() = default;

HttpAnswerReader::State HttpAnswerReader::bad(std::string why) {
  why_ = std::move(why);
  return State::bad;
}

bool HttpAnswerReader::may_go_on() const {
  return part_ == Part::over && goes_on_ && !closes_;
}

HttpAnswerReader::State HttpAnswerReader::take(std::string_view bytes) {
  while (!bytes.empty()) {
    State state = State::more;
    if (part_ == Part::over) {
      goes_on_ = false;
      return State::done;
    }
    if (part_ == Part::body || part_ == Part::chunk || part_ == Part::until_close) {
      state = take_body(bytes);
    } else {
      const auto line = take_line(bytes);
      if (!line)
        return header_bytes_ > header_bytes_max_
                   ? bad(fmt::format("more than {} bytes of headers", header_bytes_max_))
                   : State::more;
      state = on_line(*line);
      line_.clear();
    }
    if (state == State::done && !bytes.empty()) goes_on_ = false;
    if (state != State::more) return state;
  }
  return State::more;
}

HttpAnswerReader::State HttpAnswerReader::end() {
  goes_on_ = false;
  if (part_ == Part::until_close) return finish();
  if (part_ == Part::over) return State::done;
  why_ = part_ == Part::header || part_ == Part::status_line
             ? (has_begun() ? "in the middle of the headers" : "the other side closed the connection")
             : "in the middle of the body";
  return State::lost;
}

// The next line without its end; nothing when the rest of it has not come, and what did is in line_. Good until line_ changes.
std::optional<std::string_view> HttpAnswerReader::take_line(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  const std::string_view piece = bytes.substr(0, end == std::string_view::npos ? bytes.size() : end + 1);
  header_bytes_ += piece.size();
  if (header_bytes_ > header_bytes_max_) return std::nullopt;
  bytes.remove_prefix(piece.size());
  std::string_view line = piece;
  if (end == std::string_view::npos || !line_.empty()) line = line_ += piece;
  if (end == std::string_view::npos) return std::nullopt;
  line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

HttpAnswerReader::State HttpAnswerReader::on_line(std::string_view line) {
  switch (part_) {
    case Part::status_line:
      return on_status_line(line);
    case Part::header:
      return line.empty() ? on_headers_end() : on_header(line);
    case Part::chunk_size:
      return on_chunk_size(line);
    case Part::chunk_end:
      if (!line.empty()) return bad("a chunk does not end where it should");
      header_bytes_ -= std::min<std::size_t>(header_bytes_, 2);  // see on_chunk_size
      part_ = Part::chunk_size;
      return State::more;
    default:  // the trailer
      return line.empty() ? finish() : State::more;
  }
}

HttpAnswerReader::State HttpAnswerReader::on_status_line(std::string_view line) {
  // "HTTP/1.1 200 OK"; the words may be left out.
  const bool is_http = line.starts_with("HTTP/1.") && line.size() >= 12 && line[8] == ' ' &&
                       (line.size() == 12 || line[12] == ' ');
  int status = 0;
  if (is_http) std::from_chars(line.data() + 9, line.data() + 12, status);
  if (status < 100) return bad("this is not an HTTP answer");
  answer_.status = status;
  answer_.header_lines.reserve(kUsualHeaders);
  answer_.header_lines.assign(line).append("\r\n");
  closes_ = line[7] == '0';
  chunked_ = false;
  length_ = -1;
  encoding_.clear();
  part_ = Part::header;
  return State::more;
}

HttpAnswerReader::State HttpAnswerReader::on_header(std::string_view line) {
  answer_.header_lines.append(line).append("\r\n");
  if (line.front() == ' ' || line.front() == '\t') return State::more;  // goes on with the header before
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return bad("a header has no colon");
  const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
  if (same_but_for_case(name, "content-length")) {
    std::int64_t length = -1;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
    const bool is_number = error == std::errc{} && end == value.data() + value.size() && length >= 0;
    if (!is_number || (length_ >= 0 && length != length_)) return bad("the Content-Length makes no sense");
    length_ = length;
  } else if (same_but_for_case(name, "transfer-encoding")) {
    if (!same_but_for_case(value, "chunked") && !same_but_for_case(value, "identity"))
      return bad("a Transfer-Encoding that nobody asked for");
    chunked_ = same_but_for_case(value, "chunked");
  } else if (same_but_for_case(name, "connection")) {
    if (names(value, "close")) closes_ = true;
    if (names(value, "keep-alive")) closes_ = false;
  } else if (same_but_for_case(name, "content-encoding")) {
    encoding_ = value;
  }
  return State::more;
}

HttpAnswerReader::State HttpAnswerReader::on_headers_end() {
  answer_.header_lines += "\r\n";
  const int status = answer_.status;
  // Nobody asked for another protocol, and what follows is none of ours.
  if (status == 101) {
    closes_ = true;
    return finish();
  }
  if (status < 200) {
    part_ = Part::status_line;
    return State::more;
  }
  if (status == 204 || status == 304) return finish();
  return begin_body();
}

HttpAnswerReader::State HttpAnswerReader::begin_body() {
  if (chunked_) {
    if (length_ >= 0)
      closes_ = true;  // two lengths: somebody between here and there may believe the other one
    part_ = Part::chunk_size;
  } else if (length_ >= 0) {
    left_ = static_cast<std::uint64_t>(length_);
    part_ = Part::body;
    if (left_ == 0) return finish();
  } else {
    part_ = Part::until_close;
  }
  return State::more;
}

HttpAnswerReader::State HttpAnswerReader::on_chunk_size(std::string_view line) {
  const std::string_view digits = trimmed(line.substr(0, line.find(';')));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), left_, 16);
  if (error != std::errc{} || end != digits.data() + digits.size()) return bad("a chunk has no size");
  // What frames the chunks is not counted: a body may be long.
  header_bytes_ -= std::min(header_bytes_, line.size() + 2);
  part_ = left_ == 0 ? Part::trailer : Part::chunk;
  return State::more;
}

HttpAnswerReader::State HttpAnswerReader::take_body(std::string_view& bytes) {
  const bool bounded = part_ != Part::until_close;
  const std::string_view piece =
      bounded ? bytes.substr(0, std::min<std::uint64_t>(left_, bytes.size())) : bytes;
  bytes.remove_prefix(piece.size());
  if (bounded) left_ -= piece.size();
  if (const State kept = keep(piece); kept != State::more) return kept;
  if (!bounded || left_ > 0) return State::more;
  if (part_ == Part::body) return finish();
  part_ = Part::chunk_end;
  return State::more;
}

// Done when there is more than is wanted: the rest is neither kept nor unpacked.
HttpAnswerReader::State HttpAnswerReader::keep(std::string_view bytes) {
  const auto append = [this](std::string_view piece) {
    const std::size_t room = body_bytes_max_ - answer_.body.size();
    answer_.body.append(piece.substr(0, room));
    answer_.body_is_cut = piece.size() > room;
    return !answer_.body_is_cut;
  };
  const bool deflate = same_but_for_case(encoding_, "deflate");
  if (!deflate && !same_but_for_case(encoding_, "gzip") && !same_but_for_case(encoding_, "x-gzip")) {
    append(bytes);
  } else {
    if (!inflater_) inflater_ = std::make_unique<Inflater>(!deflate || (bytes.front() & 0x0F) == Z_DEFLATED);
    if (!inflater_->take(bytes, append)) return bad("the body is not packed as its Content-Encoding says");
  }
  if (!answer_.body_is_cut) return State::more;
  goes_on_ = false;
  return finish();
}

HttpAnswerReader::State HttpAnswerReader::finish() {
  part_ = Part::over;
  return State::done;
}

}  // namespace eilbote
