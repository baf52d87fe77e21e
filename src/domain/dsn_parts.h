// Takes a message apart with GMime, as far as a bounce is concerned: its header, the parts that say something, the header of
// the mail that came back. Used by dsn.cpp only. Does not look into a mail that is inside: what that says, it says itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/dsn_fields.h"

namespace eilbote::bounce {

struct Parts {
  Fields header;                             // those fields of the outer header that dsn.cpp asks for
  bool is_report = false;                    // multipart/report, of whatever type
  std::vector<std::string> delivery_status;  // the texts of these parts, decoded
  std::optional<std::string> disposition;    // of a read receipt
  Fields original;                           // of the header of the mail it is about; empty: it is not there
};

Parts read_parts(std::string_view message);

}  // namespace eilbote::bounce
