#include "domain/transport_url.h"

namespace eilbote {
namespace {

constexpr std::string_view kAmqp = "amqp://", kAmqps = "amqps://", kSqs = "sqs://";

Result<TransportUrl> read_amqp(std::string_view rest, bool tls) {
  TransportUrl read{TransportKind::rabbitmq, tls};
  // As in other URLs the login ends at the last '@' before the path.
  std::string_view place = rest.substr(0, rest.find_first_of("/?"));
  if (const auto at = place.rfind('@'); at != std::string_view::npos) {
    const std::string_view login = place.substr(0, at);
    const auto colon = login.find(':');
    if (login.empty() || colon == 0)
      return fail(ErrorKind::invalid, "has no user before the '@'; write amqp://USER@HOST:PORT/VHOST");
    read.has_user = true;
    read.has_password = colon != std::string_view::npos && colon + 1 < login.size();
    place.remove_prefix(at + 1);
  }
  if (place.empty() || place.starts_with(':'))
    return fail(ErrorKind::invalid, "must name the broker's host: amqp://USER@HOST:PORT/VHOST");
  return read;
}

}  // namespace

Result<TransportUrl> read_transport_url(std::string_view url) {
  if (url == kDatabaseTransport) return TransportUrl{};
  if (url.starts_with(kAmqp)) return read_amqp(url.substr(kAmqp.size()), false);
  if (url.starts_with(kAmqps)) return read_amqp(url.substr(kAmqps.size()), true);
  if (url.starts_with(kSqs) && url.size() > kSqs.size()) return TransportUrl{TransportKind::sqs, true};
  return fail(ErrorKind::invalid,
              "must be database:, amqp://USER@HOST:PORT/VHOST, amqps://.. (with TLS) or sqs://REGION");
}

}  // namespace eilbote
