// The draft book: which draft in which mailbox is a mail's, on record before the draft is sent, so that whoever has the mail
// after a lost answer or a lost process looks at that draft instead of sending another. Used by the Graph channel only. The
// rules of ports/outbox.h hold here too.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "domain/ids.h"

namespace eilbote {

struct Draft {
  JobId job;
  std::string mailbox;
  std::string id;                   // immutable; empty: a mail that is sent without a draft
  std::string internet_message_id;  // what the provider made of our Message-ID; empty: not known
  TimePoint noted_at{};             // when it was last about to be sent, by the database's clock
};

struct DraftNote {
  Draft draft;  // its noted_at is not read
  LeaseToken token;
};

class DraftBook {
 public:
  virtual ~DraftBook() = default;

  // "This draft is about to be sent, now": one transaction, and guarded by the lease of each mail. False for a mail whose lease
  // is no longer the one given: nothing was written for it, and it must not be sent. Noting the same draft again moves its time.
  virtual Result<std::vector<bool>> note(std::span<const DraftNote> notes) = 0;

  // The open draft of each of these mails, for those that have one; `now` is the database's clock. A draft is closed when its
  // mail is sent anew after all (an operator's retry of a bounced mail, a provider's late failure).
  struct Found {
    std::vector<Draft> drafts;
    TimePoint now{};
  };
  virtual Result<Found> find(std::span<const JobId> jobs) = 0;
};

}  // namespace eilbote
