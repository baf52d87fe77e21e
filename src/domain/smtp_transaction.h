// One mail on one connection: which commands go out, and what the replies make of each recipient. Pure: whoever has the
// connection writes what send() says, reads a reply, hands it in, and looks again.
//
// With PIPELINING, MAIL, the RCPTs and DATA leave together; nothing ever follows the final dot before its reply.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "domain/delivery.h"
#include "domain/smtp_capabilities.h"
#include "domain/smtp_judge.h"

namespace eilbote {

struct SmtpEnvelope {
  struct To {
    int index = 0;  // into the mail's recipients
    std::string address;
  };
  std::string sender;
  std::vector<To> recipients;  // those who wait; at least one
  std::size_t bytes = 0;       // of the message
  bool needs_utf8 = false;     // some address has a local part that is not ASCII
};

class SmtpTransaction {
 public:
  enum class Step {
    send,      // write commands(), then read
    read,      // a reply is outstanding
    body,      // write the message and the dot, then read
    lone_dot,  // nobody is left, but the server waits for a message: write ".\r\n", then read
    done,
  };

  SmtpTransaction(SmtpEnvelope envelope, const SmtpCapabilities& can);

  Step step() const { return step_; }
  // While reading: what the next reply answers.
  SmtpStage awaited() const;
  // The commands to be written now; empty unless step() is `send`.
  std::string take_commands();
  // The body, or the lone dot, has been written to its end.
  void dot_written();
  void on_reply(const SmtpReply& reply);
  // The server refused the message while it was being written; its dot never left.
  void on_refused_midway(const SmtpReply& reply);
  // The connection is gone, or no reply came in time. `what` says which; ends the transaction.
  void on_lost(const std::string& what, AttemptStatus status);

  // Whether the connection may carry another mail. False also while something is outstanding.
  bool is_reusable() const { return step_ == Step::done && !close_; }
  // Whether the dot of a message has left and its reply is outstanding.
  bool has_handed_over() const { return dot_written_; }
  // The indices of those whom the server has taken a RCPT for in this transaction, before its dot.
  std::vector<int> accepted() const;
  // Once done.
  DeliveryResult result() const;

 private:
  enum class Fate {
    open,      // not decided
    accepted,  // RCPT was taken; the dot decides
    split,     // waits for a transaction of its own
    taken,
    refused,
    later,
  };
  struct Recipient {
    SmtpEnvelope::To to;
    Fate fate = Fate::open;
    SmtpReply reply{};
  };
  struct Expected {
    SmtpStage stage;
    std::size_t recipient = 0;  // of rcpt
  };
  // What befell the message as a whole.
  struct Trouble {
    Verdict verdict;
    AttemptStatus status;
    std::string code, text;
    SmtpReply reply{};
  };

  void refuse_before_sending();
  void begin(bool with_reset);
  void queue_commands();
  void go_on_after_reply();
  void on_mail(const SmtpReply& reply, const SmtpJudgement& judgement);
  void on_rcpt(std::size_t recipient, const SmtpReply& reply, const SmtpJudgement& judgement);
  void on_data(const SmtpReply& reply, const SmtpJudgement& judgement);
  void on_dot(const SmtpReply& reply, const SmtpJudgement& judgement);
  void fail_message(const SmtpReply& reply, const SmtpJudgement& judgement);
  void set_undecided(Fate fate, const SmtpReply& reply);
  void remember(const SmtpJudgement& judgement);
  bool has(Fate fate) const;
  const SmtpReply* first_reply(Fate fate) const;

  const SmtpEnvelope envelope_;
  const SmtpCapabilities can_;
  std::vector<Recipient> recipients_;
  std::vector<std::size_t> turn_;  // the recipients of this transaction
  std::size_t asked_ = 0;          // how many of them the server has been told
  std::deque<Expected> expected_;  // replies outstanding, in order
  std::string commands_;
  Step step_ = Step::send;
  bool with_parameters_ = true;
  bool again_plain_ = false;  // MAIL once more, without parameters
  bool mail_said_ = false, data_said_ = false;
  bool dot_written_ = false;  // of a message, in this transaction
  bool ignore_dot_ = false;   // it was a lone one
  bool close_ = false, alarm_ = false;
  std::optional<Trouble> trouble_;
  std::optional<Duration> retry_after_;
};

}  // namespace eilbote
