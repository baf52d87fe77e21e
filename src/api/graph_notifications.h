// What Microsoft Graph posts to /webhooks/graph: the handshake of a subscription, notices of messages that came in, and what it
// asks for about subscriptions. Called by api/webhooks_graph.cpp. Reads tolerantly: members that are not known are ignored, and
// an item that makes no sense costs only itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "api/api.h"
#include "api/problem.h"
#include "ports/mailbox_watch.h"

namespace eilbote {

// What the handlers answer, or the problem.
using NotificationAnswer = tl::expected<HttpResponse, Problem>;

// To a query with a validation token: the token and nothing else, decoded as a form is (a plus sign is a space). As text, so that
// no browser that is led here takes it for a page. Nothing when the query has none.
std::optional<NotificationAnswer> answer_handshake(std::string_view query);

struct GraphNotification {
  std::string subscription_id;
  std::string client_state;
  std::string message_id;                     // of a message that came in
  std::optional<GraphLifecycle> lifecycle{};  // instead: what is asked for about the subscription
};
struct GraphNotifications {
  std::vector<GraphNotification> items;
  std::size_t unreadable = 0;
};
tl::expected<GraphNotifications, Problem> read_graph_notifications(std::string_view body);

// Whatever is credible goes on record before this answers; the rest is dropped, counted and logged, and whoever sent it does not
// learn which. After a problem the same notifications may come again, and do no harm. Blocks.
NotificationAnswer take_graph_notifications(std::string_view body, std::string_view trace_id,
                                            MailboxWatch& mailboxes, Metrics& metrics,
                                            const ApiSettings& settings);

}  // namespace eilbote
