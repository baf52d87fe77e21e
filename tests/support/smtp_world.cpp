#include "support/smtp_world.h"

#include "domain/public_state.h"
#include "support/eventually.h"
#include "support/metric_value.h"
#include "support/worker.h"

namespace eilbote::test {
namespace {

using namespace std::chrono_literals;

Pool mail_pool(int concurrency) {
  Pool pool;
  pool.code = pool.name = "mail";
  pool.concurrency = concurrency;
  return pool;
}

// First failure a minute, then five: easy to tell from the waits that replies ask for.
CourierRules rules() {
  CourierRules rules;
  rules.mail_policy.strategy = RetryStrategy::schedule;
  rules.mail_policy.schedule = default_schedule();
  return rules;
}

}  // namespace

SmtpWorld::SmtpWorld(std::uint16_t relay_port, Options options) : options_(std::move(options)) {
  const Pool pool = mail_pool(options_.concurrency);
  StoreOptions where;
  where.url = "sqlite:" + folder_ / "outbox.db";
  where.pools = {pool};
  Store store = must(open_store(where, clock_));
  outbox_ = std::move(store.outbox);
  care_ = std::move(store.care);
  // Nobody beats its heart here, and no other instance waits for it to stop.
  instance_ = std::make_unique<Instance>(*care_, clock_, "world", std::chrono::hours{24 * 365});
  if (auto begun = instance_->begin(); !begun) throw std::runtime_error(begun.error().message);
  tsids_ = std::make_unique<TsidFactory>(instance_->epoch());

  hooks_.lookup = [this](const std::string&) { return look_up(); };
  hooks_.pause = [this](Duration wait, std::function<void()> over) { pause(wait, std::move(over)); };
  SmtpOptions smtp = options_.smtp;
  smtp.target.host = "relay.example.org";
  smtp.target.port = relay_port;
  smtp.ehlo_name = "me.example.org";
  channel_ = must(make_smtp_channel(smtp, {*secrets_, nullptr, metrics_, clock_, &hooks_}));

  LedgerOptions ledger;
  ledger.pools = {pool};
  ledger.courier = rules();
  ledger_ = make_ledger(*outbox_, *care_, *channel_, *instance_, clock_, random_, metrics_, ledger);
  ledger_->start();
}

SmtpWorld::~SmtpWorld() {
  ledger_->stop(Duration{0});
  channel_.reset();
}

tl::expected<Addresses, LookupFault> SmtpWorld::look_up() {
  const std::lock_guard lock(mutex_);
  ++lookups_;
  if (standing_fault_) return tl::unexpected(*standing_fault_);
  if (name_faults_.empty()) {
    Addresses found;
    for (const std::string& one : addresses_)
      found.push_back(boost::asio::ip::make_address(one));
    return found;
  }
  LookupFault fault = name_faults_.front();
  name_faults_.pop_front();
  return tl::unexpected(std::move(fault));
}

void SmtpWorld::pause(Duration wait, std::function<void()> over) {
  const std::lock_guard lock(mutex_);
  waited_.push_back(static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(wait).count()));
  if (options_.test_ends_waits) {
    waiting_.push_back({clock_.steady_now() + wait, std::move(over)});
    return;
  }
  clock_.advance(wait);
  over();
}

void SmtpWorld::names_fail(int times, LookupFault fault) {
  const std::lock_guard lock(mutex_);
  name_faults_.assign(static_cast<std::size_t>(times), fault);
}
void SmtpWorld::names_fail_from_now_on(LookupFault fault) {
  const std::lock_guard lock(mutex_);
  standing_fault_ = std::move(fault);
}
void SmtpWorld::names_work() {
  const std::lock_guard lock(mutex_);
  standing_fault_.reset();
}
void SmtpWorld::relay_is_at(const std::vector<std::string>& addresses) {
  const std::lock_guard lock(mutex_);
  addresses_ = addresses;
}
int SmtpWorld::failed_connects() const {
  return static_cast<int>(metric(R"(eilbote_smtp_connects_total{outcome="route_fault",route="smtp"})") +
                          metric(R"(eilbote_smtp_connects_total{outcome="configuration",route="smtp"})"));
}
int SmtpWorld::lookups() const {
  const std::lock_guard lock(mutex_);
  return lookups_;
}
std::vector<int> SmtpWorld::waits() const {
  const std::lock_guard lock(mutex_);
  return waited_;
}

