// A reply from the line a server would write: reply_of("450 4.7.1 later").
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "domain/smtp_reply.h"

namespace eilbote::test {

inline SmtpReply reply_of(std::string bytes) {
  bytes += "\r\n";
  std::string_view rest = bytes;
  SmtpReplyReader reader;
  EXPECT_EQ(reader.read(rest), SmtpReplyReader::Step::complete) << bytes;
  return reader.take();
}

}  // namespace eilbote::test
