// eilbote_instructions: takes so many jobs in, or settles so many of those it took in, on SQLite in a temporary folder, in this process and
// in batches of a fixed size. bench/instructions.py runs it under callgrind with two counts, and the difference is what one job
// costs: no network, no clock but a fake one, and nothing that waits for anything but the store's own threads.
#include <sqlite3.h>

#include <algorithm>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "api/api.h"
#include "api/json_document.h"
#include "api/mail_json.h"
#include "api/new_webhook_job.h"
#include "api/webhook_json.h"
#include "domain/mail_meta.h"
#include "domain/mime.h"
#include "domain/webhook_url.h"
#include "engine/finished.h"
#include "store/store.h"

namespace eilbote {
namespace {

constexpr int kBatch = 50;        // what a busy intake and ledger have at a time
constexpr int kSettledMax = 250;  // jobs that wait whenever some are settled, however many
constexpr std::string_view kTraceId = "0af7651916cd43dd8448eb211c80319c";

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

std::string webhook_body() {
  return fmt::format(
      R"({{"source":"bench","code":"bench:instructions","targetUrl":"http://127.0.0.1:9/hook",)"
      R"("payload":"{{\"order\":\"{}\"}}"}})",
      std::string(1000, 'x'));
}
std::string mail_body() {
  return fmt::format(
      R"({{"from":"bench@example.org","to":["u1@example.org"],"subject":"A mail of the benchmark",)"
      R"("body":{{"text":"{}"}}}})",
      std::string(1000, 'x'));
}

ApiSettings api_settings() {
  ApiSettings settings;
  settings.has_pool = [](const std::string&) { return true; };
  return settings;
}

class Load {
 public:
  Load(const std::filesystem::path& folder, ChannelKind channel) : channel_(channel) {
    StoreOptions options;
    options.url = "sqlite:" + (folder / "outbox.db").string();
    store_ = must(open_store(options, clock_));
    epoch_ = must(store_.care->start_instance("instructions", std::chrono::hours{1}));
  }

  // From the bytes of a request to its answer, the commit between them.
  void accept(int count) {
    const std::string body = channel_ == ChannelKind::mail ? mail_body() : webhook_body();
    for (int left = count; left > 0; left -= kBatch) {
      std::vector<NewJob> jobs;
      for (int i = 0; i < std::min(left, kBatch); ++i)
        jobs.push_back(channel_ == ChannelKind::mail ? new_mail(body) : new_webhook(body));
      must(store_.outbox->accept(jobs, AcceptRun::first));
      clock_.advance(std::chrono::milliseconds{1});
    }
  }

  // Claimed, loaded, decided and settled, each round with the claims of the next.
  void settle(int count) {
    std::vector<ClaimLane> lanes;
    for (const ActiveLane& lane : must(store_.outbox->active_lanes()).lanes)
      lanes.push_back({lane.lane, 0, {}});
    std::vector<Settlement> settlements;
    for (int left = count; left > 0 || !settlements.empty(); left -= kBatch) {
      ExchangeRequest request;
      request.settlements = std::move(settlements);
      request.lanes = lanes;
      request.lanes.front().n = std::clamp(left, 0, kBatch);
      request.token = make_lease_token(epoch_, ++round_);
      if (request.lanes.front().n == 0) request.lanes.clear();
      ExchangeResult result = must(store_.outbox->exchange(request));
      for (const SettleOutcome outcome : result.settled)
        if (outcome != SettleOutcome::settled) throw std::runtime_error("a job was not settled");
      if (static_cast<int>(result.claimed.size()) != std::clamp(left, 0, kBatch))
        throw std::runtime_error("not all jobs were there to be claimed");
      settlements = attempted(std::move(result.claimed));
      clock_.advance(std::chrono::milliseconds{1});
    }
  }

 private:
  NewJob new_job(TimePoint now) {
    NewJob job;
    job.id = ids_.next(now);
    job.channel = channel_;
    job.client = ClientName{"bench"};
    job.expires_at = now + std::chrono::hours{120};
    job.trace_id = kTraceId;
    return job;
  }

