// Questions to Graph whose answers are waited for: the Graph watch has a thread of its own and time to wait, unlike the channel.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "channel/graph_door.h"

namespace eilbote {

// All at once, as far as the door lets them; the answers in the order of the calls. Comes back at once when `stop` is asked for:
// what has no answer by then says ExchangeFault::not_sent, though its request may be under way.
std::vector<GraphAnswer> ask_all(GraphDoor& door, std::vector<GraphCall> calls, const std::stop_token& stop);
GraphAnswer ask(GraphDoor& door, GraphCall call, const std::stop_token& stop);

// "/users/a%40example.org"
std::string user_path(const std::string& mailbox);

// "429 TooManyRequests", "timeout": for the log, so without Graph's sentences, which may hold addresses.
std::string in_short(const GraphAnswer& answer);

}  // namespace eilbote
