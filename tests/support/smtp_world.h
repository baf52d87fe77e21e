// An engine whose mails leave by SMTP, on time that stands still: a real SQLite outbox, a real ledger, the real SMTP channel,
// and a clock, a resolver and waits that the test owns. The relay is a ScriptedSmtp on the loopback.
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "base/clock.h"
#include "channel/smtp_channel.h"
#include "channel/smtp_hooks.h"
#include "domain/tsid.h"
#include "engine/ledger.h"
#include "metrics/metrics.h"
#include "secrets/secrets.h"
#include "store/store.h"
#include "support/temp_folder.h"

namespace eilbote::test {

class SmtpWorld {
 public:
  struct Options {
    SmtpOptions smtp;       // target.host and port are the world's
    int concurrency = 256;  // mails open at once
    // False: time passes by itself while the channel waits between two tries, as long as that takes.
    bool test_ends_waits = false;
  };
  SmtpWorld(std::uint16_t relay_port, Options options);
  ~SmtpWorld();
  SmtpWorld(const SmtpWorld&) = delete;
  SmtpWorld& operator=(const SmtpWorld&) = delete;

  // The resolver's next answers; once they are used up, the relay's name is known again.
  void names_fail(int times, LookupFault fault);
  void names_fail_from_now_on(LookupFault fault);
  void names_work();
  // Where its name leads to; 127.0.0.1 when not said otherwise. Nobody listens at 127.0.0.2.
  void relay_is_at(const std::vector<std::string>& addresses);
  int lookups() const;
  // The waits between tries, in seconds, in order.
  std::vector<int> waits() const;

  JobId accept(const std::vector<std::string>& to, OnUncertain on_uncertain = OnUncertain::retry,
               int attempts_max = 5);
  // Many at once, one recipient each.
  void accept_many(int n);

  JobRecord record(JobId id);
  JobHistory history(JobId id);
  // The number of mails in this state.
  int count(MailState state);
  TimePoint now() const { return clock_.now(); }
  // Waits until nothing is on its way any more: the mail's attempts are settled as they should be.
  bool settles(JobId id, int attempts);
  bool breaker_is_open() const;
  bool breaker_becomes(bool open);
  // Lets the time pass until the open breaker was probed once more: in vain, or with success.
  bool is_probed_in_vain();
  bool recovers();
  double metric(const std::string& line) const;

  // Time goes on; what became due is done.
  void advance(Duration by);

 private:
  struct Wait {
    Clock::Steady until;
    std::function<void()> over;
  };
  int failed_connects() const;
  bool in_time(const std::function<bool()>& happens);
  tl::expected<Addresses, LookupFault> look_up();
  void pause(Duration wait, std::function<void()> over);

  TempFolder folder_;
  FakeClock clock_;
  SystemRandom random_;
  Metrics metrics_;
  const Options options_;
  mutable std::mutex mutex_;
  std::deque<LookupFault> name_faults_;
  std::optional<LookupFault> standing_fault_;
  std::vector<std::string> addresses_{"127.0.0.1"};
  int lookups_ = 0;
  std::vector<int> waited_;
  std::vector<Wait> waiting_;

  std::unique_ptr<SecretSource> secrets_ = make_secret_source();
  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<OutboxCare> care_;
  std::unique_ptr<Instance> instance_;
  std::unique_ptr<TsidFactory> tsids_;
  SmtpHooks hooks_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<MailChannel> channel_;
};

// A relay without TLS.
SmtpWorld::Options in_the_clear();
// What a client sees of the mail: "SENT".
std::string state_of(SmtpWorld& world, JobId id);

}  // namespace eilbote::test
