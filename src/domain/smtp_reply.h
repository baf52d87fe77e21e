// A reply of an SMTP server, and the reader that makes replies of bytes. Pure: no I/O. What a server sends is never
// trusted: lines, their number and their length have hard limits, and what does not look like a reply is an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eilbote {

struct SmtpReply {
  int code = 0;          // 250
  std::string enhanced;  // "4.7.1" as the server wrote it; empty: none
  // The texts, without codes and with blanks for control characters; at least one, which may be empty.
  std::vector<std::string> lines;

  // "450 4.7.1 try again": for people and for the record, on one line.
  std::string text() const;
};

// The enhanced code "d.d+.d+" (numbers of at most three digits) that `text` begins with, when a blank or the end follows it;
// empty: there is none.
std::string_view enhanced_code_at(std::string_view text);

// Whether a code is of a pattern such as "45x" or "5.7.x": x stands for any digit.
bool code_fits(std::string_view pattern, std::string_view code);

class SmtpReplyReader {
 public:
  static constexpr std::size_t kLineBytesMax = 2048;  // RFC 5321 says 512; some servers do not care
  static constexpr std::size_t kLinesMax = 128;

  enum class Step {
    more,      // the reply is not complete yet
    complete,  // take() has it
    broken,    // this is no SMTP; the connection is of no more use
  };

  // Takes bytes off the front of `input`, up to the end of one reply.
  Step read(std::string_view& input);
  SmtpReply take();
  // Whether some bytes of a reply have come.
  bool has_begun() const { return !line_.empty() || !reply_.lines.empty(); }

 private:
  Step end_line();

  std::string line_;  // without its end
  SmtpReply reply_;
};

}  // namespace eilbote
