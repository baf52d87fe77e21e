// The decision about a delivery report. Called by both stores under the row's lock; pure, so a report is decided again from
// the start when its transaction is repeated.
#include "domain/report_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/ascii.h"
#include "base/assert.h"
#include "base/utf8.h"
#include "domain/address.h"
#include "domain/after_attempt.h"
#include "domain/public_state.h"
#include "domain/states.h"

namespace eilbote {
namespace {

// Of a status code that is shown; "5.1.351" is a long one.
constexpr std::size_t kStatusTextMax = 16;

bool is_uncertain(const Job& job) {
  return job.status == JobStatus::failed && job.dead_reason == DeadReason::Uncertain;
}

// Handed over once, whatever was reported since.
bool was_taken(RecipientStatus status) {
  return status == RecipientStatus::taken || status == RecipientStatus::delivered ||
         status == RecipientStatus::bounced;
}

int count_of(const std::vector<Recipient>& recipients, RecipientStatus status) {
  return static_cast<int>(std::ranges::count(recipients, status, &Recipient::status));
}

std::string status_text(const RecipientReport& said) {
  return clean_peer_text(said.status, kStatusTextMax);
}

// "5.1.1 smtp; 550 no such user": what is kept as the recipient's reply. Empty: nothing was said.
std::string reply_of(const RecipientReport& said) {
  std::string reply = status_text(said);
  const std::string words = clean_peer_text(trimmed(said.diagnostic), kErrorTextMax);
  if (!reply.empty() && !words.empty()) reply += ' ';
  reply += words;
  return std::string(utf8_prefix(reply, kErrorTextMax));
}

// A bounce for good: the address will not get better by trying again. The message trace gives no code, and says "failed" of a
// full mailbox and of a policy, too: that is no reason to stop writing to somebody.
bool is_hard(const RecipientReport& said, ReportSource source) {
  if (said.action != ReportAction::failed) return false;
  return said.status.empty() ? source != ReportSource::message_trace : said.status.starts_with('5');
}

// What says of a recipient that it was handed the mail, and would move it.
bool tells_an_end(ReportAction action) {
  switch (action) {
    case ReportAction::delivered:
    case ReportAction::failed:
    case ReportAction::given_up:
    case ReportAction::deferred:
      return true;
    case ReportAction::delayed:
    case ReportAction::relayed:
    case ReportAction::expanded:
      return false;
  }
  return false;
}

// Somebody tried, or tries, to hand it over, and how that went is not on record.
bool may_be_on_its_way(const Job& job) {
  if (is_leased(job.status)) return true;
  return !is_final(job.status) && (job.attempts > 0 || job.losses > 0);
}

// The recipients' addresses in their normal spelling, and whom a report means by a name.
class AddressBook {
 public:
  explicit AddressBook(const std::vector<Recipient>& recipients) {
    addresses_.reserve(recipients.size());
    for (const Recipient& recipient : recipients)
      addresses_.push_back(normal_address(recipient.address));
  }
  const std::string& operator[](std::size_t i) const { return addresses_[i]; }

  // Whoever the report names; nobody: it is about somebody else. The address the mail went to comes first: the other one is
  // where an alias or a list led, and may be a recipient by itself.
  std::vector<std::size_t> named_by(const RecipientReport& said) const {
    std::vector<std::size_t> named;
    for (const std::string* name : {&said.original_address, &said.address}) {
      if (name->empty() || !named.empty()) continue;
      const std::string address = normal_address(*name);
      for (std::size_t i = 0; i < addresses_.size(); ++i)
        if (addresses_[i] == address) named.push_back(i);
    }
    return named;
  }

 private:
  std::vector<std::string> addresses_;
};

// Sentences about one report, put together until there is no more room for them. What is said of all recipients comes once
// for each, and is kept once.
class Remarks {
 public:
  void add(std::string_view remark) {
    if (last_ == remark || utf8_length(text_) >= kErrorTextMax) return;
    if (!text_.empty()) text_ += "; ";
    text_ += remark;
    last_ = remark;
  }
  bool empty() const { return text_.empty(); }
  std::string text() const { return std::string(utf8_prefix(text_, kErrorTextMax)); }

