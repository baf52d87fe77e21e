#include "support/history.h"

#include <sys/stat.h>

#include <boost/json.hpp>
#include <chrono>
#include <fstream>

#include "support/captured_mail.h"

namespace eilbote::test {
namespace {

namespace json = boost::json;

// One table for both directions: the members by name.
template <class Event, class Text, class Number>
void each_member(Event& event, Text text, Number number) {
  number("at", event.at);
  number("until", event.until);
  text("name", event.name);
  text("id", event.id);
  text("wireId", event.wire_id);
  number("delivery", event.delivery);
  number("answer", event.answer);
  text("group", event.group);
  number("place", event.place);
  text("status", event.status);
  text("deadReason", event.dead_reason);
  number("attempts", event.attempts);
  number("budget", event.budget);
  number("finishedAt", event.finished_at);
  text("by", event.by);
  text("mode", event.mode);
  text("pool", event.pool);
  number("rate", event.rate);
  number("burst", event.burst);
  number("concurrency", event.concurrency);
}

// "m7" of "m7@example.org" and of "<m7@example.org>".
std::string name_in(const std::string& to) {
  const std::size_t begin = to.find('<') == std::string::npos ? 0 : to.find('<') + 1;
  return to.substr(begin, to.find('@', begin) - begin);
}

std::int64_t written_at(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return 0;
  return std::int64_t{file.st_mtim.tv_sec} * 1'000'000 + file.st_mtim.tv_nsec / 1000;
}

}  // namespace

std::int64_t history_now() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

std::string history_line(const HistoryEvent& event) {
  json::object line{{"event", kHistoryKindNames.text(event.kind)}};
  each_member(
      event,
      [&](const char* name, const std::string& value) {
        if (!value.empty()) line[name] = value;
      },
      [&](const char* name, std::int64_t value) {
        if (value != 0) line[name] = value;
      });
  return json::serialize(line);
}

std::optional<HistoryEvent> parse_history_line(std::string_view text) {
  boost::system::error_code bad;
  const json::value read = json::parse(text, bad);
  if (bad || !read.is_object()) return std::nullopt;
  const json::object& line = read.as_object();
  const json::value* kind = line.if_contains("event");
  if (kind == nullptr || !kind->is_string()) return std::nullopt;
  const auto known = kHistoryKindNames.parse(std::string_view(kind->as_string()));
  if (!known) return std::nullopt;
  HistoryEvent event{.kind = *known};
  each_member(
      event,
      [&](const char* name, std::string& value) {
        const json::value* found = line.if_contains(name);
        if (found != nullptr && found->is_string()) value = std::string(found->as_string());
      },
      [&](const char* name, auto& value) {
        const json::value* found = line.if_contains(name);
        if (found != nullptr && found->is_int64())
          value = static_cast<std::remove_reference_t<decltype(value)>>(found->as_int64());
      });
  return event;
}

void History::add(HistoryEvent event) {
  if (event.at == 0) event.at = history_now();
  const std::lock_guard lock(mutex_);
  if (event.kind == HistoryKind::acknowledged) ++acknowledged_;
  events_.push_back(std::move(event));
}

std::vector<HistoryEvent> History::events() const {
  const std::lock_guard lock(mutex_);
  return events_;
}

std::size_t History::acknowledged() const {
  const std::lock_guard lock(mutex_);
  return acknowledged_;
}

void History::save(const std::string& path) const {
  std::ofstream file(path);
  for (const HistoryEvent& event : events())
    file << history_line(event) << "\n";
}

int History::load(const std::string& path) {
  std::ifstream file(path);
  int foreign = 0;
  for (std::string line; std::getline(file, line);) {
    auto event = parse_history_line(line);
    if (event)
      add(std::move(*event));
    else
      ++foreign;
  }
  return foreign;
}

bool delays_bytes(std::string_view kind) {
  return kind == fault_kind::freeze || kind == fault_kind::endpoint_stall ||
         kind == fault_kind::endpoint_drip || kind == fault_kind::starved;
}

void add_captured(const std::vector<std::string>& folders, History& history) {
  std::int64_t delivery = -1;  // below those of receivers, which count upwards
  for (const std::string& folder : folders)
    for (const CapturedMail& mail : captured_mails(folder)) {
      HistoryEvent event{.kind = HistoryKind::begun,
                         .at = written_at(mail.path),
                         .name = name_in(mail.to),
                         .id = mail.id,
                         .wire_id = mail.message_id,
                         .delivery = delivery};
      history.add(event);
      event.kind = HistoryKind::ended;
      event.answer = 200;
      history.add(event);
      --delivery;
    }
}

}  // namespace eilbote::test
