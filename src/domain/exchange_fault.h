// What kept an HTTP answer from coming. Said by net/http_client, judged by domain/webhook_judge.
#pragma once

namespace eilbote {

enum class ExchangeFault {
  none,          // there is an answer
  not_sent,      // given back before the request began
  busy,          // too much was under way here; nothing was sent
  dns,           // the name has no address
  connect,       // nobody listens there, or it cannot be reached
  tls,           // no trust: certificate, host name, protocol
  timeout,       // the deadline passed
  lost,          // the connection ended before the answer did
  refused,       // by the outbound guard; nothing was sent
  bad_response,  // what came is no HTTP answer, or one beyond all limits
};

}  // namespace eilbote
