// A mail in the form Microsoft Graph takes: JSON where it can say everything, else MIME (a text of its own beside the html,
// headers other than a few x- ones). Made from the frozen message, for those recipients that still wait. Attachments that do
// not fit into one request are left out, for the channel to add to the draft. Pure. Used by channel/graph_letter.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/ids.h"
#include "domain/job.h"
#include "domain/mail.h"

namespace eilbote {

// The extended property with a mail's id: not sent to recipients, and Drafts and Sent Items can be searched by it.
inline constexpr std::string_view kGraphMark = "String {9b6c1f52-0d3e-4c7a-8f15-5a2e7d94c3b1} Name EilboteId";

// Graph takes 4 MB per request, its own envelope included.
inline constexpr std::size_t kGraphRequestBytesMax = 3'500'000;
// From here on an attachment is uploaded in pieces; below, Graph refuses to.
inline constexpr std::size_t kGraphUploadBytesMin = 3 * 1024 * 1024;
inline constexpr std::size_t kGraphUploadBytesMax = 150 * 1024 * 1024;
inline constexpr std::size_t kGraphHeadersMax = 5;
inline constexpr std::size_t kGraphHeaderValueMax = 995;

struct GraphSource {
  JobId id;
  std::string_view sender;  // envelope
  std::span<const Recipient> recipients;
  std::string_view mime;
};

struct GraphMessage {
  std::string mailbox;  // whose draft it is
  bool is_mime = false;
  std::string body;                     // the draft: JSON, or MIME in base64; a MIME draft has no mark yet
  std::string internet_message_id;      // what is asked for; Graph may give another
  std::vector<Attachment> later;        // what did not fit in
  std::vector<std::string> recipients;  // whom it goes to; lower case, sorted
};

// Nothing when the frozen message cannot be read, or an address in it is none.
std::optional<GraphMessage> make_graph_message(const GraphSource& source);

std::string graph_sendmail_json(std::string_view message_json);
std::string graph_mark_json(JobId id);
std::string graph_attachment_json(const Attachment& file);
std::string graph_upload_json(const Attachment& file);

}  // namespace eilbote
