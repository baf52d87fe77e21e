// Whatever file is imported, JSON lines or CSV: it comes to an end, each row is a mail with a proper key or an error in words, and
// the same row makes the same mail.
#include <boost/json/serialize.hpp>
#include <sstream>

#include "cli/import_mail.h"
#include "cli/import_rows.h"
#include "domain/idempotency.h"
#include "fuzz/fuzz.h"

namespace eilbote::fuzz {
namespace {

std::string row_fault(const boost::json::object& cells) {
  for (const bool no_state : {false, true}) {
    cli::ImportRules rules;
    rules.no_state = no_state;
    const auto made = cli::import_mail(cells, rules), again = cli::import_mail(cells, rules);
    if (made.has_value() != again.has_value()) return "a row that is read differently the second time";
    if (!made) return made.error().message.empty() ? "refused without a word" : "";
    if (made->id.empty()) return "a mail without an id";
    if (!made->skipped_as.empty()) continue;
    if (!check_idempotency_key(made->key)) return "a key that is none";
    if (made->key != again->key || made->mail != again->mail) return "another mail the second time";
  }
  return {};
}

}  // namespace

std::string import_fuzz(std::string_view bytes) {
  for (const char delimiter : {',', ';'}) {
    std::istringstream in{std::string(bytes)};
    cli::ImportRows rows(in, delimiter);
    std::size_t read = 0;
    int line = 0;
    while (const auto row = rows.next()) {
      if (++read > bytes.size() + 1) return "more rows than bytes";
      if (rows.line() < line) return "a line that was read before";
      line = rows.line();
      if (!*row && row->error().message.empty()) return "refused without a word";
      if (*row)
        if (std::string fault = row_fault((*row)->cells); !fault.empty()) return fault;
    }
  }
  return {};
}

}  // namespace eilbote::fuzz
