// The messages of a broker that wait to be asked about, first in first out per channel. Pure: no clock, no I/O. Used by the
// ledger's thread only, through the offer desk. What it holds is lost with the process, and the broker delivers it again.
//
//   add --> waiting --take--> asked --decided--> (gone, to be acknowledged)
//              ^                |
//              +----failed------+
#pragma once

#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/ledger.h"

namespace eilbote {

class OfferBook {
 public:
  // More than any prefetch: only while the database is away for long, and connections to the broker come and go, are there so
  // many. Then the oldest are forgotten; their receipts are worth nothing by then.
  static constexpr std::size_t kWaitingMax = 100'000;
  // Of one message: as many twins as a connection may bring before the next exchange, so that only receipts of dead
  // connections are ever forgotten.
  static constexpr std::size_t kReceiptsMax = 20'000;

  struct Message {
    OfferedJob job;
    ChannelKind channel = ChannelKind::mail;
    std::vector<Receipt> receipts;  // its own, and its twins'
    int twins = 0;                  // further messages about the same attempt
  };

  // Behind those that wait. One about the same job and attempt as another that is here is its twin, and shares its fate.
  void add(const Offer& offer);
  std::size_t waiting(ChannelKind channel) const;
  bool empty() const { return lines_.empty() && asked_.empty(); }

  // Up to `n` of a channel for the next exchange, the oldest first. No job is asked about twice at once: a message about
  // another attempt of one that is asked about stays in line.
  std::vector<OfferedJob> take(ChannelKind channel, int n);
  bool is_asked(JobId id) const { return asked_ids_.contains(id); }
  // The database has decided about all that were taken: they leave the book.
  std::vector<Message> decided();
  // It has not: they are the first in line again.
  void failed();
  // Forgets everything, without a word to anybody.
  void clear();

 private:
  using Line = std::list<Message>;
  using Name = std::pair<JobId, std::optional<int>>;
  void forget_oldest(Line& line);

  std::map<ChannelKind, Line> lines_;  // none is empty
  Line asked_;
  std::set<JobId> asked_ids_;
  std::map<std::pair<ChannelKind, Name>, Line::iterator>
      by_name_;  // those that wait and those that are asked about
};

}  // namespace eilbote