 private:
  std::string text_, last_;
};

// One report on one mail. `job_` and `recipients_` are what they become, step by step.
class ReportJudge {
 public:
  ReportJudge(const Job& job, const std::vector<Recipient>& recipients, const DeliveryReport& report,
              const ReportRules& rules, Random& random)
      : before_(job),
        job_(job),
        recipients_(recipients),
        report_(report),
        rules_(rules),
        random_(random),
        addresses_(recipients) {
    changed_.resize(recipients_.size());
    state_ = public_state_text(job_);
  }

  ReportDecision decide() {
    if (is_uncertain(job_) && is_about_the_open_hand_over()) make_sent();
    for (const RecipientReport& said : report_.recipients)
      hear(said);
    const bool reopened = take_back_deferred();
    if (job_.status == JobStatus::sent && !reopened) move();
    return result();
  }

 private:
  // Of somebody who waits, it tells that the hand-over without an answer happened. Of one who was taken before, it does not.
  bool is_about_the_open_hand_over() const {
    const auto waits = [&](std::size_t i) { return recipients_[i].status == RecipientStatus::waiting; };
    const bool some_were_taken = std::ranges::any_of(
        recipients_, [](const Recipient& recipient) { return was_taken(recipient.status); });
    return std::ranges::any_of(report_.recipients, [&](const RecipientReport& said) {
      return said.address.empty() ? !some_were_taken : std::ranges::any_of(addresses_.named_by(said), waits);
    });
  }

  // It tells of a hand-over that was followed by another one. Its clock may be a little behind ours.
  bool is_about_an_earlier_hand_over() const {
    constexpr Duration kClocksDiffer = std::chrono::minutes{1};
    return report_.said_at && job_.last_attempt_at &&
           *report_.said_at + kClocksDiffer < *job_.last_attempt_at;
  }

  std::vector<std::size_t> meant_by(const RecipientReport& said) const {
    if (!said.address.empty()) return addresses_.named_by(said);
    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < recipients_.size(); ++i)
      if (was_taken(recipients_[i].status)) taken.push_back(i);
    return taken;
  }

  // The answer to its hand-over was lost, and now somebody talks about it: it was handed over.
  void make_sent() {
    apply(JobEvent::report);
    job_.dead_reason.reset();
    job_.last_error.clear();
    job_.partial = false;
    for (std::size_t i = 0; i < recipients_.size(); ++i)
      if (recipients_[i].status == RecipientStatus::waiting)
        change(i, RecipientStatus::taken, recipients_[i].reply);
    add_move("a report says that it was handed over after all");
  }

  void hear(const RecipientReport& said) {
    const std::vector<std::size_t> meant = meant_by(said);
    if (meant.empty())
      notes_.add(words(said, said.address) + (said.address.empty() ? ", but nobody was handed the mail"
                                                                   : ", which is no recipient of this mail"));
    // A bounce that names nobody says little about each of several.
    may_suppress_ = !said.address.empty() || meant.size() == 1;
    for (const std::size_t i : meant)
      hear_about(said, i);
  }

  void hear_about(const RecipientReport& said, std::size_t i) {
    switch (said.action) {
      case ReportAction::delivered:
        return become(said, i, RecipientStatus::delivered);
      case ReportAction::failed:
        return become(said, i, RecipientStatus::bounced);
      case ReportAction::given_up:
        return become(said, i, RecipientStatus::refused);
      case ReportAction::deferred:
        return defer(said, i);
      case ReportAction::delayed:
      case ReportAction::relayed:
      case ReportAction::expanded:
        return notes_.add(words(said, name_of(said, i)));
    }
  }

  void become(const RecipientReport& said, std::size_t i, RecipientStatus status) {
    if (recipients_[i].status == status) return;
    if (!may_become(status, i)) return contradict(said, i);
    std::string reply = reply_of(said);
    if (status != RecipientStatus::delivered)
      trouble_ = reply.empty() ? words(said, name_of(said, i)) : reply;
    if (reply.empty()) reply = recipients_[i].reply;
    change(i, status, std::move(reply));
    changes_.add(words(said, name_of(said, i)));
    const std::string& address = addresses_[i];
    if (may_suppress_ && is_hard(said, report_.source) &&
        std::ranges::find(suppress_, address) == suppress_.end())
      suppress_.push_back(address);
  }

