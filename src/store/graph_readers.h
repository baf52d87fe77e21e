// Rows of the tables for Microsoft Graph as values, once for both stores (store/row_readers.h says how). Called by drafts.cpp
// and mailbox_watch.cpp in postgres/ and sqlite/.
#pragma once

#include <vector>

#include "ports/draft_book.h"
#include "ports/mailbox_watch.h"
#include "store/row_readers.h"

namespace eilbote {

// find_drafts
template <class Row>
Draft read_draft(const Row& row) {
  return {JobId{row.int8(0)}, std::string(row.text(1)), std::string(row.text(2)), std::string(row.text(3)),
          row.time(4)};
}

// keep_mailboxes, subscribed_mailboxes
template <class Row>
WatchedMailbox read_watched(const Row& row) {
  WatchedMailbox mailbox;
  mailbox.mailbox = row.text(0);
  mailbox.subscription_id = row.text(1);
  mailbox.client_state = row.text(2);
  mailbox.subscription_ends = row.time_or_none(3);
  mailbox.delta_link = row.text(4);
  mailbox.traced_until = row.time_or_none(5);
  mailbox.wants = read_name(kGraphLifecycleNames, row, 6);
  return mailbox;
}

// waiting_notices
template <class Row>
MailNotice read_notice(const Row& row) {
  return {row.int8(0), std::string(row.text(1)), std::string(row.text(2)), row.int4(3)};
}

// The texts of the wishes that this one is graver than.
inline std::vector<std::string_view> lesser_wishes(GraphLifecycle wish) {
  std::vector<std::string_view> lesser;
  for (const auto& [other, text] : kGraphLifecycleNames.entries)
    if (other < wish) lesser.push_back(text);
  return lesser;
}

}  // namespace eilbote
