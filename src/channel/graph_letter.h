// One attempt to send one mail through Microsoft Graph, from the draft book's word about earlier attempts to the answer.
//
// A draft is made, completed, and put on record before it is sent; so whoever has the mail later looks at that draft instead of
// sending another. Nothing is sent twice in one attempt. Where an answer is lost, the mailbox is asked: was the draft made, is
// it still a draft, is the mail in Sent Items. What stays open is said to be open (GRAPH_ANSWER_LOST), and the next attempt
// asks again.
//
// A crash leaves a draft that nobody sends (the next attempt takes it or removes it), or a record in the draft book (the next
// attempt looks). On the Graph desk's thread only.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "channel/graph_desk.h"
#include "channel/graph_requests.h"
#include "domain/graph_judge.h"
#include "domain/graph_message.h"
#include "domain/graph_options.h"
#include "ports/channel.h"

namespace eilbote {

class GraphLetter : public std::enable_shared_from_this<GraphLetter> {
 public:
  // A mail whose turn is further away than this does not wait here for it.
  static constexpr Duration kPatience = std::chrono::seconds{3};
  // Mails of a mailbox that the application may not use are not tried for so long.
  static constexpr Duration kDeniedPause = kGraphMendDelay;

  GraphLetter(GraphDesk& desk, const GraphOptions& options, MailDelivery delivery, MailChannel::Done done);
  void begin();
  // The channel ends: answers, if nobody did. The desk's thread is gone.
  void abandon();

 private:
  using Answered = void (GraphLetter::*)(const GraphAnswer&, const GraphJudgement&);

  // How old a note must be before its draft may be sent once more, if it is still one then: the send left at the latest a
  // timeout after the note, its answer was given up a timeout after that, and Graph had its time to take the draft up.
  Duration sure_age() const { return 2 * options_.timeout + options_.recheck; }
  // And before one that is nowhere to be found may be sent anew, or is given up.
  Duration gone_age() const { return sure_age() + options_.recheck; }
  // From now, after a send that may have happened.
  Duration until_sure() const;
  bool note_is_old() const;
  JobId id() const { return delivery_.job.id; }
  bool may_be_known() const { return delivery_.job.attempts > 0 || delivery_.job.losses > 0; }
  void ask(GraphStep step, GraphCall call, Answered answered);
  void heed(const DeliveryResult& result);
  void finish(DeliveryResult result);

  // What earlier attempts left.
  void on_found(Result<std::optional<OpenDraft>> found);
  void on_former_draft(const GraphAnswer& answer, const GraphJudgement& judgement);
  void search_sent();
  void on_sent_search(const GraphAnswer& answer, const GraphJudgement& judgement);
  void no_news(const GraphJudgement& judgement);

  // The draft.
  void take_turn();
  void write();
  void search_drafts();
  void on_former_drafts(const GraphAnswer& answer, const GraphJudgement& judgement);
  void create();
  void on_created(const GraphAnswer& answer, const GraphJudgement& judgement);
  void on_lost_creation(const GraphAnswer& answer, const GraphJudgement& judgement);
  void use_draft(const graph::Item& item);
  void remove_draft(const std::string& draft);
  void remove_drafts(const std::vector<graph::Item>& items, std::size_t from);
  void mark();
  void on_marked(const GraphAnswer& answer, const GraphJudgement& judgement);
  void add_files();

  // The send.
  void line_up();
  void wait_to_send();
  void note();
  void on_noted(const Result<bool>& noted);
  void send();
  void on_sent(const GraphAnswer& answer, const GraphJudgement& judgement);
  void on_look_after_send(const GraphAnswer& answer, const GraphJudgement& judgement);
  void lost();

  GraphDesk& desk_;
  const GraphOptions& options_;
  MailDelivery delivery_;
  const MailChannel::Done done_;
  std::string mailbox_;
  GraphMessage message_;
  bool in_one_request_ = false;      // sendMail: without a draft
  std::optional<OpenDraft> former_;  // about to be sent by an earlier attempt
  Draft draft_;                      // this attempt's
  DeliveryResult open_;              // what the request whose answer was lost would have come to
  std::optional<Clock::Steady> waits_since_;
  bool counted_ = false;            // as a send of its mailbox
  std::set<std::string> given_up_;  // drafts that are being removed
  bool was_refused_ = false;        // the send, in so many words
  bool noted_ = false;
  Clock::Steady noted_at_{};  // rather too early than too late
  bool has_place_ = false;    // of its mailbox's, to send from
  bool keeps_turn_ = false;
  bool finished_ = false;
};

}  // namespace eilbote
