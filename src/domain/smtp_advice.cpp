#include "domain/smtp_advice.h"

#include <algorithm>
#include <array>

#include "domain/smtp_reply.h"

namespace eilbote {
namespace {

constexpr std::array kTable = std::to_array<SmtpAdvice>({
    {"SMTP_DNS", "The relay's name has no address, or the resolver does not answer.",
     "Is the host in EILBOTE_SMTP_URL spelt right? Does `getent hosts NAME` know it on this machine? Mails "
     "wait and go out "
     "by themselves when the name is back."},
    {"SMTP_CONNECT", "No connection to the relay's address and port.",
     "Refused: nothing listens there; is the port right (587 or 465, 25 inside a network)? Timed out: a "
     "firewall drops it; "
     "many networks block port 25."},
    {"SMTP_CONNECTION_LOST", "The connection ended, or went silent, before the mail was handed over.",
     "Nothing was sent, and it is tried again. Often: the relay restarts, limits connections, or a firewall "
     "cuts idle ones."},
    {"SMTP_PROTOCOL", "What answers there does not speak SMTP.",
     "Is it the right port? Port 465 wants smtps://, port 587 smtp://."},
    {"SMTP_TLS_NOT_OFFERED", "The relay offers no STARTTLS, and TLS is required.",
     "Use smtps:// for a relay with TLS from the first byte, or tls=opportunistic or tls=off for one inside "
     "your own network. "
     "When it offered TLS before, somebody may be in between."},
    {"SMTP_TLS", "The TLS handshake failed.",
     "The relay must speak TLS 1.2 or newer. On port 465 use smtps://, on 587 smtp://."},
    {"SMTP_CERTIFICATE", "The relay's certificate is not good for its name.",
     "Use the name the certificate is for in EILBOTE_SMTP_URL; trust a private authority with "
     "EILBOTE_SMTP_CA_FILE; an "
     "expired one must be renewed at the relay."},
    {"SMTP_SECRET", "The password or token cannot be read.",
     "EILBOTE_SMTP_PASSWORD_REF names something that is not there, empty or not readable, or its secret "
     "store is away; `eilbote secret check` says which."},
    {"SMTP_AUTH_NOT_OFFERED", "The relay offers no login that we can do.",
     "Without TLS many relays offer none: check tls. PLAIN, LOGIN and XOAUTH2 (auth=xoauth2) are known."},
    {"SMTP_AUTH_IN_CLEAR", "The password would go over the line in the clear.",
     "Use tls=required, or tls=off when the line is trusted."},
    {"SMTP_AUTH", "The relay ended the connection at the login, or wants more than a user and a password.",
     "Check user and password, and what the relay allows for this user."},
    {"SMTP_535", "User, password or token are wrong.",
     "Set the right secret; a new value is used within half a minute, the old one is offered again after "
     "five minutes. Mails "
     "wait meanwhile. Exchange Online: SMTP AUTH must be on for the mailbox, or use auth=xoauth2."},
    {"SMTP_534", "The relay wants a stronger login.",
     "Google and Microsoft accounts want an app password or auth=xoauth2."},
    {"SMTP_530", "The relay wants a login, or TLS, first.",
     "Name a user in EILBOTE_SMTP_URL, or use tls=required."},
    {"SMTP_ANSWER_LOST", "The mail was handed over, and the answer never came: the relay may have it or not.",
     "`onUncertain` of the mail decides: it is sent again after EILBOTE_UNCERTAIN_DELAY with the same "
     "Message-ID, or held. "
     "The relay's log knows; look for the Message-ID."},
    {"WORKER_LOST", "The process that had the mail ended, and nobody can say whether the relay took it.",
     "As for SMTP_ANSWER_LOST."},
    {"SMTP_421", "The relay is closing the connection: busy, or too much from us.",
     "It is tried again. When it stays: lower EILBOTE_SMTP_CONNECTIONS_MAX."},
    {"SMTP_452", "Out of space, too many recipients, or a full mailbox.",
     "It is tried again; a full mailbox after four hours."},
    {"SMTP_552", "The message or the mailbox is too big.",
     "For the message: the relay's limit is in its greeting (SIZE); send less."},
    {"SMTP_4xx", "The relay or the recipient's server cannot take it now.",
     "It is tried again by the retry rules; greylisting after five minutes at least."},
    {"SMTP_5xx", "Refused for good: the recipient, the sender or the content.",
     "The reply's words are with each recipient. 5.7.x is about us: relaying not allowed, sender not "
     "allowed, or our address "
     "is on a block list."},
});

}  // namespace

std::span<const SmtpAdvice> smtp_advice_table() {
  return kTable;
}

const SmtpAdvice* smtp_advice(std::string_view code) {
  const auto found = std::find_if(kTable.begin(), kTable.end(),
                                  [&](const SmtpAdvice& row) { return code_fits(row.code, code); });
  return found == kTable.end() ? nullptr : &*found;
}

}  // namespace eilbote
