// The link to a relay, against a real socket whose other end does what the test says.
#include "net/smtp_link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <thread>

#include "support/loopback_listener.h"
#include "support/tls_identity.h"

namespace eilbote::test::smtp_link_test {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using asio::ip::tcp;
using Kind = LinkFault::Kind;

// A relay for one connection: listens on the loopback and hands the connection to `serve`.
class Relay {
 public:
  explicit Relay(std::function<void(int)> serve)
      : thread_([this, serve = std::move(serve)] {
          const int fd = listener_.accept();
          if (fd < 0) return;
          serve(fd);
          ::close(fd);
        }) {}
  ~Relay() {
    listener_.stop();
    thread_.join();
  }
  tcp::endpoint endpoint() const { return {asio::ip::address_v4::loopback(), listener_.port()}; }

 private:
  LoopbackListener listener_;
  std::thread thread_;
};

void say(int fd, std::string_view bytes) {
  EXPECT_EQ(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}
std::string hear_line(int fd) {
  std::string line;
  for (char byte = 0; byte != '\n' && ::recv(fd, &byte, 1, 0) == 1;)
    line += byte;
  return line;
}
std::size_t hear_to_the_end(int fd) {
  std::array<char, 65536> piece{};
  std::size_t bytes = 0;
  for (ssize_t n = 0; (n = ::recv(fd, piece.data(), piece.size(), 0)) > 0;)
    bytes += static_cast<std::size_t>(n);
  return bytes;
}

class SmtpLinkTest : public testing::Test {
 protected:
  // Runs a coroutine to its end.
  template <class T>
  LinkResult<T> run(SmtpLink::Awaitable<T> work) {
    auto done = asio::co_spawn(io_, std::move(work), asio::use_future);
    io_.restart();
    // Not run(): the link's timer outlasts what it was set for.
    while (done.wait_for(0s) != std::future_status::ready)
      io_.run_one();
    return done.get();
  }
  void connect(const Relay& relay) { ASSERT_TRUE(run(link_.connect(relay.endpoint(), 10s))); }

  asio::io_context io_;
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  SmtpLink link_{io_.get_executor()};
};

TEST_F(SmtpLinkTest, WritesAndReadsRepliesInWhateverPiecesTheyCome) {
  std::string heard;
  {
    const Relay relay([&](int fd) {
      say(fd, "220-relay\r\n22");
      say(fd, "0 ready\r\n250 early\r\n");
      heard = hear_line(fd);
    });
    connect(relay);
    EXPECT_EQ(run(link_.read(10s))->text(), "220 relay ready");
    EXPECT_EQ(run(link_.read(10s))->text(), "250 early");
    EXPECT_TRUE(run(link_.write("EHLO me\r\n", 10s)));
    link_.close();
  }
  EXPECT_EQ(heard, "EHLO me\r\n");
}

TEST_F(SmtpLinkTest, WritesMoreThanTheBuffersHold) {
  const std::string message(5'000'000, 'x');
  std::size_t heard = 0;
  {
    const Relay relay([&](int fd) { heard = hear_to_the_end(fd); });
    connect(relay);
    EXPECT_TRUE(run(link_.write(message, 10s)));
    link_.close();
  }
  EXPECT_EQ(heard, message.size());
}

TEST_F(SmtpLinkTest, TellsSilenceFromAnEndAndFromGarbage) {
  const Relay silent([](int fd) { hear_line(fd); });
  connect(silent);
  EXPECT_EQ(run(link_.read(50ms)).error().kind, Kind::timeout);
  link_.close();

  const Relay gone([](int) {});
  SmtpLink second(io_.get_executor());
  ASSERT_TRUE(run(second.connect(gone.endpoint(), 10s)));
  EXPECT_EQ(run(second.read(10s)).error().kind, Kind::closed);

  const Relay other([](int fd) { say(fd, "SSH-2.0-OpenSSH_9.2\r\n"); });
  SmtpLink third(io_.get_executor());
  ASSERT_TRUE(run(third.connect(other.endpoint(), 10s)));
  EXPECT_EQ(run(third.read(10s)).error().kind, Kind::garbage);
}

// One timer serves them all: one that was set for something over by now must not strike what came after, nor let it wait.
TEST_F(SmtpLinkTest, GivesEachStepItsOwnTime) {
  std::promise<void> late_enough;
  const Relay relay([&](int fd) {
    hear_line(fd);
    late_enough.get_future().wait();
    say(fd, "250 late\r\n");
    hear_line(fd);
  });
  connect(relay);
  EXPECT_TRUE(run(link_.write("NOOP\r\n", 200ms)));
  asio::steady_timer after_the_first(io_, 250ms);
  after_the_first.async_wait([&](const boost::system::error_code&) { late_enough.set_value(); });
  const auto late = run(link_.read(10s));
  ASSERT_TRUE(late) << late.error().text;
  EXPECT_EQ(late->text(), "250 late");
  EXPECT_EQ(run(link_.read(50ms)).error().kind, Kind::timeout);
  link_.close();
}

TEST_F(SmtpLinkTest, SaysThatNobodyListens) {
  tcp::endpoint nobody;
  {
    const Relay relay([](int) {});
    nobody = relay.endpoint();
  }
  const auto connected = run(link_.connect(nobody, 10s));
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().kind, Kind::network);
  EXPECT_EQ(connected.error().text, "connect: Connection refused");
}

// ---- TLS ----

// Says the go-ahead, perhaps with something behind it, does the server's side of the handshake, and repeats the name it was
// asked for.
std::function<void(int)> tls_relay(const TlsIdentity& identity, const std::string& slipped_in = "") {
  return [&identity, slipped_in](int fd) {
    say(fd, "220 go ahead\r\n" + slipped_in);
    const std::unique_ptr<SSL, decltype(&SSL_free)> tls(SSL_new(identity.server_context()), SSL_free);
    SSL_set_fd(tls.get(), fd);
    if (SSL_accept(tls.get()) != 1) return;
    const char* const name = SSL_get_servername(tls.get(), TLSEXT_NAMETYPE_host_name);
    const std::string reply = "250 in secret" + (name == nullptr ? "" : " at " + std::string(name)) + "\r\n";
    SSL_write(tls.get(), reply.data(), static_cast<int>(reply.size()));
    SSL_shutdown(tls.get());
  };
}

TEST_F(SmtpLinkTest, SpeaksTlsWithAHostItTrusts) {
  const TlsIdentity identity("relay.example.org");
  tls_.add_certificate_authority(asio::buffer(identity.certificate()));
  const Relay relay(tls_relay(identity));
  connect(relay);
  ASSERT_TRUE(run(link_.read(10s)));
  EXPECT_FALSE(link_.is_encrypted());
  const auto secured = run(link_.start_tls(tls_, "relay.example.org", true, 10s));
  ASSERT_TRUE(secured) << secured.error().text;
  EXPECT_TRUE(link_.is_encrypted());
  EXPECT_EQ(run(link_.read(10s))->text(), "250 in secret at relay.example.org");
}

TEST_F(SmtpLinkTest, SpeaksTlsWithAnAddressAndDoesNotAnnounceIt) {
  for (const std::string address : {"127.0.0.1", "::1"}) {
    const TlsIdentity identity(address);
    tls_.add_certificate_authority(asio::buffer(identity.certificate()));
    const Relay relay(tls_relay(identity));
    SmtpLink link(io_.get_executor());
    ASSERT_TRUE(run(link.connect(relay.endpoint(), 10s)));
    ASSERT_TRUE(run(link.read(10s)));
    const auto secured = run(link.start_tls(tls_, address, true, 10s));
    ASSERT_TRUE(secured) << address << ": " << secured.error().text;
    EXPECT_EQ(run(link.read(10s))->text(), "250 in secret") << address;
  }
}

TEST_F(SmtpLinkTest, RefusesACertificateThatIsNotTrustedOrOfAnotherHost) {
  const TlsIdentity identity("relay.example.org");
  {
    const Relay relay(tls_relay(identity));
    connect(relay);
    ASSERT_TRUE(run(link_.read(10s)));
    const auto secured = run(link_.start_tls(tls_, "relay.example.org", true, 10s));
    ASSERT_FALSE(secured);
    EXPECT_EQ(secured.error().kind, Kind::certificate) << secured.error().text;
    link_.close();
  }
  tls_.add_certificate_authority(asio::buffer(identity.certificate()));
  const Relay relay(tls_relay(identity));
  SmtpLink second(io_.get_executor());
  ASSERT_TRUE(run(second.connect(relay.endpoint(), 10s)));
  ASSERT_TRUE(run(second.read(10s)));
  const auto secured = run(second.start_tls(tls_, "another.example.org", true, 10s));
  ASSERT_FALSE(secured);
  EXPECT_EQ(secured.error().kind, Kind::certificate) << secured.error().text;
  second.close();
}

TEST_F(SmtpLinkTest, TakesAnyCertificateWhenItIsNotToBeChecked) {
  const TlsIdentity identity("relay.example.org");
  const Relay relay(tls_relay(identity));
  connect(relay);
  ASSERT_TRUE(run(link_.read(10s)));
  EXPECT_TRUE(run(link_.start_tls(tls_, "whatever.example.org", false, 10s)));
}

TEST_F(SmtpLinkTest, RefusesWhatWasSlippedInBeforeTheHandshake) {
  const TlsIdentity identity("relay.example.org");
  const Relay relay(tls_relay(identity, "250 injected\r\n"));
  connect(relay);
  ASSERT_TRUE(run(link_.read(10s)));
  const auto secured = run(link_.start_tls(tls_, "relay.example.org", false, 10s));
  ASSERT_FALSE(secured);
  EXPECT_EQ(secured.error().kind, Kind::garbage);
  link_.close();
}

TEST_F(SmtpLinkTest, SaysThatTheOtherSideDoesNotSpeakTls) {
  const Relay relay([](int fd) {
    say(fd, "220 go ahead\r\n");
    hear_line(fd);
    say(fd, "500 what?\r\n");
  });
  connect(relay);
  ASSERT_TRUE(run(link_.read(10s)));
  const auto secured = run(link_.start_tls(tls_, "relay.example.org", false, 10s));
  ASSERT_FALSE(secured);
  EXPECT_EQ(secured.error().kind, Kind::tls) << secured.error().text;
  link_.close();
}

}  // namespace
}  // namespace eilbote::test::smtp_link_test
