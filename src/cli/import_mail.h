// Makes a mail for POST /messages of a row of somebody's outbox or mail log, and decides by its state whether it is still to be
// sent. Pure. Used by `eilbote import`.
#pragma once

#include <boost/json/object.hpp>
#include <set>
#include <string>

#include "base/result.h"

namespace eilbote::cli {

struct ImportRules {
  std::string source = "import";  // tells the ids of one table from those of another
  std::set<std::string> also;     // states whose rows are sent too, in lower case
  std::string pool;               // empty: the usual one
  bool no_state = false;          // rows that have no state wait; else they are refused
};

struct ImportedMail {
  std::string id;              // of the row
  std::string skipped_as;      // its state, when it is not to be sent; else empty
  std::string key;             // Idempotency-Key, the same for the same row
  boost::json::object mail{};  // for POST /messages
};

// Columns are found by their names, whatever their case and underscores: `next_attempt_at` and `NextAttemptAt` are one. A row that
// does not say whether it was sent is an error, never a mail. The error names the column and says what would be right.
Result<ImportedMail> import_mail(const boost::json::object& row, const ImportRules& rules);

}  // namespace eilbote::cli