  NewJob new_webhook(const std::string& body) {
    boost::json::monotonic_resource memory;
    const auto document = read_json(body, &memory);
    if (!document) throw std::runtime_error("not JSON");
    WebhookReading reading = read_webhook(*document, {}, clock_.now());
    if (reading.problem) throw std::runtime_error(reading.problem->detail);
    NewJob job = new_job(clock_.now());
    job.pool = kWebhookPool;
    job.route = must(parse_webhook_url(reading.webhook.target_url)).route();
    job.attempts_max = reading.webhook.max_retries;
    job.webhook = std::move(reading.webhook);
    const WebhookView view{false, clock_.now()};
    answered_ += boost::json::serialize(dispatch_job_json(accepted_record(job, view.now), view)).size();
    return job;
  }

  NewJob new_mail(const std::string& body) {
    boost::json::monotonic_resource memory;
    const auto document = read_json(body, &memory);
    if (!document) throw std::runtime_error("not JSON");
    MailReading reading = read_mail(*document, MailPart::message, settings_, clock_.now());
    if (reading.problem) throw std::runtime_error(reading.problem->detail);
    const Mail& mail = reading.mail;
    NewJob job = new_job(clock_.now());
    job.pool = kMailPool;
    job.mail.sender = mail.from.address;
    for (const Mailbox& box : mail.to)
      job.mail.recipients.push_back({RecipientKind::to, box.address, RecipientStatus::waiting, {}});
    job.mail.mime = write_mime(mail, {job.id, clock_.now(), "localhost"});
    job.mail.meta = to_json(meta_of(mail));
    return job;
  }

  // As if each had been delivered at once.
  std::vector<Settlement> attempted(std::vector<ClaimedJob> claimed) {
    std::vector<JobId> ids;
    for (const ClaimedJob& job : claimed)
      ids.push_back(job.job.id);
    const bool mails = channel_ == ChannelKind::mail;
    const JobContents contents = must(
        store_.outbox->load_contents(mails ? ids : std::vector<JobId>{}, mails ? std::vector<JobId>{} : ids));
    std::vector<Settlement> settlements;
    for (std::size_t i = 0; i < claimed.size(); ++i) {
      DeliveryResult result;
      result.verdict = Verdict::delivered;
      if (mails) {
        result.smtp_code = 250;
        result.recipients.push_back({0, RecipientStatus::taken, "250 2.0.0 Ok: queued"});
      } else {
        result.response_code = 200;
      }
      const Started started =
          mails ? make_started(std::move(claimed[i]), contents.mails.at(i), rules_, "smtp", clock_)
                : make_started(std::move(claimed[i]), contents.webhooks.at(i), rules_, false, clock_);
      settlements.push_back(
          std::move(make_finished(started, std::move(result), clock_, random_)->settlement));
    }
    return settlements;
  }

  const ChannelKind channel_;
  FakeClock clock_;
  FixedRandom random_{1};
  TsidFactory ids_{Epoch{1}};
  const ApiSettings settings_ = api_settings();
  CourierRules rules_;
  Store store_;
  Epoch epoch_{0};
  std::uint32_t round_ = 0;
  std::size_t answered_ = 0;
};

void run(const std::string& path, int count) {
  std::string name = (std::filesystem::temp_directory_path() / "eilbote-instructions-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  const std::filesystem::path folder = name;
  try {
    Load load(folder, path.ends_with("mail") ? ChannelKind::mail : ChannelKind::webhook);
    if (path.starts_with("accept")) {
      load.accept(count);
    } else {
      load.accept(kSettledMax);
      load.settle(count);
    }
  } catch (...) {
    std::filesystem::remove_all(folder);
    throw;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace eilbote

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() == 1 && arguments[0] == "about") {
      // What the counts depend on, beside the sources.
#ifdef NDEBUG
      const char* build = "optimised";
#else
      const char* build = "debug";
#endif
      fmt::print("{} {}.{}, SQLite {}, {}\n", EILBOTE_COMPILER, __GNUC__, __GNUC_MINOR__,
                 ::sqlite3_libversion(), build);
      return 0;
    }
    if (arguments.size() != 2)
      throw std::runtime_error(
          "takes accept-webhook, accept-mail, settle-webhook or settle-mail, and a count");
    eilbote::run(arguments[0], std::stoi(arguments[1]));
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "eilbote_instructions: {}\n", e.what());
    return 1;
  }
}