  // A mail that was cancelled or failed is over for good, whatever its recipients' rows say. One that still goes out to others
  // is not taken back from those who have it: then nobody would know whether anybody does.
  bool may_become(RecipientStatus status, std::size_t i) const {
    if (recipients_[i].status != RecipientStatus::taken) return false;
    if (status == RecipientStatus::refused)
      return job_.status == JobStatus::sent && !is_about_an_earlier_hand_over();
    return job_.status != JobStatus::failed && job_.status != JobStatus::cancelled;
  }

  void contradict(const RecipientReport& said, std::size_t i) {
    const bool unsent = recipients_[i].status == RecipientStatus::waiting;
    notes_.add(fmt::format("{}, but it is {}", words(said, name_of(said, i)),
                           unsent ? "not handed over" : kRecipientStatusNames.text(recipients_[i].status)));
  }

  // What waits again is decided when everything the report says is known.
  void defer(const RecipientReport& said, std::size_t i) {
    const bool can_wait = job_.status == JobStatus::sent && recipients_[i].status == RecipientStatus::taken &&
                          !is_about_an_earlier_hand_over();
    if (!can_wait) return contradict(said, i);
    deferred_.push_back({&said, i});
  }

  // Whether the mail goes out again. One that bounced stays bounced.
  bool take_back_deferred() {
    // A later sentence of the same report may have said more of a recipient.
    std::erase_if(deferred_, [&](const Deferred& one) {
      return recipients_[one.recipient].status != RecipientStatus::taken;
    });
    if (deferred_.empty()) return false;
    if (job_.report || count_of(recipients_, RecipientStatus::bounced) > 0) {
      for (const Deferred& one : deferred_)
        notes_.add(words(*one.said, name_of(*one.said, one.recipient)) + ", but the mail has come back");
      return false;
    }
    ++job_.retry_count;
    const bool used_up = job_.retry_count >= job_.attempts_max;
    for (const auto& [said, i] : deferred_) {
      trouble_ = reply_of(*said).empty() ? words(*said, name_of(*said, i)) : reply_of(*said);
      change(i, used_up ? RecipientStatus::refused : RecipientStatus::waiting, trouble_);
      changes_.add(words(*said, name_of(*said, i)));
    }
    if (used_up) {
      why_dead_ = DeadReason::MaxAttemptsExceeded;
      changes_.add(kAttemptsUsedUp);
      return false;
    }
    reopen();
    return true;
  }

  void reopen() {
    apply(JobEvent::reopen);
    // It gave up its group's turn when it was sent, and joins the line again; the store promotes it then.
    if (job_.group_mode != GroupMode::IMMEDIATE) job_.status = JobStatus::blocked;
    job_.partial = std::ranges::any_of(recipients_, was_taken, &Recipient::status);
    job_.deferrals = 0;
    job_.last_error = trouble_;
    delay_ = retry_delay(rules_.policy, job_.retry_count, random_);
    add_move(changes_.text());
  }

  // Where a sent mail stands by its recipients; one that was reported on stays as it is.
  void move() {
    if (job_.report) return;
    const bool any_left =
        recipients_.empty() || std::ranges::any_of(recipients_, was_taken, &Recipient::status);
    const bool changed = std::ranges::find(changed_, true) != changed_.end();
    if (!any_left && changed) {
      apply(JobEvent::report_failed);
      job_.dead_reason = why_dead_;
      job_.last_error = trouble_;
    } else if (const std::optional<Report> report = report_of(recipients_)) {
      apply(JobEvent::report);
      job_.report = report;
      job_.last_error = report == Report::bounced ? trouble_ : std::string();
    } else {
      return;
    }
    add_move(changes_.empty() ? std::string(kReportedBefore) : changes_.text());
  }

  ReportDecision result() {
    ReportDecision decision;
    decision.changes_row = job_.status != before_.status || job_.report != before_.report ||
                           job_.dead_reason != before_.dead_reason || job_.retry_count != before_.retry_count;
    decision.status = job_.status;
    decision.report = job_.report;
    decision.dead_reason = job_.dead_reason;
    decision.retry_count = job_.retry_count;
    decision.partial = job_.partial;
    decision.delay = delay_;
    decision.last_error = job_.last_error;
    for (std::size_t i = 0; i < recipients_.size(); ++i)
      if (changed_[i])
        decision.recipients.push_back({static_cast<int>(i), recipients_[i].status, recipients_[i].reply});
    Remarks notes;
    if (!changes_told_ && !changes_.empty()) notes.add(changes_.text());
    if (!notes_.empty()) notes.add(notes_.text());
    if (!notes.empty()) events_.push_back(event(state_, state_, notes.text()));
    decision.events = std::move(events_);
    decision.suppress = std::move(suppress_);
    return decision;
  }

