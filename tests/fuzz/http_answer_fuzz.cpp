// Whatever an endpoint answers: read the same in one piece and byte by byte, within its limits, and judged within bounds.
#include "domain/webhook_judge.h"
#include "fuzz/fuzz.h"
#include "net/http_answer_reader.h"

namespace eilbote::fuzz {
namespace {

using State = HttpAnswerReader::State;

constexpr std::size_t kHeaderMax = 600, kBodyMax = 300;

struct Reading {
  State state = State::more;
  HttpAnswer answer;
  std::string why;
  bool goes_on = false;
};

Reading read(std::string_view bytes, std::size_t piece) {
  HttpAnswerReader reader(kHeaderMax, kBodyMax);
  Reading reading;
  for (std::size_t at = 0; at < bytes.size() && reading.state == State::more; at += piece)
    reading.state = reader.take(bytes.substr(at, piece));
  if (reading.state == State::more) reading.state = reader.end();
  reading.answer = reader.answer();
  reading.why = reader.why();
  reading.goes_on = reader.may_go_on();
  return reading;
}

bool same(const Reading& a, const Reading& b) {
  if (a.state != b.state || a.why != b.why) return false;
  return a.state != State::done ||
         (a.answer.status == b.answer.status && a.answer.header_lines == b.answer.header_lines &&
          a.answer.body == b.answer.body && a.answer.body_is_cut == b.answer.body_is_cut);
}

std::string judgement_fault(const HttpAnswer& answer) {
  WebhookExchange exchange;
  exchange.status = answer.status;
  exchange.retry_after = answer.header("Retry-After");
  exchange.body = answer.body;
  exchange.body_is_cut = answer.body_is_cut;
  const DeliveryResult result = judge_webhook(exchange, TimePoint{std::chrono::days{20'000}});
  const bool is_taken = result.verdict == Verdict::delivered, is_yes = answer.status / 100 == 2;
  if (is_taken && !is_yes) return "a no taken for a yes: " + std::to_string(answer.status);
  // A yes may say in its body that it is none.
  if (is_yes && !is_taken && answer.body.find("ack") == std::string::npos) return "a yes taken for a no";
  if (result.retry_after &&
      (*result.retry_after < Duration{0} || *result.retry_after > std::chrono::hours{24}))
    return "a wait out of bounds";
  return {};
}

}  // namespace

std::string http_answer_fuzz(std::string_view bytes) {
  const Reading whole = read(bytes, std::max<std::size_t>(1, bytes.size())), bytewise = read(bytes, 1);
  if (!same(whole, bytewise)) return "read differently in one piece and byte by byte";
  if ((whole.state == State::bad || whole.state == State::lost) && whole.why.empty())
    return "refused without a word";
  if (whole.state == State::more) return "neither whole nor lost at the end of the connection";
  if (whole.answer.header_lines.size() > 2 * kHeaderMax + 64 || whole.answer.body.size() > kBodyMax)
    return "a limit does not hold";
  if (whole.state != State::done) return {};
  if (whole.answer.status < 100 || whole.answer.status > 999) return "a status of more than three digits";
  if (whole.goes_on && whole.answer.body_is_cut) return "a connection is used again in the middle of a body";
  return judgement_fault(whole.answer);
}

}  // namespace eilbote::fuzz