JobId SmtpWorld::accept(const std::vector<std::string>& to, OnUncertain on_uncertain, int attempts_max) {
  NewJob job;
  job.id = tsids_->next(clock_.now());
  job.client = ClientName{"local"};
  job.pool = "mail";
  job.attempts_max = attempts_max;
  job.mail.sender = "shop@example.org";
  for (const std::string& address : to)
    job.mail.recipients.push_back({RecipientKind::to, address, RecipientStatus::waiting, ""});
  job.mail.mime = "Message-ID: <" + to_text(job.id) + "@test>\r\n\r\nhello\r\n";
  job.mail.meta = "{}";
  job.mail.on_uncertain = on_uncertain;
  const auto outcome = must(outbox_->accept(std::span(&job, 1), AcceptRun::first));
  ledger_->wake(std::vector{outcome.at(0).lane});
  return outcome.at(0).id;
}

void SmtpWorld::accept_many(int n) {
  std::vector<NewJob> jobs;
  for (int i = 0; i < n; ++i) {
    NewJob job;
    job.id = tsids_->next(clock_.now());
    job.client = ClientName{"local"};
    job.pool = "mail";
    job.mail.sender = "shop@example.org";
    job.mail.recipients = {{RecipientKind::to, "ann@example.org", RecipientStatus::waiting, ""}};
    job.mail.mime = "Message-ID: <" + to_text(job.id) + "@test>\r\n\r\nhello\r\n";
    job.mail.meta = "{}";
    jobs.push_back(std::move(job));
    if (jobs.size() == 500 || i + 1 == n) {
      must(outbox_->accept(jobs, AcceptRun::first));
      jobs.clear();
    }
  }
  ledger_->wake_all();
}

JobRecord SmtpWorld::record(JobId id) {
  return must(outbox_->find(id, std::nullopt)).value();
}
JobHistory SmtpWorld::history(JobId id) {
  return must(outbox_->history(id));
}

int SmtpWorld::count(MailState state) {
  ListQuery query;
  query.state = state;
  query.limit = 25;  // a page is read within the 250 ms a read may take, in a sanitized build too
  int n = 0;
  while (true) {
    const Page page = must(outbox_->list(query));
    n += static_cast<int>(page.jobs.size());
    if (!page.next) return n;
    query.before = page.next;
  }
}

bool SmtpWorld::settles(JobId id, int attempts) {
  return eventually([&] {
    const Job job = record(id).job;
    return job.attempts == attempts && job.status != JobStatus::dispatching;
  });
}

bool SmtpWorld::breaker_is_open() const {
  return ledger_->breakers().at(0).state != BreakerState::closed;
}
bool SmtpWorld::breaker_becomes(bool open) {
  return eventually([&] { return breaker_is_open() == open; });
}

// A probe is due 30 s after the ledger has heard of the last one, which may be a little after the test has.
bool SmtpWorld::in_time(const std::function<bool()>& happens) {
  advance(31s);
  return eventually([&] {
    if (happens()) return true;
    advance(1s);
    return false;
  });
}
bool SmtpWorld::is_probed_in_vain() {
  const int before = failed_connects();
  return in_time([&] { return failed_connects() > before; });
}
bool SmtpWorld::recovers() {
  return in_time([&] { return !breaker_is_open(); });
}

double SmtpWorld::metric(const std::string& line) const {
  return metric_value(metrics_, line).value_or(0);
}

void SmtpWorld::advance(Duration by) {
  std::vector<Wait> over;
  {
    const std::lock_guard lock(mutex_);
    clock_.advance(by);
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if (it->until > clock_.steady_now()) {
        ++it;
        continue;
      }
      over.push_back(std::move(*it));
      it = waiting_.erase(it);
    }
  }
  for (const Wait& wait : over)
    wait.over();
  ledger_->wake_all();
}

SmtpWorld::Options in_the_clear() {
  SmtpWorld::Options options;
  options.smtp.target.tls = SmtpTls::off;
  return options;
}

std::string state_of(SmtpWorld& world, JobId id) {
  return public_state_text(world.record(id).job);
}

}  // namespace eilbote::test
