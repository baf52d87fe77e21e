#include "transport/transport.h"

#include "domain/transport_url.h"
#include "transport/database_transport.h"
#include "transport/rabbitmq_transport.h"
#include "transport/sqs_transport.h"

namespace eilbote {
Result<std::unique_ptr<Transport>> make_transport(TransportOptions options, WakeUps& wakeups,
                                                  Metrics& metrics, const Clock& clock) {
  const auto url = read_transport_url(options.url);
  if (!url) return fail(url.error());
  switch (url->kind) {
    case TransportKind::rabbitmq:
      return make_rabbitmq_transport(std::move(options), wakeups, metrics, clock);
    case TransportKind::sqs:
      return make_sqs_transport(std::move(options), wakeups, metrics, clock);
    case TransportKind::database:
      break;
  }
  return make_database_transport(wakeups);
}

}  // namespace eilbote
