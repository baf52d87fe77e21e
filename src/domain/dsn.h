// Reads what comes back into a mailbox: bounces and receipts (RFC 3464 in RFC 6522), tolerant of what real servers write. Pure:
// bytes in, what they say out; never throws, whatever the bytes. GMime does the parsing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/delivery_report.h"

namespace eilbote {

// Bytes of a bounce that are read at most; the rest is not looked at.
inline constexpr std::size_t kDsnBytesMax = 8 * 1024 * 1024;
inline constexpr std::size_t kDsnRecipientsMax = 1000;

// The header of a mail of ours that has its id, where a provider may replace the Message-ID.
inline constexpr const char* kJobIdHeader = "x-eilbote-id";

struct Dsn {
  DsnKind kind = DsnKind::other;
  std::string message_class;  // as Exchange would call it ("REPORT.IPM.Note.NDR"); empty: it is no report
  std::string message_id;     // its own
  std::string in_reply_to;    // of its outer header, "<...>"
  std::string original_message_id;  // of the mail it is about; empty: it does not say
  std::vector<RecipientReport> recipients;
  std::vector<ReportReference>
      references;  // in the order of correlation: In-Reply-To, last of References, Message-ID of the
                   // embedded original, X-Original-Message-ID, x-eilbote-id of the embedded original
};

Dsn read_dsn(std::string_view message);

// What `eilbote dsn --explain` prints.
std::string explain(const Dsn& dsn);

// Our id in a Message-ID that Eilbote made ("<TSID@domain>").
std::optional<JobId> job_of_message_id(std::string_view message_id);

}  // namespace eilbote
