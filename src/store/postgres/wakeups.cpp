// Wake-ups between instances by LISTEN/NOTIFY: one connection and one thread of their own. Whether
// notifications get through is tested after each connect (a pooler in between swallows them without a word);
// where they do not, `on_work` is called every 100 ms instead. A lost connection is made again; whoever may
// have been missed is called for at once.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/bell.h"
#include "base/log.h"
#include "base/service.h"
#include "store/postgres/connection.h"
#include "store/postgres/postgres_store.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;
using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto kAnnounceEvery = milliseconds{10};
constexpr auto kPollEvery = milliseconds{100};
constexpr auto kTestPatience = milliseconds{1000};
constexpr auto kReconnectFirst = milliseconds{100};
constexpr auto kReconnectMost = milliseconds{2000};

class PostgresWakeUps final : public WakeUps {
 public:
  PostgresWakeUps(Address usual, Address direct)
      : usual_(std::move(usual)),
        direct_(std::move(direct)),
        service_("wakeups", [this](const std::stop_token& stop) { run(stop); }) {}
  ~PostgresWakeUps() override { stop(); }

  void announce() override {
    if (!wanted_.exchange(true)) bell_.ring();
  }
  void start(std::function<void()> on_work) override {
    on_work_ = std::move(on_work);
    service_.start();
  }
  void stop() override { service_.stop(); }

 private:
  void run(const std::stop_token& stop) {
    const std::stop_callback ring(stop, [this] { bell_.ring(); });
    auto pause = kReconnectFirst;
    while (!stop.stop_requested()) {
      PgConn conn = connect_and_listen();
      if (conn) {
        pause = kReconnectFirst;
        const bool hears = hears_notifications(conn.get());
        if (!hears)
          log::warning(
              "postgres: LISTEN does not get through, looking every 100 ms instead; EILBOTE_STORE_LISTEN_URL "
              "can name a direct link",
              {});
        if (stop.stop_requested()) return;
        on_work_();
        attend(stop, conn.get(), hears);
      } else {
        wait(nullptr, pause);
        pause = std::min(pause * 2, kReconnectMost);
      }
    }
  }

  PgConn connect_and_listen() {
    auto conn = connect(direct_);
    if (!conn) return {nullptr, &PQfinish};
    if (!run_statement(conn->get(), q::listen_work)) return {nullptr, &PQfinish};
    return std::move(*conn);
  }

  static bool run_statement(PGconn* conn, const sql::Text& statement) {
    const Rows rows(PQexec(conn, std::string(statement.text).c_str()));
    return rows.status() == PGRES_COMMAND_OK || rows.status() == PGRES_TUPLES_OK;
  }

  // Another session notifies, as another instance would; then it must arrive here.
  bool hears_notifications(PGconn* conn) {
    auto other = connect(usual_);
    if (!other || !run_statement(other->get(), q::notify_work)) return false;
    const auto deadline = Steady::now() + kTestPatience;
    for (auto now = Steady::now(); now < deadline; now = Steady::now()) {
      pollfd look{PQsocket(conn), POLLIN, 0};
      if (poll(&look, 1, static_cast<int>(std::chrono::ceil<milliseconds>(deadline - now).count())) < 0)
        continue;
      if (PQconsumeInput(conn) != 1) return false;
      if (take_notifications(conn)) return true;
    }
    return false;
  }

  // True when another session said something; one's own words come back, too, and do not count.
  static bool take_notifications(PGconn* conn) {
    bool others = false;
    while (PGnotify* notify = PQnotifies(conn)) {
      others = others || notify->be_pid != PQbackendPID(conn);
      PQfreemem(notify);
    }
    return others;
  }

  // Until the link breaks or the service stops.
  void attend(const std::stop_token& stop, PGconn* conn, bool hears) {
    auto last_said = Steady::now() - kAnnounceEvery;
    auto next_look = Steady::now() + kPollEvery;
    while (!stop.stop_requested()) {
      const auto now = Steady::now();
      if (wanted_.load() && now - last_said >= kAnnounceEvery) {
        wanted_.store(false);
        last_said = now;
        if (!run_statement(conn, q::notify_work)) {
          wanted_.store(true);  // nobody heard it: said again on the next link
          return;
        }
        // What others said meanwhile came in with the answer, and the socket will not tell of it again.
        if (take_notifications(conn) && hears) on_work_();
      }
      if (!hears && now >= next_look) {
        next_look = now + kPollEvery;
        on_work_();
      }
      auto patience = milliseconds{-1};
      if (wanted_.load()) patience = std::chrono::ceil<milliseconds>(last_said + kAnnounceEvery - now);
      if (!hears) {
        const auto left = std::max(milliseconds{0}, std::chrono::ceil<milliseconds>(next_look - now));
        patience = patience.count() < 0 ? left : std::min(patience, left);
      }
      if (!wait(conn, patience)) return;
      if (take_notifications(conn) && hears) on_work_();
    }
  }

  // Waits for a notification, the bell, or the time; negative: without end. False when the link broke.
  bool wait(PGconn* conn, milliseconds patience) {
    pollfd look[2] = {{bell_.fd(), POLLIN, 0}, {conn ? PQsocket(conn) : -1, POLLIN, 0}};
    poll(look, 2, static_cast<int>(patience.count()));
    if (look[0].revents != 0) bell_.silence();
    if (look[1].revents == 0) return true;
    return PQconsumeInput(conn) == 1 && PQstatus(conn) == CONNECTION_OK;
  }

  const Address usual_, direct_;
  Bell bell_;
  std::atomic<bool> wanted_{false};
  std::function<void()> on_work_;
  Service service_;
};

}  // namespace

std::unique_ptr<WakeUps> wakeups(const StoreOptions& options) {
  const std::string& direct = options.listen_url.empty() ? options.url : options.listen_url;
  return std::make_unique<PostgresWakeUps>(Address{options.url, options.password},
                                           Address{direct, options.password});
}

}  // namespace eilbote::postgres
