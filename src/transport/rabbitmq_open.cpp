// Opens connections to RabbitMQ. The socket of a plain connection is made by TcpDial and handed over. With TLS the library
// insists on making it, and waits for connect() with no way out: after a failure, when that wait may be long, the address is
// first tried out with a socket of TcpDial's; and as soon as TLS begins, OpenSSL tells which socket to hold.
#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <unistd.h>

#include "base/hide.h"
#include "transport/rabbitmq_state.h"

namespace eilbote {
namespace {

constexpr std::chrono::milliseconds kUncutPatience{1500};  // of what nobody can end
constexpr int kFrameBytesMax = 131'072;

tl::unexpected<Error> open_fault(std::string what) {
  return fail(ErrorKind::unavailable, std::move(what));
}

timeval timeval_of(std::chrono::milliseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return {seconds.count(), std::chrono::microseconds(time - seconds).count()};
}

// What OpenSSL's callback, which takes nothing from its caller, knows of the handshake.
struct HandshakeNote {
  LinkSwitch& link;
  long verified = X509_V_OK;
};

int handshake_note_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

void note_handshake(const SSL* ssl, int where, int) {
  auto* const note =
      static_cast<HandshakeNote*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), handshake_note_index()));
  if (note == nullptr) return;
  if ((where & SSL_CB_HANDSHAKE_START) != 0) note->link.hold(SSL_get_fd(ssl));
  note->verified = SSL_get_verify_result(ssl);
}

Result<void> trust(amqp_socket_t* socket, SSL_CTX* context, const std::string& ca_file) {
  if (ca_file.empty()) {
    // The places of the system OpenSSL was built for; librabbitmq looks at none by itself.
    if (SSL_CTX_set_default_verify_paths(context) == 1) return {};
    return open_fault("the system's certificate authorities cannot be read");
  }
  if (amqp_ssl_socket_set_cacert(socket, ca_file.c_str()) == AMQP_STATUS_OK) return {};
  return open_fault("the certificate authorities in " + ca_file + " cannot be read");
}

Result<void> open_with_tls(RabbitState& state, const RabbitEndpoint& endpoint,
                           std::chrono::milliseconds patience) {
  amqp_socket_t* const socket = amqp_ssl_socket_new(state.amqp);
  if (socket == nullptr) return open_fault("no TLS: out of memory");
  auto* const context = static_cast<SSL_CTX*>(amqp_ssl_socket_get_context(socket));
  amqp_ssl_socket_set_verify_peer(socket, 1);
  amqp_ssl_socket_set_verify_hostname(socket, 1);
  if (amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST) != AMQP_STATUS_OK)
    return open_fault("this OpenSSL has no TLS 1.2");
  if (auto trusted = trust(socket, context, endpoint.ca_file); !trusted) return trusted;
  HandshakeNote note{state.link};
  SSL_CTX_set_ex_data(context, handshake_note_index(), &note);
  SSL_CTX_set_info_callback(context, note_handshake);
  const timeval wait = timeval_of(patience);
  const int status = amqp_socket_open_noblock(socket, endpoint.url.host.c_str(), endpoint.url.port, &wait);
  SSL_CTX_set_info_callback(context, nullptr);
  SSL_CTX_set_ex_data(context, handshake_note_index(), nullptr);
  if (status == AMQP_STATUS_OK) return {};
  std::string why = amqp_error_string2(status);
  if (note.verified != X509_V_OK)
    why += fmt::format(" (its certificate: {})", X509_verify_cert_error_string(note.verified));
  return open_fault(why);
}

Result<void> open_plain(RabbitState& state, const RabbitEndpoint& endpoint, TcpDial& dial) {
  auto fd = dial.connect(endpoint.url.host, endpoint.url.port, endpoint.patience);
  if (!fd) return fail(fd.error());
  amqp_socket_t* const socket = amqp_tcp_socket_new(state.amqp);
  if (socket == nullptr) {
    ::close(*fd);
    return open_fault("no socket: out of memory");
  }
  amqp_tcp_socket_set_sockfd(socket, *fd);
  return {};
}

