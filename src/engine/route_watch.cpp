#include "engine/route_watch.h"

#include <limits>

#include "base/log.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

// What an attempt says about its host. A 4xx of any kind: it is there. An end without a request (no credentials, no
// content): nothing at all.
Verdict said_by_host(const Finished& finished) {
  const auto& attempt = finished.settlement.attempt;
  const int code = attempt ? attempt->response_code : 0;
  if (code >= 400 && code < 500) return Verdict::permanent;
  const bool never_sent = code == 0 && finished.verdict != Verdict::transient;
  return never_sent && finished.verdict != Verdict::delivered ? Verdict::released : finished.verdict;
}

}  // namespace

RouteWatch::RouteWatch(std::string mail_route, const RouteRules& rules, Metrics& metrics)
    : mail_route_(std::move(mail_route)),
      metrics_(metrics),
      mail_(rules.mail),
      hosts_(rules.host, rules.requests_per_host_max) {
  metrics_.add(Metric::route_alarms, 0, {mail_route_});  // so that the first one is seen as such
  publish();
}

RouteRoom RouteWatch::room(ChannelKind channel, const std::string& route, Steady now) const {
  if (channel == ChannelKind::webhook) return hosts_.room(route, now);
  return {mail_.lets_through() ? std::numeric_limits<int>::max() : 0, 0};
}

bool RouteWatch::started(const Job& job, Steady now) {
  return job.channel == ChannelKind::webhook && hosts_.started(job.route, now);
}

RouteWatch::Change RouteWatch::finished(const Finished& finished, Steady now) {
  if (finished.after.channel == ChannelKind::webhook) return finished_webhook(finished, now);
  const BreakerState before = mail_.state();
  mail_.on_result(finished.verdict, finished.text, now);
  if (before == mail_.state()) return Change::none;
  log::error("the mail route is down: mails wait until a probe succeeds; GET /breakers says why",
             {{"route", mail_route_}, {"class", kVerdictNames.text(finished.verdict)}});
  publish();
  return Change::mail_down;
}

RouteWatch::Change RouteWatch::finished_webhook(const Finished& finished, Steady now) {
  const std::string& host = finished.after.route;
  if (!hosts_.finished(host, finished.probe, said_by_host(finished), finished.text, now)) return Change::none;
  publish();
  if (!hosts_.lets_through(host)) {
    log::warning("an endpoint host is down: its webhooks wait until probes succeed; GET /breakers says why",
                 {{"host", host}});
    return Change::host_down;
  }
  log::info("endpoint host is up again", {{"host", host}});
  return Change::up;
}

RouteWatch::Change RouteWatch::on_mail_probe(const Result<void>& result, Steady now) {
  mail_.on_probe(result.has_value(), result ? "" : result.error().message, now);
  publish();
  if (!mail_.lets_through()) return Change::none;
  log::info("route is up again", {{"route", mail_route_}});
  return Change::up;
}

std::optional<RouteWatch::Steady> RouteWatch::next_probe(Steady now) const {
  std::optional<Steady> earliest = hosts_.next_probe(now);
  if (mail_.state() == BreakerState::open && (!earliest || mail_.next_probe() < *earliest))
    earliest = mail_.next_probe();
  return earliest;
}

void RouteWatch::tidy(Steady now) {
  const std::size_t before = hosts_.troubled().size();
  hosts_.tidy(now);
  if (hosts_.troubled().size() != before) publish();
}

void RouteWatch::reset(const std::string& route) {
  if (route == mail_route_)
    mail_.reset();
  else
    hosts_.reset(route);
  publish();
}

void RouteWatch::publish() {
  metrics_.set(Metric::breaker_open, mail_.lets_through() ? 0 : 1, {mail_route_});
  std::vector<BreakerView> views{view_of(mail_route_, mail_, ChannelKind::mail)};
  for (BreakerView& host : hosts_.troubled())
    views.push_back(std::move(host));
  // Hosts are named by clients: as labels they would be without bound, so they are counted.
  metrics_.set(Metric::breaker_open, static_cast<double>(views.size() - 1), {"webhook"});
  const MutexLock lock(mutex_);
  views_ = std::move(views);
}

std::vector<BreakerView> RouteWatch::views() const {
  const MutexLock lock(mutex_);
  return views_;
}

std::optional<std::string> RouteWatch::trouble(const Job& job) const {
  const bool is_mail = job.channel == ChannelKind::mail;
  const std::string& route = is_mail ? mail_route_ : job.route;
  const MutexLock lock(mutex_);
  for (const BreakerView& view : views_) {
    if (view.route != route || view.state == BreakerState::closed) continue;
    // What a relay said may be about another client's mail; of an endpoint the reason is in our own words.
    return "its route '" + route + "' is down" +
           (is_mail ? "; it goes out by itself when the route is up again" : ": " + view.reason);
  }
  return std::nullopt;
}

}  // namespace eilbote