  void apply(JobEvent event) {
    const auto next = next_status(job_.status, event);
    EILBOTE_ASSERT(next.has_value());
    job_.status = *next;
  }
  void change(std::size_t i, RecipientStatus status, std::string reply) {
    recipients_[i].status = status;
    recipients_[i].reply = std::move(reply);
    changed_[i] = true;
  }
  void add_move(std::string reason) {
    const std::string to = public_state_text(job_);
    changes_told_ = !changes_.empty();
    events_.push_back(event(state_, to, std::move(reason)));
    state_ = to;
  }
  StatusEvent event(std::string from, std::string to, std::string reason) const {
    return {
        {}, std::move(from), std::move(to), std::move(reason), std::string(kEngineActor), report_.trace_id};
  }

  // The mail's own spelling, so that a client finds it again.
  std::string name_of(const RecipientReport& said, std::size_t i) const {
    return said.address.empty() ? std::string() : recipients_[i].address;
  }
  // "b@example.org: delayed (4.4.1)"
  static std::string words(const RecipientReport& said, const std::string& name) {
    const std::string who = name.empty() ? "all recipients" : clean_peer_text(name, kErrorTextMax);
    const std::string status = status_text(said);
    return fmt::format("{}: {}{}", who, kReportActionNames.text(said.action),
                       status.empty() ? "" : " (" + status + ")");
  }

  struct Deferred {
    const RecipientReport* said;
    std::size_t recipient;
  };

  const Job& before_;
  Job job_;
  std::vector<Recipient> recipients_;
  const DeliveryReport& report_;
  const ReportRules& rules_;
  Random& random_;
  const AddressBook addresses_;
  std::vector<bool> changed_;  // of the recipients
  std::string state_;          // the public one
  std::vector<Deferred> deferred_;
  Remarks changes_, notes_;
  bool may_suppress_ = false;  // by what is being heard
  bool changes_told_ = false;  // by the event of a move
  std::string trouble_;        // the latest bad news, for last_error
  DeadReason why_dead_ = DeadReason::PermanentFailure;
  std::optional<Duration> delay_;
  std::vector<StatusEvent> events_;
  std::vector<std::string> suppress_;
};

}  // namespace

ReportDecision decide_report(const Job& job, const std::vector<Recipient>& recipients,
                             const DeliveryReport& report, const ReportRules& rules, Random& random) {
  return ReportJudge(job, recipients, report, rules, random).decide();
}

bool is_too_early(const Job& job, const std::vector<Recipient>& recipients, const DeliveryReport& report) {
  if (!may_be_on_its_way(job) || count_of(recipients, RecipientStatus::waiting) == 0) return false;
  const AddressBook addresses(recipients);
  const bool nobody_taken = std::ranges::none_of(recipients, was_taken, &Recipient::status);
  return std::ranges::any_of(report.recipients, [&](const RecipientReport& said) {
    if (!tells_an_end(said.action)) return false;
    if (said.address.empty()) return nobody_taken;  // else it is about those who have it
    return std::ranges::any_of(addresses.named_by(said), [&](std::size_t i) {
      return recipients[i].status == RecipientStatus::waiting;
    });
  });
}

Error too_early_error() {
  return Error{ErrorKind::unavailable, std::string(kTooEarly)};
}

bool says_too_early(const Error& error) {
  return error.kind == ErrorKind::unavailable && error.message.ends_with(kTooEarly);
}

std::optional<Report> report_of(const std::vector<Recipient>& recipients) {
  if (count_of(recipients, RecipientStatus::bounced) > 0) return Report::bounced;
  const bool all_delivered = count_of(recipients, RecipientStatus::delivered) > 0 &&
                             count_of(recipients, RecipientStatus::taken) == 0;
  return all_delivered ? std::optional(Report::delivered) : std::nullopt;
}

std::string normal_address(const std::string& address) {
  const std::string_view text = trimmed(address);
  if (const auto parsed = parse_address(text)) return ascii_lower(parsed->local) + "@" + parsed->ascii_domain;
  return ascii_lower(text);
}

}  // namespace eilbote