Result<void> try_out(const RabbitEndpoint& endpoint, TcpDial& dial) {
  auto fd = dial.connect(endpoint.url.host, endpoint.url.port, endpoint.patience);
  if (!fd) return fail(fd.error());
  ::close(*fd);
  return {};
}

amqp_table_entry_t entry_of(const char* name, bool value) {
  amqp_table_entry_t entry{};
  entry.key = amqp_cstring_bytes(name);
  entry.value.kind = AMQP_FIELD_KIND_BOOLEAN;
  entry.value.value.boolean = value ? 1 : 0;
  return entry;
}

// The library claims fewer capabilities than it has, and a broker does not say what it thinks nobody would understand.
Result<void> log_in(RabbitState& state, const RabbitEndpoint& endpoint) {
  Result<Secret> password = endpoint.password ? endpoint.password() : Result<Secret>(endpoint.url.password);
  if (!password) return fail(password.error().with_context("the broker's password"));
  amqp_table_entry_t capabilities[] = {entry_of("consumer_cancel_notify", true),
                                       entry_of("connection.blocked", true),
                                       entry_of("publisher_confirms", true), entry_of("basic.nack", true),
                                       entry_of("authentication_failure_close", true)};
  amqp_table_entry_t properties[2]{};
  properties[0].key = amqp_cstring_bytes("capabilities");
  properties[0].value.kind = AMQP_FIELD_KIND_TABLE;
  properties[0].value.value.table = {static_cast<int>(std::size(capabilities)), capabilities};
  properties[1].key = amqp_cstring_bytes("connection_name");
  properties[1].value.kind = AMQP_FIELD_KIND_UTF8;
  properties[1].value.value.bytes = rabbit_bytes(endpoint.name);
  const amqp_table_t table{static_cast<int>(std::size(properties)), properties};
  const amqp_rpc_reply_t reply = amqp_login_with_properties(
      state.amqp, endpoint.url.vhost.c_str(), AMQP_DEFAULT_MAX_CHANNELS, kFrameBytesMax,
      static_cast<int>(endpoint.url.heartbeat.count()), &table, AMQP_SASL_METHOD_PLAIN,
      endpoint.url.user.c_str(), password->reveal().c_str());
  if (reply.reply_type == AMQP_RESPONSE_NORMAL) return {};
  std::string why = rabbit_fault(reply);
  hide(why, password->reveal());
  return open_fault("login as " + endpoint.url.user + ": " + why);
}

}  // namespace

Result<std::unique_ptr<RabbitConnection>> RabbitConnection::open(const RabbitEndpoint& endpoint,
                                                                 TcpDial& dial, LinkSwitch& link,
                                                                 bool try_first) {
  amqp_set_initialize_ssl_library(0);  // OpenSSL initialises itself, and others use it, too
  auto state = std::make_unique<RabbitState>(link);
  state->amqp = amqp_new_connection();
  if (state->amqp == nullptr) return open_fault("out of memory");
  const timeval patience = timeval_of(endpoint.patience);
  amqp_set_handshake_timeout(state->amqp, &patience);
  amqp_set_rpc_timeout(state->amqp, &patience);
  Result<void> done = endpoint.url.tls && try_first ? try_out(endpoint, dial) : Result<void>{};
  if (done && endpoint.url.tls)
    done = open_with_tls(*state, endpoint,
                         try_first ? endpoint.patience : std::min(endpoint.patience, kUncutPatience));
  else if (done)
    done = open_plain(*state, endpoint, dial);
  if (!done) return fail(done.error());
  link.hold(amqp_get_sockfd(state->amqp));
  if (auto in = log_in(*state, endpoint); !in) return fail(in.error());
  auto main = state->open_channel();
  if (!main) return fail(main.error());
  auto side = state->open_channel();
  if (!side) return fail(side.error());
  state->side_channel = *side;
  return std::unique_ptr<RabbitConnection>(new RabbitConnection(std::move(state)));
}

}  // namespace eilbote
