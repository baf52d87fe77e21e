#include "channel/graph_letter.h"

#include <algorithm>

#include "base/ascii.h"
#include "channel/draft_files.h"
#include "channel/graph_results.h"
#include "channel/graph_senders.h"
#include "domain/address.h"
#include "domain/delivery_codes.h"

namespace eilbote {
namespace {

// Whether the request may have left: only then is it a send of the mailbox.
bool may_have_left(const GraphAnswer& answer) {
  if (answer.token_failed) return false;
  switch (answer.fault) {
    case ExchangeFault::not_sent:
    case ExchangeFault::busy:
    case ExchangeFault::dns:
    case ExchangeFault::connect:
    case ExchangeFault::tls:
    case ExchangeFault::refused:
      return false;
    default:
      return true;
  }
}

bool comes_back(const DeliveryResult& result) {
  return result.verdict == Verdict::transient || result.verdict == Verdict::deferred ||
         result.verdict == Verdict::route_fault;
}

}  // namespace

GraphLetter::GraphLetter(GraphDesk& desk, const GraphOptions& options, MailDelivery delivery,
                         MailChannel::Done done)
    : desk_(desk), options_(options), delivery_(std::move(delivery)), done_(std::move(done)) {}

void GraphLetter::ask(GraphStep step, GraphCall call, Answered answered) {
  call.traceparent = delivery_.traceparent;
  desk_.call(std::move(call), [self = shared_from_this(), step, answered](const GraphAnswer& answer) {
    if (self->finished_) return;
    const GraphJudgement judgement = judge_graph(step, graph::facts_of(answer));
    self->heed(judgement.result);
    (self.get()->*answered)(answer, judgement);
  });
}

// What Graph says of one mail of the mailbox holds for the others, too.
void GraphLetter::heed(const DeliveryResult& result) {
  const Clock::Steady now = desk_.now();
  if (result.code == code::graph_throttled && result.retry_after)
    desk_.rate().pause(mailbox_, {now + *result.retry_after, result.code, result.text});
  if (result.code == code::graph_access_denied)
    desk_.rate().pause(mailbox_, {now + kDeniedPause, result.code, result.text});
}

void GraphLetter::finish(DeliveryResult result) {
  finished_ = true;
  MailboxRate& rate = desk_.rate();
  if (counted_) rate.end_send(mailbox_, id(), false, desk_.now());
  if (!keeps_turn_) rate.leave(mailbox_, id());
  if (std::exchange(has_place_, false)) desk_.give_place_back(mailbox_);
  delivery_.content.mime.clear();
  message_ = {};
  done_(std::move(result));
}

void GraphLetter::abandon() {
  if (finished_) return;
  finished_ = true;
  done_(noted_ ? graph::answer_lost(AttemptStatus::CONNECTION_ERROR, "stopped in between", until_sure())
               : DeliveryResult{});
}

Duration GraphLetter::until_sure() const {
  const Duration whole = in_one_request_ ? gone_age() : sure_age();
  return std::max(whole - std::chrono::duration_cast<Duration>(desk_.now() - noted_at_), options_.recheck);
}

bool GraphLetter::note_is_old() const {
  return desk_.now() - noted_at_ >= options_.timeout;
}

void GraphLetter::begin() {
  if (!delivery_.still_mine()) return finish({});
  const auto sender = parse_address(delivery_.content.sender);
  if (!sender)
    return finish(
        graph::refused(code::graph_bad_request, "the sender is no address: " + sender.error().message));
  mailbox_ =
      ascii_lower(sender->wire());  // Exchange tells no mailboxes apart by case, and limits go by mailbox
  if (!is_graph_sender(options_.senders, mailbox_))
    return finish(
        graph::refused(code::graph_sender_not_allowed, "EILBOTE_GRAPH_SENDERS does not name this sender"));
  // Always: counters can be set back by a person's retry, a draft on record cannot.
  desk_.find(id(), [self = shared_from_this()](Result<std::optional<OpenDraft>> found) {
    self->on_found(std::move(found));
  });
}

// ---- what earlier attempts left ----

void GraphLetter::on_found(Result<std::optional<OpenDraft>> found) {
  if (!found) return finish(graph::no_draft_book(found.error().message));
  former_ = std::move(*found);
  if (!former_) return take_turn();
  const Draft& draft = former_->draft;
  if (draft.id.empty()) return search_sent();
  ask(GraphStep::look, graph::look_at(draft.mailbox, draft.id), &GraphLetter::on_former_draft);
}

void GraphLetter::on_former_draft(const GraphAnswer& answer, const GraphJudgement& judgement) {
  if (judgement.outcome == GraphOutcome::gone) return search_sent();
  if (judgement.outcome != GraphOutcome::done) return no_news(judgement);
  const auto item = graph::read_item(answer.body);
  if (!item || !item->is_draft) return no_news(judgement);
  if (!*item->is_draft) return finish(graph::taken(delivery_.content.recipients, former_->draft.id));
  // Graph takes a draft up some time after it said yes.
  if (former_->age < sure_age())
    return finish(graph::answer_lost(AttemptStatus::SERVER_ERROR, "it is still a draft",
                                     sure_age() - std::max(former_->age, Duration{0})));
  draft_ = former_->draft;
  take_turn();
}

void GraphLetter::search_sent() {
  const std::string& mailbox = former_ ? former_->draft.mailbox : mailbox_;
  ask(GraphStep::search, graph::search_mark(mailbox, graph::kSentItems, id()), &GraphLetter::on_sent_search);
}

void GraphLetter::on_sent_search(const GraphAnswer& answer, const GraphJudgement& judgement) {
  const auto items = judgement.outcome == GraphOutcome::done ? graph::read_items(answer.body) : std::nullopt;
  if (!items) return noted_ ? lost() : no_news(judgement);
  if (!items->empty()) return finish(graph::taken(delivery_.content.recipients, items->front().id));
  // The copy in Sent Items may come late.
  const Duration age = noted_    ? std::chrono::duration_cast<Duration>(desk_.now() - noted_at_)
                       : former_ ? former_->age
                                 : Duration{0};
  if (age < gone_age())
    return finish(graph::answer_lost(AttemptStatus::SERVER_ERROR, "it is neither a draft nor sent so far",
                                     gone_age() - std::max(age, Duration{0})));
  // Neither draft nor sent. Where the mail may be sent again after a while, that while must have passed.
  const bool may_send_anew = !noted_ && former_ && delivery_.content.on_uncertain == OnUncertain::retry;
  if (!may_send_anew) return finish(graph::nowhere_to_be_found());
  former_.reset();
  draft_ = {};
  take_turn();
}

// Nothing was learnt about a mail that may be on its way: not the moment to give up, or to take another route.
void GraphLetter::no_news(const GraphJudgement& judgement) {
  const DeliveryResult& result = judgement.result;
  const bool is_about_route = result.verdict == Verdict::deferred ||
                              result.verdict == Verdict::configuration ||
                              result.verdict == Verdict::released || result.verdict == Verdict::route_fault;
  if (is_about_route) return finish(result);
  const bool unreadable = result.verdict == Verdict::delivered;
  finish(graph::answer_lost(unreadable ? AttemptStatus::SERVER_ERROR : result.attempt_status,
                            unreadable ? "Graph's answer cannot be read" : result.text, options_.recheck));
}

// ---- the draft ----

void GraphLetter::take_turn() {
  const Clock::Steady now = desk_.now();
  const Clock::Steady turn = desk_.rate().turn_of(mailbox_, id(), now);
  const auto wait = std::chrono::ceil<Duration>(turn - now);
  if (wait > kPatience) {
    keeps_turn_ = true;
    return finish(graph::not_its_turn(wait, desk_.rate().paused(mailbox_, now)));
  }
  if (!draft_.id.empty()) return line_up();
  write();
}

void GraphLetter::write() {
  MailContent& content = delivery_.content;
  auto message = make_graph_message({id(), content.sender, content.recipients, content.mime});
  std::string().swap(content.mime);
  if (!message)
    return finish(graph::refused(code::graph_bad_request, "the mail's message cannot be read any more"));
  message_ = std::move(*message);
  if (std::any_of(message_.later.begin(), message_.later.end(),
                  [](const Attachment& file) { return file.content.size() > kGraphUploadBytesMax; }))
    return finish(
        graph::refused(code::graph_too_large, "an attachment is larger than the 150 MB Graph takes"));
  draft_.job = id();
  draft_.mailbox = mailbox_;
  // One request cannot carry everything: a mail in MIME has no mark by which its copy could be found.
  in_one_request_ = options_.mode == GraphMode::sendmail && !message_.is_mime && message_.later.empty();
  if (in_one_request_) return line_up();
  may_be_known() ? search_drafts() : create();
}

void GraphLetter::search_drafts() {
  ask(GraphStep::search, graph::search_mark(mailbox_, graph::kDrafts, id()), &GraphLetter::on_former_drafts);
}

// Drafts that were never about to be sent. One that is whole, and goes to the same recipients, is as good as a new one.
void GraphLetter::on_former_drafts(const GraphAnswer& answer, const GraphJudgement& judgement) {
  if (judgement.outcome != GraphOutcome::done) return finish(judgement.result);
  // A list that cannot be read is no reason to wait: at worst a draft that nobody sends stays behind.
  const std::vector<graph::Item> items = graph::read_items(answer.body).value_or(std::vector<graph::Item>{});
  const bool is_good =
      !items.empty() && message_.later.empty() && items.front().recipients == message_.recipients;
  remove_drafts(items, is_good ? 1 : 0);
  if (!is_good) return create();
  use_draft(items.front());
  line_up();
}

void GraphLetter::remove_drafts(const std::vector<graph::Item>& items, std::size_t from) {
  for (std::size_t i = from; i < items.size(); ++i)
    remove_draft(items[i].id);
}

// Only while the mail is ours: it may be another's draft by now.
void GraphLetter::remove_draft(const std::string& draft) {
  given_up_.insert(draft);
  GraphCall call = graph::remove_draft(mailbox_, draft);
  call.about_to_send = delivery_.still_mine;
  desk_.call(std::move(call), [](const GraphAnswer&) {});
}

void GraphLetter::use_draft(const graph::Item& item) {
  draft_.id = item.id;
  draft_.internet_message_id = item.internet_message_id;
  std::string().swap(message_.body);
}

void GraphLetter::create() {
  ask(GraphStep::create, graph::create_draft(mailbox_, message_.is_mime, std::move(message_.body)),
      &GraphLetter::on_created);
}

void GraphLetter::on_created(const GraphAnswer& answer, const GraphJudgement& judgement) {
  if (judgement.outcome == GraphOutcome::failed) return finish(judgement.result);
  const auto item =
      judgement.outcome == GraphOutcome::done ? graph::read_item(answer.body) : std::optional<graph::Item>{};
  if (item) {
    use_draft(*item);
    return mark();
  }
  open_ = judgement.result;
  if (judgement.outcome == GraphOutcome::done) {  // made, without saying which
    open_ = graph::refused(code::graph_server_error, "Graph made a draft without saying its id");
    open_.verdict = Verdict::transient;
    open_.attempt_status = AttemptStatus::SERVER_ERROR;
  }
  // A MIME draft is marked only after it was made.
  GraphCall search = message_.is_mime
                         ? graph::search_message_id(mailbox_, graph::kDrafts, message_.internet_message_id)
                         : graph::search_mark(mailbox_, graph::kDrafts, id());
  ask(GraphStep::search, std::move(search), &GraphLetter::on_lost_creation);
}

void GraphLetter::on_lost_creation(const GraphAnswer& answer, const GraphJudgement& judgement) {
  std::vector<graph::Item> items;
  if (judgement.outcome == GraphOutcome::done) items = graph::read_items(answer.body).value_or(items);
  std::erase_if(items, [this](const graph::Item& item) { return given_up_.contains(item.id); });
  if (items.empty()) return finish(open_);
  remove_drafts(items, 1);
  use_draft(items.front());
  mark();
}

void GraphLetter::mark() {
  if (!message_.is_mime) return add_files();
  ask(GraphStep::attach, graph::mark_draft(mailbox_, draft_.id, id()), &GraphLetter::on_marked);
}

void GraphLetter::on_marked(const GraphAnswer&, const GraphJudgement& judgement) {
  if (judgement.outcome != GraphOutcome::done) return finish(judgement.result);
  add_files();
}

void GraphLetter::add_files() {
  if (message_.later.empty()) return line_up();
  const auto added = [self = shared_from_this()](std::optional<DeliveryResult> failure) {
    if (!failure) return self->line_up();
    self->heed(*failure);
    self->finish(std::move(*failure));
  };
  std::make_shared<DraftFiles>(desk_, mailbox_, draft_.id, std::exchange(message_.later, {}), added)->begin();
}

// ---- the send ----

void GraphLetter::line_up() {
  desk_.take_place(mailbox_, [self = shared_from_this()] {
    self->has_place_ = true;
    self->wait_to_send();
  });
}

void GraphLetter::wait_to_send() {
  const Clock::Steady now = desk_.now();
  if (!waits_since_) waits_since_ = now;
  const auto again_at = desk_.rate().begin_send(mailbox_, now);
  if (!again_at) {
    counted_ = true;
    return note();
  }
  if (*again_at - *waits_since_ > kPatience) {
    keeps_turn_ = true;
    return finish(graph::not_its_turn(std::chrono::ceil<Duration>(*again_at - now),
                                      desk_.rate().paused(mailbox_, now)));
  }
  desk_.after(std::chrono::ceil<Duration>(*again_at - now),
              [self = shared_from_this()] { self->wait_to_send(); });
}

void GraphLetter::note() {
  noted_at_ = desk_.now();
  desk_.note({draft_, delivery_.token},
             [self = shared_from_this()](const Result<bool>& noted) { self->on_noted(noted); });
}

void GraphLetter::on_noted(const Result<bool>& noted) {
  if (!noted) return finish(graph::no_draft_book(noted.error().message));
  if (!*noted) return finish({});  // somebody else has the mail
  noted_ = true;
  send();
}

void GraphLetter::send() {
  GraphCall call =
      in_one_request_ ? graph::send_mail(mailbox_, message_.body) : graph::send_draft(mailbox_, draft_.id);
  if (!in_one_request_) std::string().swap(message_.body);
  // Never long after its note: who finds the note goes by its age.
  call.about_to_send = [this, self = shared_from_this()] { return !note_is_old() && delivery_.still_mine(); };
  ask(in_one_request_ ? GraphStep::sendmail : GraphStep::send, std::move(call), &GraphLetter::on_sent);
}

void GraphLetter::on_sent(const GraphAnswer& answer, const GraphJudgement& judgement) {
  counted_ = false;
  desk_.rate().end_send(mailbox_, id(), may_have_left(answer), desk_.now());
  if (judgement.outcome == GraphOutcome::done) {
    DeliveryResult result = graph::taken(delivery_.content.recipients, draft_.id);
    result.response_code = answer.status;
    return finish(std::move(result));
  }
  if (answer.fault == ExchangeFault::not_sent && note_is_old()) return wait_to_send();
  open_ = judgement.result;
  // A draft that was sent before, and is refused now, may have left meanwhile.
  was_refused_ = judgement.outcome == GraphOutcome::failed;
  const bool may_have_left_before = former_ && open_.verdict == Verdict::permanent;
  // One of this attempt that is not there was taken away by somebody: the next attempt makes another.
  if (!former_ && open_.code == code::graph_draft_gone) open_.verdict = Verdict::transient;
  if (was_refused_ && !may_have_left_before) {
    // The next attempt finds the record, and must not come before it may send again.
    if (comes_back(open_))
      open_.retry_after = std::max(open_.retry_after.value_or(Duration{0}), until_sure());
    return finish(open_);
  }
  if (in_one_request_ || answer.status == 404) return search_sent();
  ask(GraphStep::look, graph::look_at(mailbox_, draft_.id), &GraphLetter::on_look_after_send);
}

void GraphLetter::on_look_after_send(const GraphAnswer& answer, const GraphJudgement& judgement) {
  if (judgement.outcome == GraphOutcome::gone) return search_sent();
  const auto item =
      judgement.outcome == GraphOutcome::done ? graph::read_item(answer.body) : std::optional<graph::Item>{};
  if (item && item->is_draft == false) return finish(graph::taken(delivery_.content.recipients, draft_.id));
  if (item && was_refused_) return finish(open_);
  lost();
}

void GraphLetter::lost() {
  DeliveryResult result = graph::answer_lost(open_.attempt_status, open_.text, until_sure());
  result.response_code = open_.response_code;
  finish(std::move(result));
}

}  // namespace eilbote
