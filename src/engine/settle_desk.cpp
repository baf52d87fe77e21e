#include "engine/settle_desk.h"

#include "base/log.h"
#include "domain/delivery_codes.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

void append(ExchangeResult& into, ExchangeResult part) {
  into.settled.insert(into.settled.end(), part.settled.begin(), part.settled.end());
  into.woken.insert(into.woken.end(), part.woken.begin(), part.woken.end());
  into.now = part.now;
}

}  // namespace

Result<Exchanged> SettleDesk::exchange(ExchangeRequest request, std::span<const FinishedPtr> finished) {
  request.settlements.reserve(finished.size());
  for (const FinishedPtr& one : finished)
    request.settlements.push_back(one->settlement);
  auto result = outbox_.exchange(request);
  if (result) return Exchanged{std::move(*result), false};
  if (result.error().kind != ErrorKind::rejected_data || finished.empty()) return fail(result.error());
  log::error("the database refused the result of an attempt; looking for it in smaller parts",
             {{"error", result.error().message}});
  Exchanged settled;
  settled.settled_only = true;
  if (auto done = settle_by_halves(finished, settled); !done) return fail(done.error());
  return settled;
}

Result<void> SettleDesk::settle_by_halves(std::span<const FinishedPtr> finished, ExchangeResult& into) {
  ExchangeRequest request;
  for (const FinishedPtr& one : finished)
    request.settlements.push_back(one->settlement);
  auto result = outbox_.exchange(request);
  if (result) {
    append(into, std::move(*result));
    return {};
  }
  if (result.error().kind != ErrorKind::rejected_data) return fail(result.error());
  if (finished.size() == 1) return settle_bluntly(*finished[0], into);
  const std::size_t half = finished.size() / 2;
  if (auto first = settle_by_halves(finished.first(half), into); !first) return first;
  return settle_by_halves(finished.subspan(half), into);
}

// The same decision without any of the peer's words.
Result<void> SettleDesk::settle_bluntly(const Finished& finished, ExchangeResult& into) {
  Settlement blunt = finished.settlement;
  const std::string text = "the answer could not be stored";
  if (!blunt.decision.last_error.empty()) blunt.decision.last_error = text;
  for (RecipientResult& recipient : blunt.decision.recipients)
    recipient.reply = text;
  blunt.provider_message_id.clear();
  if (blunt.attempt) {
    blunt.attempt->error_message = blunt.decision.last_error;
    blunt.attempt->enhanced_code.clear();
    blunt.attempt->response_body.clear();
    blunt.attempt->diagnostic.clear();
    blunt.attempt->code = code::unstorable_answer;
  }
  ExchangeRequest request;
  request.settlements.push_back(std::move(blunt));
  auto result = outbox_.exchange(request);
  if (!result) {
    if (result.error().kind != ErrorKind::rejected_data) return fail(result.error());
    // A bug, not bad weather. Reconciliation frees the row; the log names it.
    log::error(
        "a fault in the server: the result of an attempt cannot be stored, and the job may be delivered "
        "twice",
        {{id_field(finished.after.channel), to_text(finished.settlement.id)},
         {"error", result.error().message}});
    into.settled.push_back(SettleOutcome::stale);
    return {};
  }
  append(into, std::move(*result));
  return {};
}

}  // namespace eilbote
