// Mails that are hard to write, for the tests that read back what was written: a table of nasty ones and any number of
// random ones. Each says what a reader should find in it.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "domain/mime.h"

namespace eilbote::test {

struct MimeCase {
  std::string name;
  Mail mail;
  std::string shape;  // the types of its parts: "mixed(text/plain, application/pdf)"
};

std::vector<MimeCase> nasty_mails();

// The same seed makes the same mail.
MimeCase random_mail(std::uint64_t seed);

// The bytes Eilbote makes of it, all at one date and with one id.
std::string written(const MimeCase& one);

// What a reader should find in those bytes. A reader's own findings have the same members, so that they compare.
boost::json::object meant(const MimeCase& one);

}  // namespace eilbote::test
