// Reads the messages that notices tell of: a look at what each is, and the whole of those that may be a bounce or a receipt,
// which go to the report desk. Called by the Graph watch, on its thread.
//
// A notice is done with after the desk has taken its message, so a crash reads it again; the desk knows it by its key.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "channel/graph_door.h"
#include "metrics/metrics.h"
#include "ports/mailbox_watch.h"

namespace eilbote {

// Takes a message as it came in (RFC 5322), and its key ("graph:ID"). A failure: it is brought again later.
using TakeMessage = std::function<Result<void>(std::string_view raw, std::string key)>;

// What Graph tells of a message before it is read as a whole.
struct InboxMessage {
  std::string id;
  std::string message_class;  // "REPORT.IPM.Note.NDR"
  std::string from;
  std::vector<std::pair<std::string, std::string>> headers;
};
// False for what certainly is no bounce and no delivery receipt; read receipts and out-of-office answers among them.
bool may_be_report(const InboxMessage& message);

class GraphInboxReader {
 public:
  // Read at the same time; each may hold kRawBytesMax of memory.
  static constexpr int kTogether = 16, kWholeTogether = 4;
  static constexpr std::size_t kRawBytesMax = 32 * 1024 * 1024;
  // A message that Graph or the desk refuses so often is left unread, with a line in the log.
  static constexpr int kTriesMax = 8;

  GraphInboxReader(GraphDoor& door, MailboxWatch& watch, TakeMessage take, Metrics& metrics)
      : door_(door), watch_(watch), take_(std::move(take)), metrics_(metrics) {}

  // Reads the oldest notices of these mailboxes, kTogether at most. True: there may be more. An error is the store's.
  Result<bool> read_some(std::span<const std::string> mailboxes, const std::stop_token& stop);

 private:
  struct Whole {
    MailNotice notice;
    std::string id;
  };
  Result<void> read_whole(std::span<const Whole> messages, const std::stop_token& stop);
  Result<void> take_whole(const Whole& message, const GraphAnswer& answer);
  Result<void> unreadable(const MailNotice& notice, const GraphAnswer& answer);
  Result<void> later(const MailNotice& notice, bool may_give_up, const std::string& why, Duration at_least);
  void done(const MailNotice& notice, const char* outcome);
  Result<void> write_done();

  GraphDoor& door_;
  MailboxWatch& watch_;
  const TakeMessage take_;
  Metrics& metrics_;
  std::vector<std::int64_t> done_;  // and not written down yet
};

}  // namespace eilbote
