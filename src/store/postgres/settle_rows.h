// Decisions on their way into the database, as the arrays of settle.sql: what the row becomes, the attempt that goes on record, and
// what it changed for people. Used by exchange.cpp.
#pragma once

#include <string>

#include "base/utf8.h"
#include "domain/acts.h"
#include "ports/outbox.h"
#include "store/postgres/connection.h"

namespace eilbote::postgres {

class SettleRows {
 public:
  void add(const Settlement& settlement) {
    const Decision& decision = settlement.decision;
    id_.add(settlement.id.value());
    token_.add(settlement.token.value());
    status_.add(kJobStatusNames.text(decision.status));
    retries_.add(decision.retry_count);
    attempts_.add(decision.attempts);
    deferrals_.add(decision.deferrals);
    partial_.add(decision.partial);
    decision.delay ? delay_.add(static_cast<std::int64_t>(decision.delay->count())) : delay_.add_null();
    decision.dead_reason ? dead_.add(kDeadReasonNames.text(*decision.dead_reason)) : dead_.add_null();
    error_.add_or_null(utf8_prefix(decision.last_error, kErrorTextMax));
    recorded_.add(settlement.attempt.has_value());
    settlement.attempt ? add(*settlement.attempt, settlement.provider_message_id) : add_no_attempt();
    settlement.event ? add(*settlement.event) : add_no_event();
  }

  Call call() && {
    Params params;
    for (Array* array :
         {&id_,       &token_,    &status_,   &retries_,    &attempts_, &deferrals_, &partial_,  &delay_,
          &dead_,     &error_,    &recorded_, &number_,     &started_,  &completed_, &duration_, &result_,
          &route_,    &code_,     &verdict_,  &smtp_,       &enhanced_, &response_,  &message_,  &type_,
          &deferral_, &provider_, &body_,     &diagnostic_, &from_,     &to_,        &reason_})
      params.add(std::move(*array));
    const StatusEvent stop = event_of_stop({});
    params.add(kEngineActor).add(stop.from).add(stop.to).add(stop.reason);
    return {&sql::postgres::settle, std::move(params)};
  }

 private:
  void add(const Attempt& attempt, const std::string& provider_message_id) {
    number_.add(attempt.number);
    started_.add(attempt.attempted_at);
    completed_.add(attempt.completed_at);
    duration_.add(static_cast<std::int64_t>(attempt.duration.count()));
    result_.add(kAttemptStatusNames.text(attempt.status));
    route_.add(attempt.route);
    code_.add(attempt.code);
    attempt.verdict ? verdict_.add(kVerdictNames.text(*attempt.verdict)) : verdict_.add_null();
    smtp_.add(attempt.smtp_code);
    enhanced_.add(attempt.enhanced_code);
    response_.add(attempt.response_code);
    message_.add(attempt.error_message);
    attempt.error_type ? type_.add(kErrorTypeNames.text(*attempt.error_type)) : type_.add_null();
    deferral_.add(attempt.deferral);
    provider_.add(provider_message_id);
    body_.add(attempt.response_body);
    diagnostic_.add(attempt.diagnostic);
  }
  void add_no_attempt() {
    for (Array* array :
         {&number_, &started_, &completed_, &duration_, &result_, &route_, &code_, &verdict_, &smtp_,
          &enhanced_, &response_, &message_, &type_, &deferral_, &provider_, &body_, &diagnostic_})
      array->add_null();
  }
  void add(const StatusEvent& event) {
    from_.add(event.from);
    to_.add(event.to);
    reason_.add(event.reason);
  }
  void add_no_event() {
    for (Array* array : {&from_, &to_, &reason_})
      array->add_null();
  }

  Array id_{Type::int8}, token_{Type::int8}, status_{Type::text}, retries_{Type::int4}, attempts_{Type::int4},
      deferrals_{Type::int4}, partial_{Type::boolean}, delay_{Type::int8}, dead_{Type::text},
      error_{Type::text}, recorded_{Type::boolean};
  Array number_{Type::int4}, started_{Type::timestamptz}, completed_{Type::timestamptz},
      duration_{Type::int8}, result_{Type::text}, route_{Type::text}, code_{Type::text}, verdict_{Type::text},
      smtp_{Type::int4}, enhanced_{Type::text}, response_{Type::int4}, message_{Type::text},
      type_{Type::text}, deferral_{Type::boolean}, provider_{Type::text}, body_{Type::text},
      diagnostic_{Type::text};
  Array from_{Type::text}, to_{Type::text}, reason_{Type::text};
};

}  // namespace eilbote::postgres
