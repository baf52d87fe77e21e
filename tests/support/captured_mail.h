// What the capture route wrote: one entry per .eml file.
#pragma once

#include <string>
#include <vector>

namespace eilbote::test {

struct CapturedMail {
  std::string id;          // the message's, from the file's name
  int copy = 1;            // 2 and up: captured again
  std::string message_id;  // the Message-ID header
  std::string to;          // the To header
  std::string path;
};

// Every mail in a capture folder, sorted by id and copy. A folder that is not there has none.
std::vector<CapturedMail> captured_mails(const std::string& folder);
// How many .eml files there are; cheap.
std::size_t captured_count(const std::string& folder);

// The value of a header of an unfolded RFC 5322 text; empty when it has none.
std::string header_of(const std::string& mail, const std::string& name);
std::string read_text_file(const std::string& path);

}  // namespace eilbote::test
