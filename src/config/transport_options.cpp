// The rows of the option table about the transport: by which way due jobs get to a worker, and the scheduler of a broker.
#include "config/option_kinds.h"
#include "config/option_sections.h"
#include "domain/transport_url.h"

namespace eilbote {
namespace {

using namespace std::chrono_literals;
using kinds::number;

constexpr std::string_view kTransportSection = "Transport";
using Seconds = std::chrono::seconds;

// A field of TransportConfig, as the kinds want it.
template <class Field>
auto in_transport(Field TransportConfig::*field) {
  return [field](Config& config) -> Field& { return config.transport.*field; };
}

Result<void> check_transport_url(std::string_view text) {
  if (const auto read = read_transport_url(text); !read) return fail(read.error());
  return {};
}

void add_broker(std::vector<Option>& table) {
  table.push_back(
      {"EILBOTE_TRANSPORT_URL", "transport.url", kTransportSection, kDatabaseTransport,
       kinds::text(in_transport(&TransportConfig::url), "URL", check_transport_url),
       "How due jobs get to a worker. `database:`: workers find them there. "
       "`amqp://USER@HOST:PORT/VHOST` (`amqps://` with TLS) or "
       "`sqs://REGION[/ACCOUNT][?prefix=..&fifo=true&create=false]`: a broker carries their names; "
       "the database still decides what may be started.",
       Masked::url_password});
  table.push_back(
      {"EILBOTE_TRANSPORT_PASSWORD_REF", "transport.password_ref", kTransportSection, "",
       kinds::text(in_transport(&TransportConfig::password_ref), "reference", kinds::check_secret_reference),
       "Where the password of the RabbitMQ user is, as a reference (docs/secrets.md). Read again for "
       "every new connection."});
  table.push_back({"EILBOTE_TRANSPORT_CA_FILE", "transport.ca_file", kTransportSection, "",
                   kinds::text(in_transport(&TransportConfig::ca_file), "path"),
                   "Certificates (PEM) to trust for the broker instead of the system's."});
  table.push_back({"EILBOTE_TRANSPORT_PREFETCH", "transport.prefetch", kTransportSection, "500",
                   number(in_transport(&TransportConfig::prefetch), 1, 10'000),
                   "Messages of one queue that a worker holds at once."});
}

void add_scheduler(std::vector<Option>& table) {
  table.push_back({"EILBOTE_TRANSPORT_DEPTH_MAX", "transport.depth_max", kTransportSection, "2000",
                   number(in_transport(&TransportConfig::depth_max), 1, 1'000'000),
                   "Messages that may wait in a queue of the broker; the rest waits in the database, where "
                   "clients take turns."});
  table.push_back(
      {"EILBOTE_TRANSPORT_RETRIES_APART", "transport.retries_apart", kTransportSection, "off",
       kinds::on_off(in_transport(&TransportConfig::retries_apart)),
       "`on`: mails that failed before travel by `email.dispatcher.retry`. All instances need the same."});
  table.push_back({"EILBOTE_STALE_PUBLISHED_SECONDS", "transport.stale_published_seconds", kTransportSection,
                   "900", number(in_transport(&TransportConfig::stale_published), 1, 604'800, Seconds{1}),
                   "How long a job may lie in the broker before it is put in line anew."});
  table.push_back(
      {"EILBOTE_PENDING_POLL_SECONDS", "transport.pending_poll_seconds", kTransportSection, "5",
       number(in_transport(&TransportConfig::pending_poll), 1, 3600, Seconds{1}),
       "How often a scheduler looks for jobs that nobody told it of and that were never in the broker."});
  table.push_back({"DISPATCH_RETRY_INTERVAL_SECONDS", "transport.retry_interval_seconds", kTransportSection,
                   "60", number(in_transport(&TransportConfig::retry_interval), 1, 3600, Seconds{1}),
                   "How often a scheduler looks for due retries that nobody told it of."});
}

}  // namespace

void add_transport_options(std::vector<Option>& table) {
  add_broker(table);
  add_scheduler(table);
}

}  // namespace eilbote
