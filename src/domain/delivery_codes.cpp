#include "domain/delivery_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "domain/smtp_reply.h"

namespace eilbote {
namespace {

constexpr std::array kTable = std::to_array<DeliveryAdvice>({
    {CodeGroup::smtp, code::smtp_dns, "The relay's name has no address, or the resolver does not answer.",
     "Is the host in EILBOTE_SMTP_URL spelt right? Does `getent hosts NAME` know it on this machine? Mails "
     "wait and go out "
     "by themselves when the name is back."},
    {CodeGroup::smtp, code::smtp_connect, "No connection to the relay's address and port.",
     "Refused: nothing listens there; is the port right (587 or 465, 25 inside a network)? Timed out: a "
     "firewall drops it; "
     "many networks block port 25."},
    {CodeGroup::smtp, code::smtp_connection_lost,
     "The connection ended, or went silent, before the mail was handed over.",
     "Nothing was sent, and it is tried again. Often: the relay restarts, limits connections, or a firewall "
     "cuts idle ones."},
    {CodeGroup::smtp, code::smtp_protocol, "What answers there does not speak SMTP.",
     "Is it the right port? Port 465 wants smtps://, port 587 smtp://."},
    {CodeGroup::smtp, code::smtp_tls_not_offered, "The relay offers no STARTTLS, and TLS is required.",
     "Use smtps:// for a relay with TLS from the first byte, or tls=opportunistic or tls=off for one inside "
     "your own network. "
     "When it offered TLS before, somebody may be in between."},
    {CodeGroup::smtp, code::smtp_tls, "The TLS handshake failed.",
     "The relay must speak TLS 1.2 or newer. On port 465 use smtps://, on 587 smtp://."},
    {CodeGroup::smtp, code::smtp_certificate, "The relay's certificate is not good for its name.",
     "Use the name the certificate is for in EILBOTE_SMTP_URL; trust a private authority with "
     "EILBOTE_SMTP_CA_FILE; an "
     "expired one must be renewed at the relay."},
    {CodeGroup::smtp, code::smtp_secret, "The password or token cannot be read.",
     "EILBOTE_SMTP_PASSWORD_REF names something that is not there, empty or not readable, or its secret "
     "store is away; `eilbote secret check` says which."},
    {CodeGroup::smtp, code::smtp_auth_not_offered, "The relay offers no login that we can do.",
     "Without TLS many relays offer none: check tls. PLAIN, LOGIN and XOAUTH2 (auth=xoauth2) are known."},
    {CodeGroup::smtp, code::smtp_auth_in_clear, "The password would go over the line in the clear.",
     "Use tls=required, or tls=off when the line is trusted."},
    {CodeGroup::smtp, code::smtp_auth,
     "The relay ended the connection at the login, or wants more than a user and a password.",
     "Check user and password, and what the relay allows for this user."},
    {CodeGroup::smtp, "SMTP_535", "User, password or token are wrong.",
     "Set the right secret; a new value is used within half a minute, the old one is offered again after "
     "five minutes. Mails "
     "wait meanwhile. Exchange Online: SMTP AUTH must be on for the mailbox, or use auth=xoauth2."},
    {CodeGroup::smtp, "SMTP_534", "The relay wants a stronger login.",
     "Google and Microsoft accounts want an app password or auth=xoauth2."},
    {CodeGroup::smtp, "SMTP_530", "The relay wants a login, or TLS, first.",
     "Name a user in EILBOTE_SMTP_URL, or use tls=required."},
    {CodeGroup::smtp, code::smtp_answer_lost,
     "The mail was handed over, and the answer never came: the relay may have it or not.",
     "`onUncertain` of the mail decides: it is sent again after EILBOTE_UNCERTAIN_DELAY with the same "
     "Message-ID, or held. "
     "The relay's log knows; look for the Message-ID."},
    {CodeGroup::smtp, code::worker_lost,
     "The process that had the mail ended, and nobody can say whether the relay took it.",
     "As for SMTP_ANSWER_LOST."},
    {CodeGroup::smtp, "SMTP_421", "The relay is closing the connection: busy, or too much from us.",
     "It is tried again. When it stays: lower EILBOTE_SMTP_CONNECTIONS_MAX."},
    {CodeGroup::smtp, "SMTP_452", "Out of space, too many recipients, or a full mailbox.",
     "It is tried again; a full mailbox after four hours."},
    {CodeGroup::smtp, "SMTP_552", "The message or the mailbox is too big.",
     "For the message: the relay's limit is in its greeting (SIZE); send less."},
    {CodeGroup::smtp, "SMTP_4xx", "The relay or the recipient's server cannot take it now.",
     "It is tried again by the retry rules; greylisting after five minutes at least."},
    {CodeGroup::smtp, "SMTP_5xx", "Refused for good: the recipient, the sender or the content.",
     "The reply's words are with each recipient. 5.7.x is about us: relaying not allowed, sender not "
     "allowed, or our address "
     "is on a block list."},
    {CodeGroup::graph, code::graph_unreachable,
     "No connection to Microsoft Graph, or to where its tokens come from.",
     "Nothing was sent, and mails wait until it is back. Are EILBOTE_GRAPH_BASE_URL and "
     "EILBOTE_GRAPH_TOKEN_URL right, and "
     "may this machine reach them (443)?"},
    {CodeGroup::graph, code::graph_tls, "No trusted TLS connection to Microsoft Graph.",
     "Nothing was sent. A proxy that opens TLS needs its authority in EILBOTE_GRAPH_CA_FILE."},
    {CodeGroup::graph, code::graph_token, "No token could be had for Microsoft Graph.",
     "The text says why. invalid_client: the secret or certificate is wrong or over "
     "(EILBOTE_GRAPH_CLIENT_SECRET_REF); "
     "unauthorized_client: wrong client or tenant. Mails wait, and go out when it is mended."},
    {CodeGroup::graph, code::graph_auth, "Microsoft Graph refused a token that was just made.",
     "Is the token for this cloud (EILBOTE_GRAPH_BASE_URL, EILBOTE_GRAPH_TOKEN_URL and the scope belong "
     "together)? Mails wait."},
    {CodeGroup::graph, code::graph_access_denied, "The application may not use this mailbox.",
     "Grant Mail.ReadWrite and Mail.Send, and have the mailbox in the scope of its RBAC role assignment; a "
     "grant takes up to "
     "an hour or two to be seen. Mails of this mailbox wait."},
    {CodeGroup::graph, code::graph_sender_denied,
     "The mailbox may not send in the name of this From address.",
     "Send with the mailbox's own address, or give it Send As for the other one; then retry the mail."},
    {CodeGroup::graph, code::graph_sender_not_allowed, "EILBOTE_GRAPH_SENDERS does not name this sender.",
     "Use a sender that it names, or add this one; then retry the mail."},
    {CodeGroup::graph, code::graph_mailbox_unknown,
     "There is no such sender mailbox in the tenant, or it is not in Exchange Online.",
     "Is the sender spelt right, licensed, and not on premises? Then retry the mail."},
    {CodeGroup::graph, code::graph_mailbox_full, "The sender's mailbox is full.",
     "It is tried again after an hour. Make room there; sent mails are kept in its Sent Items."},
    {CodeGroup::graph, code::graph_mailbox_rate, "The mailbox has sent as many mails as it may in a minute.",
     "Nothing: it goes out when its turn comes; no attempt is used up. For more, spread mails over several "
     "sender mailboxes."},
    {CodeGroup::graph, code::graph_throttled, "Microsoft Graph asked for time.",
     "It goes out after the time Graph named; no attempt is used up. When it stays: fewer mails per "
     "mailbox."},
    {CodeGroup::graph, code::graph_too_large,
     "The mail or an attachment is larger than Microsoft Graph takes.",
     "An attachment may have 150 MB, a mail what the tenant allows (35 MB unless changed). Send less, or a "
     "link."},
    {CodeGroup::graph, code::graph_bad_request, "Microsoft Graph does not take the mail as it is.",
     "Graph's own code and words are in the text: often a recipient or a header. Mend that and send a new "
     "one."},
    {CodeGroup::graph, code::graph_locked,
     "The mailbox or the draft is locked, or was just changed by somebody else.", "It is tried again."},
    {CodeGroup::graph, code::graph_server_error, "Something is wrong at Microsoft Graph.",
     "Nothing was sent, and it is tried again. Its service health page knows more."},
    {CodeGroup::graph, code::graph_answer_lost,
     "The mail was handed to Microsoft Graph, and the answer never came: it may be on its way.",
     "Nothing: its draft is looked at before anything is sent again. It stands in the mailbox's Drafts or "
     "Sent Items."},
    {CodeGroup::graph, code::graph_draft_gone,
     "The mail was handed to Microsoft Graph without an answer, and is in neither Drafts nor Sent Items.",
     "`onUncertain` of the mail decides: it is sent again later, or held. Does somebody, or a rule, empty "
     "that mailbox?"},
    {CodeGroup::graph, code::graph_draft_book,
     "The database could not say, or keep, which draft is the mail's.",
     "Nothing was sent; it goes on when the database answers. No attempt is used up."},
    {CodeGroup::webhook, code::dns_failed, "The endpoint's name has no address.",
     "It is tried again. Is the host in `targetUrl` spelt right, and known to this machine (`getent hosts "
     "NAME`)?"},
    {CodeGroup::webhook, code::connect_failed, "No connection to the endpoint's address and port.",
     "It is tried again. Refused: nothing listens there. Timed out: a firewall drops it."},
    {CodeGroup::webhook, code::tls_failed,
     "No trusted TLS connection: the certificate is not good for the name, or there is no TLS 1.2.",
     "It is tried again. The certificate must be renewed, or be for the name in `targetUrl`, at the "
     "endpoint."},
    {CodeGroup::webhook, code::timeout, "No complete answer in the job's `timeoutSeconds`.",
     "It is tried again, and the endpoint may have acted already: it should know a job by its id. Answer "
     "first and work later, or raise "
     "`timeoutSeconds`."},
    {CodeGroup::webhook, code::connection_lost, "The connection ended before the answer did.",
     "It is tried again, and the endpoint may have acted already. Often: the endpoint restarts, or a proxy "
     "in between gives up."},
    {CodeGroup::webhook, code::bad_response,
     "What answers there does not speak HTTP, or says more than it may.",
     "It is tried again. Is the port right, and http or https?"},
    {CodeGroup::webhook, code::target_refused,
     "The outbound guard does not let this endpoint be called: its address is not on the open internet.",
     "Name the range or the host in EILBOTE_OUTBOUND_ALLOW if it is meant, then retry the job."},
    {CodeGroup::webhook, code::busy, "Too many requests are under way here.",
     "It goes out in a few seconds; no attempt is used up. When it stays: lower the pools' concurrency."},
    {CodeGroup::webhook, code::not_acknowledged,
     "The endpoint took the request and asked to be called again later (`ack: false`).",
     "It is called again when it asked for; no attempt is used up."},
    {CodeGroup::webhook, code::endpoint_gone, "The endpoint said 410: it will not come back.",
     "Make new jobs with the right `targetUrl`."},
    {CodeGroup::webhook, "HTTP_401", "The endpoint does not know the credentials.",
     "Is the service account's token or signing secret the one the endpoint has? Set it right, then retry "
     "the job."},
    {CodeGroup::webhook, "HTTP_403", "The endpoint knows the credentials, or none, and does not allow this.",
     "As for HTTP_401; or the endpoint must allow it."},
    {CodeGroup::webhook, "HTTP_408", "The endpoint waited too long for the request.", "It is tried again."},
    {CodeGroup::webhook, "HTTP_425", "The endpoint will not risk a request that came too early.",
     "It is tried again."},
    {CodeGroup::webhook, "HTTP_429", "The endpoint gets too much from us.",
     "It is sent again when `Retry-After` says, else after 30 seconds; no attempt is used up. When it stays: "
     "lower the pool's rate."},
    {CodeGroup::webhook, "HTTP_4xx", "The endpoint refuses the request for good.",
     "Its answer is with the attempt. Mend what it says, then retry the job or make a new one."},
    {CodeGroup::webhook, "HTTP_501", "The endpoint cannot do what is asked, and never will.",
     "As for HTTP_4xx."},
    {CodeGroup::webhook, "HTTP_503", "The endpoint is away or overloaded.",
     "It is tried again; when it said `Retry-After`, then, and no attempt is used up."},
    {CodeGroup::webhook, "HTTP_5xx", "Something is wrong at the endpoint.",
     "It is tried again. Its answer is with the attempt; its log knows more."},
    {CodeGroup::webhook, "HTTP_xxx", "An answer that is neither success nor error, a redirect for example.",
     "It is tried again. Redirects are not followed: put the right address into `targetUrl`."},
    {CodeGroup::webhook, code::bad_target_url, "`targetUrl` cannot be called.",
     "Make a new job with an http or https URL."},
    {CodeGroup::webhook, code::bad_credentials,
     "The service account's token holds a character that no header may hold, a line break for example.",
     "Set the account's token right, then retry the job."},
    {CodeGroup::webhook, code::account_refused,
     "The service account cannot be used: it is not there, not active, not for this client, or its secret is "
     "no good.",
     "The text says which. Mend the account, then retry the job."},
    {CodeGroup::webhook, code::secret_unavailable, "The account's secret cannot be read at the moment.",
     "It goes out when the secret store answers; no attempt is used up. `eilbote secret check` says what is "
     "wrong."},
    {CodeGroup::webhook, code::credentials_renewed,
     "The endpoint refused credentials that have been changed meanwhile.",
     "Nothing: it goes out again a second later with the new ones; no attempt is used up."},
    {CodeGroup::engine, code::suppressed,
     "Every recipient that was left is on the client's suppression list: it bounced before, or a person put "
     "it "
     "there. Nothing was sent.",
     "When the address is good again: `eilbote suppressions remove ADDRESS`, then retry the mail."},
    {CodeGroup::engine, code::bounced,
     "The mail was handed over, and came back: a server further on could not deliver it to a recipient.",
     "The reply with each recipient says why. Addresses that bounced for good are on the suppression list "
     "(`eilbote suppressions`)."},
    {CodeGroup::engine, code::content_gone,
     "What was to be delivered is not in the database any more, or the data key does not open it.",
     "With an older key in EILBOTE_DATA_KEY_PREVIOUS_REF it opens again: retry the job. If its row is gone, "
     "hand it in "
     "again."},
    {CodeGroup::engine, code::unstorable_answer,
     "The database would not take what the other side said; the outcome itself is on record.",
     "A bug in Eilbote: the log names the job. Please report it."},
    {CodeGroup::engine, code::capture_write_failed, "The capture route could not write the mail's file.",
     "It is tried again. Is there room in EILBOTE_CAPTURE_DIR, and may this process write there?"},
    {CodeGroup::engine, code::capture_deferred,
     "The capture route was asked to put the mail off (EILBOTE_CAPTURE_FAULTS).",
     "Nothing: a test asked for it."},
    {CodeGroup::engine, code::capture_route_down,
     "The capture route was asked to be unreachable (EILBOTE_CAPTURE_FAULTS).",
     "Nothing: a test asked for it."},
    {CodeGroup::engine, code::capture_answer_lost,
     "The capture route was asked to lose the answer (EILBOTE_CAPTURE_FAULTS).",
     "Nothing: a test asked for it."},
    {CodeGroup::reason, code::smtp_mailbox_unknown, "The recipient's server knows no such mailbox.",
     "Is the address spelt right? Ask the person for the one in use, and take this one off your lists.",
     Verdict::permanent},
    {CodeGroup::reason, code::smtp_mailbox_disabled,
     "The mailbox exists and takes no mail: it was closed, suspended or never used.",
     "Reach the person another way; the owner's administrator can open it again.", Verdict::permanent},
    {CodeGroup::reason, code::smtp_mailbox_full, "The recipient's mailbox is full.",
     "It works again when its owner makes room. A mail that waits is tried again after four hours.",
     Verdict::transient},
    {CodeGroup::reason, code::smtp_bad_address, "The recipient's server does not take the address as one.",
     "Look for a typing error: a dot too many, a blank, a missing part.", Verdict::permanent},
    {CodeGroup::reason, code::smtp_domain_unknown,
     "The recipient's domain does not exist, or has no server for mail.",
     "Is the part after the @ spelt right? `dig MX DOMAIN` says whether it takes mail.", Verdict::permanent},
    {CodeGroup::reason, code::smtp_relay_denied, "The server does not pass mail on to this domain for us.",
     "Use the relay that is meant for us, with a login (EILBOTE_SMTP_URL); or its administrator must allow "
     "this machine.",
     Verdict::permanent},
    {CodeGroup::reason, code::smtp_sender_refused, "The server does not take mail from this sender.",
     "Send from an address the login may use, of a domain that exists and can be written back to.",
     Verdict::permanent},
    {CodeGroup::reason, code::smtp_authentication_policy,
     "The mail does not prove where it comes from: SPF, DKIM, DMARC or the reverse name of the sending "
     "address is missing or wrong.",
     "Put the relay into the sender domain's SPF record, have it sign with DKIM, and align both with the "
     "From address; then retry the mail.",
     Verdict::permanent},
    {CodeGroup::reason, code::smtp_blocked, "The address the mail came from is on a block list.",
     "The reply names the list: find the cause, then ask to be removed. Another relay helps until then.",
     Verdict::permanent},
    {CodeGroup::reason, code::smtp_content_refused,
     "The content is taken for spam or harmful, or is not well-formed to the server.",
     "Look at links, attachments and wording; a mail as short as possible shows whether it is the content.",
     Verdict::permanent},
    {CodeGroup::reason, code::smtp_message_too_large, "The mail is larger than the server takes.",
     "Send a smaller one, or a link instead of the attachment.", Verdict::permanent},
    {CodeGroup::reason, code::smtp_policy, "A rule of the recipient's server forbids it.",
     "The reply's words say which. Often only the recipient's administrator can change it.",
     Verdict::permanent},
    {CodeGroup::reason, code::smtp_expired,
     "A server further on could not reach the recipient's one, or was told \"later\", until its time was "
     "over.",
     "Nothing is wrong with the address as far as is known: retry the mail later.", Verdict::transient},
    {CodeGroup::reason, code::smtp_greylisted, "The server asks everybody it does not know to come again.",
     "Nothing: a mail that waits is tried again after five minutes or more.", Verdict::transient},
    {CodeGroup::reason, code::smtp_throttled, "The server gets too much from us at the moment.",
     "A mail that waits is tried again. When it stays: fewer at a time (EILBOTE_SMTP_MAILS_PER_SECOND_MAX, "
     "EILBOTE_SMTP_CONNECTIONS_MAX).",
     Verdict::transient},
    {CodeGroup::reason, code::smtp_server_busy, "The server is out of room or overloaded.",
     "A mail that waits is tried again.", Verdict::transient},
    {CodeGroup::reason, code::smtp_later, "The server cannot take it now.",
     "A mail that waits is tried again; the reply's words may say more.", Verdict::transient},
    {CodeGroup::reason, code::smtp_refused, "Refused for good, without a reason that has a code.",
     "The reply's words are all that is known.", Verdict::permanent},
});

}  // namespace

std::string smtp_code(int reply) {
  return fmt::format("SMTP_{:03}", reply);
}

std::string http_code(int status) {
  return fmt::format("HTTP_{}", status);
}

std::span<const DeliveryAdvice> delivery_advice_table() {
  return kTable;
}

const DeliveryAdvice* delivery_advice(std::string_view code) {
  const auto found = std::find_if(kTable.begin(), kTable.end(),
                                  [&](const DeliveryAdvice& row) { return code_fits(row.code, code); });
  return found == kTable.end() ? nullptr : &*found;
}

}  // namespace eilbote
