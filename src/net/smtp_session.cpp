#include "net/smtp_session.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/hide.h"
#include "domain/delivery_codes.h"
#include "domain/smtp_judge.h"

namespace eilbote {
namespace {

namespace asio = boost::asio;
using Fault = SmtpRouteFault;
template <class T>
using Step = asio::awaitable<tl::expected<T, Fault>>;

constexpr std::size_t kLastPieceBytes = 64 * 1024;
constexpr std::string_view kAuthLogin = "AUTH LOGIN";  // user and password follow
constexpr Duration kLastWords = std::chrono::seconds{5};

AttemptStatus status_of(const LinkFault& fault) {
  return fault.kind == LinkFault::Kind::timeout ? AttemptStatus::TIMEOUT : AttemptStatus::CONNECTION_ERROR;
}

Fault fault_of(const LinkFault& link, SmtpStage stage) {
  Fault fault;
  fault.status = status_of(link);
  fault.text = fmt::format("{}: {}", kSmtpStageNames.text(stage), link.text);
  fault.code = code::smtp_connection_lost;
  switch (link.kind) {
    case LinkFault::Kind::garbage:
      fault.code = code::smtp_protocol;
      break;
    case LinkFault::Kind::certificate:
      fault.verdict = Verdict::configuration;
      fault.code = code::smtp_certificate;
      break;
    case LinkFault::Kind::tls:
      fault.code = code::smtp_tls;
      fault.is_network = true;
      break;
    default:
      fault.is_network = true;
  }
  // A server that hangs up on a login has refused it.
  if (stage == SmtpStage::auth &&
      (link.kind == LinkFault::Kind::closed || link.kind == LinkFault::Kind::network)) {
    fault.verdict = Verdict::configuration;
    fault.code = code::smtp_auth;
    fault.is_network = false;
    fault.is_login = true;
  }
  return fault;
}

Fault fault_of(const SmtpReply& reply, SmtpStage stage, Verdict verdict) {
  Fault fault;
  fault.verdict = verdict;
  fault.status =
      verdict == Verdict::configuration ? AttemptStatus::CLIENT_ERROR : AttemptStatus::SERVER_ERROR;
  fault.code = smtp_code(reply.code);
  fault.text = fmt::format("{}: {}", kSmtpStageNames.text(stage), reply.text());
  fault.reply = reply;
  fault.is_login = stage == SmtpStage::auth && verdict == Verdict::configuration;
  return fault;
}

// Some relays repeat what they do not understand. Their words are kept and shown to people; a password is not.
Fault without_login(Fault fault, const std::vector<std::string>& told, const std::string& secret) {
  std::vector<std::string_view> hidden;
  for (const std::string_view line : told)
    if (line != kAuthLogin) hidden.push_back(line.substr(line.rfind(' ') + 1));
  hidden.push_back(secret);  // last: a short one may be a part of a line, which would not be found any more
  for (const std::string_view one : hidden) {
    hide(fault.text, one);
    for (std::string& said : fault.reply.lines)
      hide(said, one);
  }
  return fault;
}

Fault misconfigured(std::string code, std::string text) {
  Fault fault;
  fault.verdict = Verdict::configuration;
  fault.status = AttemptStatus::CLIENT_ERROR;
  fault.code = std::move(code);
  fault.text = std::move(text);
  return fault;
}

}  // namespace

// The way from a TCP connection to a session.
class SmtpSession::Opening {
 public:
  Opening(SmtpLink& link, const SmtpRelay& relay, asio::ssl::context& tls)
      : link_(link), relay_(relay), tls_(tls) {}

  Step<SmtpCapabilities> run() {
    if (relay_.tls == SmtpTls::implicit)
      if (auto secured = co_await secure(); !secured) co_return tl::unexpected(secured.error());
    auto banner = co_await read(SmtpStage::banner, relay_.timeouts.banner);
    if (!banner) co_return tl::unexpected(banner.error());
    if (auto greeted = co_await greet(); !greeted) co_return tl::unexpected(greeted.error());
    if (auto secured = co_await upgrade(); !secured) co_return tl::unexpected(secured.error());
    if (relay_.login)
      if (auto known = co_await log_in(*relay_.login); !known) co_return tl::unexpected(known.error());
    co_return can_;
  }

 private:
  bool must_encrypt() const { return relay_.tls == SmtpTls::required || relay_.tls == SmtpTls::implicit; }

