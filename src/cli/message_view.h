// Answers of the mail API as people read them.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace eilbote::cli {

// A member as text, whatever its type; empty when it is absent or null. `path` may go down:
// "details.retryCount".
std::string member_text(const boost::json::value& value, std::string_view path);

// The list an answer carries: its `data`, or the answer itself when it is an array.
const boost::json::array& items_of(const boost::json::value& answer);

std::string message_text(const boost::json::value& message);     // status
std::string messages_table(const boost::json::array& messages);  // list
std::string attempts_table(const boost::json::array& attempts);
std::string events_table(const boost::json::array& events);

}  // namespace eilbote::cli
