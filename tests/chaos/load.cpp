#include "chaos/load.h"

#include <fmt/format.h>

#include <queue>

#include "support/eventually.h"
#include "support/mail_api.h"

namespace eilbote::chaos {
namespace {

using namespace std::chrono_literals;
using test::HistoryKind;
using test::HttpReply;

constexpr long kTimeoutMs = 5000;
constexpr auto kPause = 50ms;
constexpr std::size_t kRemembered = 200;

std::int64_t now_ms() {
  return test::history_now() / 1000;
}

}  // namespace

class Load::Client {
 public:
  Client(Load& load, int number)
      : load_(load),
        orders_(load.options_.seed, number, load.options_.hook_url),
        random_(load.options_.seed ^ (0x9E3779B97F4A7C15U * static_cast<std::uint64_t>(number + 1))),
        place_(static_cast<std::size_t>(number)) {}

  void run() {
    const auto each = std::chrono::duration_cast<std::chrono::microseconds>(
        1'000'000us * load_.options_.clients / load_.options_.rate);
    auto next = std::chrono::steady_clock::now();
    while (!load_.enough_) {
      hand_in(orders_.next(now_ms()));
      maybe_repeat();
      cancel_due();
      next = std::max(next + each, std::chrono::steady_clock::now() - each);
      test::eventually([&] { return load_.enough_ || std::chrono::steady_clock::now() >= next; }, 10s, 2ms);
    }
    while (!cancels_.empty() && !load_.giving_up_) {
      cancel_due();
      test::eventually([&] { return load_.giving_up_.load(); }, 20ms);
    }
  }

 private:
  struct Cancel {
    std::int64_t at = 0;
    std::string id;
    bool is_mail = false;
    bool operator<(const Cancel& other) const { return at > other.at; }  // the earliest first
  };

  const std::string& front() { return load_.options_.fronts[place_ % load_.options_.fronts.size()]; }

  // Until a server says something that another try would not change; the next try goes elsewhere.
  HttpReply ask(const std::string& method, const std::string& path, const std::string& body,
                const test::HttpHeaders& headers) {
    for (; !load_.giving_up_; ++place_) {
      HttpReply reply = test::http_request(method, front() + path, body, headers, kTimeoutMs);
      if (reply.status != 0 && reply.status != 429 && reply.status < 500) return reply;
      test::eventually([&] { return load_.giving_up_.load(); }, kPause);
    }
    return {};
  }

  std::string hand_in(const Order& order) {
    load_.history_.add({.kind = HistoryKind::asked, .name = order.name});
    const HttpReply reply = ask("POST", order.path, order.body, order.headers);
    ++place_;
    if (reply.status != order.created && reply.status != 200) {
      if (reply.status != 0)
        load_.history_.add({.kind = HistoryKind::refused, .name = order.name, .answer = reply.status});
      return "";
    }
    const std::string id = test::text_at(test::json::parse(reply.body), order.id_member);
    load_.history_.add({.kind = HistoryKind::acknowledged, .name = order.name, .id = id});
    ++load_.handed_in_;
    if (order.cancel_after > 0) cancels_.push({now_ms() + order.cancel_after, id, order.is_mail()});
    remember(order);
    return id;
  }

  void remember(const Order& order) {
    if (former_.size() < kRemembered)
      former_.push_back(order);
    else
      former_[random_() % kRemembered] = order;
  }

  // The same key and body again, somewhere else and some time later: it must be told the same id.
  void maybe_repeat() {
    if (former_.empty() || random_() % 20 != 0) return;
    const Order& order = former_[random_() % former_.size()];
    const HttpReply reply = ask("POST", order.path, order.body, order.headers);
    ++load_.repeated_;
    if (reply.status == 200 || reply.status == order.created)
      load_.history_.add({.kind = HistoryKind::acknowledged,
                          .name = order.name,
                          .id = test::text_at(test::json::parse(reply.body), order.id_member)});
    else if (reply.status != 0)
      load_.history_.add({.kind = HistoryKind::refused, .name = order.name, .answer = reply.status});
  }

  void cancel_due() {
    while (!cancels_.empty() && cancels_.top().at <= now_ms() && !load_.giving_up_) {
      const Cancel one = cancels_.top();
      cancels_.pop();
      const HttpReply reply = one.is_mail ? ask("DELETE", "/messages/" + one.id, "", {})
                                          : ask("POST", "/dispatch-jobs/" + one.id + "/cancel", "", {});
      // A webhook that is being delivered is only marked, and says so.
      const bool done = one.is_mail ? reply.status == 204
                                    : reply.status == 200 && test::text_at(test::json::parse(reply.body),
                                                                           "/status") == "CANCELLED";
      if (!done) continue;
      ++load_.cancelled_;
      load_.history_.add({.kind = HistoryKind::cancelled, .id = one.id});
    }
  }

  Load& load_;
  Orders orders_;
  std::mt19937_64 random_;
  std::size_t place_;
  std::vector<Order> former_;
  std::priority_queue<Cancel> cancels_;
};

Load::Load(LoadOptions options, test::History& history) : options_(std::move(options)), history_(history) {
  for (int number = 0; number < options_.clients; ++number)
    clients_.emplace_back([this, number] {
      Client(*this, number).run();
      ++over_;
    });
}

Load::~Load() {
  enough_ = giving_up_ = true;
}

bool Load::finish(std::chrono::seconds patience) {
  enough_ = true;
  const bool done = test::eventually([&] { return over_ == options_.clients; }, patience, 50ms);
  giving_up_ = true;
  clients_.clear();
  return done;
}

}  // namespace eilbote::chaos