  Step<SmtpReply> read(SmtpStage stage, Duration timeout) {
    auto reply = co_await link_.read(timeout);
    if (!reply) co_return tl::unexpected(fault_of(reply.error(), stage));
    const SmtpJudgement judgement =
        judge(stage, *reply, {.needs_extensions = must_encrypt() || relay_.login});
    if (judgement.action == SmtpAction::fail)
      co_return tl::unexpected(fault_of(*reply, stage, judgement.verdict));
    use_helo_ = judgement.action == SmtpAction::use_helo;
    co_return std::move(*reply);
  }
  Step<SmtpReply> ask(std::string command, SmtpStage stage) {
    auto sent = co_await link_.write(command + "\r\n", relay_.timeouts.command);
    if (!sent) co_return tl::unexpected(fault_of(sent.error(), stage));
    co_return co_await read(stage, relay_.timeouts.command);
  }

  Step<void> greet() {
    auto reply = co_await ask("EHLO " + relay_.ehlo_name, SmtpStage::ehlo);
    if (!reply) co_return tl::unexpected(reply.error());
    can_ = {};
    if (!use_helo_) {
      can_ = read_capabilities(*reply);
    } else if (auto old = co_await ask("HELO " + relay_.ehlo_name, SmtpStage::helo); !old) {
      co_return tl::unexpected(old.error());
    }
    co_return tl::expected<void, Fault>{};
  }

  Step<void> upgrade() {
    if (link_.is_encrypted() || relay_.tls == SmtpTls::off) co_return tl::expected<void, Fault>{};
    if (!can_.starttls) {
      if (relay_.tls == SmtpTls::opportunistic) co_return tl::expected<void, Fault>{};
      co_return tl::unexpected(
          misconfigured(code::smtp_tls_not_offered, "the relay does not offer STARTTLS, which is required"));
    }
    auto reply = co_await ask("STARTTLS", SmtpStage::starttls);
    if (!reply) {
      reply.error().is_tls = true;
      co_return tl::unexpected(reply.error());
    }
    if (auto secured = co_await secure(); !secured) co_return tl::unexpected(secured.error());
    // What was said in the clear does not count.
    co_return co_await greet();
  }

  Step<void> secure() {
    auto done = co_await link_.start_tls(tls_, relay_.host, must_encrypt(), relay_.timeouts.command);
    if (done) co_return tl::expected<void, Fault>{};
    Fault fault = fault_of(done.error(), SmtpStage::starttls);
    fault.is_tls = true;
    co_return tl::unexpected(std::move(fault));
  }

  Step<void> log_in(const SmtpLogin& login) {
    if (relay_.tls == SmtpTls::opportunistic && !link_.is_encrypted())
      co_return tl::unexpected(misconfigured(
          code::smtp_auth_in_clear, "the relay offers no TLS, and the password is not sent in the clear"));
    const auto offers = [&](const char* mechanism) { return can_.auth_mechanisms.contains(mechanism); };
    const std::string& secret = login.secret.reveal();
    std::vector<std::string> lines;
    if (login.is_token && offers("XOAUTH2"))
      lines = {"AUTH XOAUTH2 " + base64_encode("user=" + login.user +
                                               "\x01"
                                               "auth=Bearer " +
                                               secret + "\x01\x01"),
               ""};
    else if (!login.is_token && offers("PLAIN"))
      lines = {"AUTH PLAIN " +
               base64_encode(std::string(1, '\0') + login.user + std::string(1, '\0') + secret)};
    else if (!login.is_token && offers("LOGIN"))
      lines = {std::string(kAuthLogin), base64_encode(login.user), base64_encode(secret)};
    else
      co_return tl::unexpected(misconfigured(code::smtp_auth_not_offered,
                                             login.is_token
                                                 ? "the relay does not offer AUTH XOAUTH2"
                                                 : "the relay offers neither AUTH PLAIN nor AUTH LOGIN"));
    for (const std::string& line : lines) {
      auto reply = co_await ask(line, SmtpStage::auth);
      if (!reply) co_return tl::unexpected(without_login(std::move(reply.error()), lines, secret));
      if (reply->code == 235) co_return tl::expected<void, Fault>{};
    }
    co_return tl::unexpected(
        misconfigured(code::smtp_auth, "the relay asks for more than a user and a password"));
  }

