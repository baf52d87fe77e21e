// The requests the Graph channel makes for a mail, and what their answers hold. No more than texts: sent by channel/graph_desk.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "channel/graph_door.h"
#include "domain/graph_judge.h"
#include "domain/graph_message.h"

namespace eilbote::graph {

inline constexpr std::string_view kDrafts = "drafts";
inline constexpr std::string_view kSentItems = "sentitems";

GraphFacts facts_of(const GraphAnswer& answer);

GraphCall create_draft(const std::string& mailbox, bool is_mime, std::string body);
GraphCall mark_draft(const std::string& mailbox, const std::string& draft, JobId mail);
GraphCall send_draft(const std::string& mailbox, const std::string& draft);
GraphCall remove_draft(const std::string& mailbox, const std::string& draft);
GraphCall look_at(const std::string& mailbox, const std::string& draft);
GraphCall send_mail(const std::string& mailbox, std::string_view message_json);
// By the mark of the mail; or, for a MIME draft that has none yet, by the Message-ID that was asked for.
GraphCall search_mark(const std::string& mailbox, std::string_view folder, JobId mail);
GraphCall search_message_id(const std::string& mailbox, std::string_view folder,
                            const std::string& internet_message_id);
GraphCall attach(const std::string& mailbox, const std::string& draft, std::string attachment_json);
GraphCall open_upload(const std::string& mailbox, const std::string& draft, std::string upload_json);
GraphCall upload_piece(const std::string& mailbox, const std::string& url, std::string_view piece,
                       std::size_t offset, std::size_t total);
GraphCall ask_upload(const std::string& mailbox, const std::string& url);
GraphCall probe_mailbox(const std::string& mailbox);

struct Item {
  std::string id, internet_message_id;
  std::optional<bool> is_draft;
  std::vector<std::string> recipients;  // lower case, sorted
};
// Nothing for a body without an id, as a broken answer has it.
std::optional<Item> read_item(std::string_view body);
// Nothing for a body that is no list, or only says that the list goes on: who searches must not take that for "not there".
std::optional<std::vector<Item>> read_items(std::string_view body);

struct Upload {
  std::string url;
  std::optional<std::size_t> next;  // where the first missing byte is
};
Upload read_upload(std::string_view body);

}  // namespace eilbote::graph
