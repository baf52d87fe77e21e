#include "support/mail_receiver.h"

#include "support/captured_mail.h"
#include "support/hook_receiver.h"

namespace eilbote::test {
namespace {

// "m7" of "m7@example.org" and of "<m7@example.org>".
std::string first_word(const std::string& address) {
  const std::size_t begin = address.find('<') == std::string::npos ? 0 : address.find('<') + 1;
  return address.substr(begin, address.find('@', begin) - begin);
}

int number(const std::string& text) {
  return text.empty() ? 0 : std::stoi(text);
}

}  // namespace

MailReceiver::MailReceiver(History& history, std::chrono::milliseconds pause, std::string by)
    : history_(history), by_(std::move(by)), relay_([&] {
        SmtpScript script;
        script.before_dot_reply = pause;
        script.take = [this](const std::string& message, int connection) {
          return take(message, connection);
        };
        script.taken = [this](int connection) { taken(connection); };
        script.keeps = false;
        return script;
      }()) {}

std::string MailReceiver::take(const std::string& message, int connection) {
  const std::string wire_id = header_of(message, "Message-ID"), id = first_word(wire_id);
  const int fails = number(header_of(message, "X-Fail"));
  HistoryEvent event{.kind = HistoryKind::begun,
                     .name = first_word(header_of(message, "To")),
                     .id = id,
                     .wire_id = wire_id,
                     .group = header_of(message, "X-Group"),
                     .place = number(header_of(message, "X-Place")),
                     .by = by_,
                     .mode = header_of(message, "X-Mode")};
  const std::lock_guard lock(mutex_);
  const bool fails_now = fails > 0 && deliveries_[id]++ < fails;
  const int answer = !header_of(message, "X-Refuse").empty() ? 400 : fails_now ? 500 : 200;
  event.delivery = next_delivery();
  under_way_[connection] = {event.delivery, answer};
  history_.add(std::move(event));
  return answer == 200 ? "250 2.0.0 Ok: queued" : answer == 500 ? "451 4.3.0 not now" : "554 5.6.0 never";
}

void MailReceiver::taken(int connection) {
  const std::lock_guard lock(mutex_);
  const auto found = under_way_.find(connection);
  if (found == under_way_.end()) return;
  history_.add(
      {.kind = HistoryKind::ended, .delivery = found->second.delivery, .answer = found->second.answer});
  under_way_.erase(found);
}

}  // namespace eilbote::test