  SmtpLink& link_;
  const SmtpRelay& relay_;
  asio::ssl::context& tls_;
  SmtpCapabilities can_;
  bool use_helo_ = false;
};

asio::awaitable<SmtpSession::Opened> SmtpSession::open(asio::any_io_executor executor,
                                                       asio::ip::tcp::endpoint to, const SmtpRelay& relay,
                                                       asio::ssl::context& tls) {
  SmtpLink link(std::move(executor));
  auto connected = co_await link.connect(to, relay.timeouts.connect);
  if (!connected) {
    Fault fault = fault_of(connected.error(), SmtpStage::banner);
    fault.code = code::smtp_connect;
    fault.text = connected.error().text;
    co_return tl::unexpected(std::move(fault));
  }
  Opening opening(link, relay, tls);
  auto can = co_await opening.run();
  if (!can) co_return tl::unexpected(can.error());
  co_return SmtpSession(std::move(link), std::move(*can), relay.timeouts);
}

asio::awaitable<DeliveryResult> SmtpSession::send(SmtpEnvelope envelope, std::string_view body,
                                                  const SmtpHandOver& hand_over) {
  SmtpTransaction mail(std::move(envelope), can_);
  while (mail.step() != SmtpTransaction::Step::done) {
    switch (mail.step()) {
      case SmtpTransaction::Step::send: {
        const std::string commands = mail.take_commands();
        if (auto sent = co_await link_.write(commands, timeouts_.command); !sent)
          mail.on_lost(sent.error().text, status_of(sent.error()));
        break;
      }
      case SmtpTransaction::Step::lone_dot:
        if (auto sent = co_await link_.write(".\r\n", timeouts_.command); !sent)
          mail.on_lost(sent.error().text, status_of(sent.error()));
        else
          mail.dot_written();
        break;
      case SmtpTransaction::Step::body:
        if (!co_await send_body(mail, body, hand_over)) {
          usable_ = false;
          link_.close();
          co_return DeliveryResult{};
        }
        break;
      case SmtpTransaction::Step::read:
        co_await read_reply(mail, hand_over);
        break;
      case SmtpTransaction::Step::done:
        break;
    }
  }
  usable_ = mail.is_reusable();
  if (!usable_) link_.close();
  co_return mail.result();
}

// The question whether the mail is still ours comes as late as possible: before the piece that ends in the dot.
// False: it is not.
asio::awaitable<bool> SmtpSession::send_body(SmtpTransaction& mail, std::string_view body,
                                             const SmtpHandOver& hand_over) {
  const std::size_t first_bytes = body.size() > kLastPieceBytes ? body.size() - kLastPieceBytes : 0;
  auto sent = co_await link_.write(body.substr(0, first_bytes), timeouts_.body);
  if (sent) {
    if (!hand_over.before_dot(mail.accepted())) co_return false;
    sent = co_await link_.write(body.substr(first_bytes), timeouts_.body);
  }
  if (sent) {
    mail.dot_written();
    co_return true;
  }
  // A server that hangs up in the middle has often said why.
  const LinkFault fault = sent.error();
  auto last_words = co_await link_.read(kLastWords);
  if (last_words && last_words->code >= 500 && last_words->code < 600)
    mail.on_refused_midway(*last_words);
  else
    mail.on_lost(fault.text, status_of(fault));
  co_return true;
}

asio::awaitable<void> SmtpSession::read_reply(SmtpTransaction& mail, const SmtpHandOver& hand_over) {
  const SmtpStage stage = mail.awaited();
  const bool of_message = stage == SmtpStage::dot && mail.has_handed_over();
  const Duration timeout = stage == SmtpStage::dot    ? timeouts_.dot
                           : stage == SmtpStage::data ? timeouts_.data
                                                      : timeouts_.command;
  auto reply = co_await link_.read(timeout);
  if (!reply) {
    mail.on_lost(reply.error().text, status_of(reply.error()));
    co_return;
  }
  if (of_message) hand_over.after_dot(reply->code);
  mail.on_reply(*reply);
}

asio::awaitable<bool> SmtpSession::reset() {
  if (!usable_) co_return false;
  auto sent = co_await link_.write("RSET\r\n", timeouts_.command);
  if (sent) {
    auto reply = co_await link_.read(timeouts_.command);
    if (reply && judge(SmtpStage::rset, *reply, {}).action == SmtpAction::go_on) co_return true;
  }
  usable_ = false;
  link_.close();
  co_return false;
}

asio::awaitable<void> SmtpSession::quit() {
  if (usable_) co_await link_.write("QUIT\r\n", kLastWords);
  usable_ = false;
  link_.close();
}

}  // namespace eilbote
