// Answers of the mail API as people read them.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace eilbote::cli {

std::string message_text(const boost::json::value& message);     // status
std::string messages_table(const boost::json::array& messages);  // list
std::string attempts_table(const boost::json::array& attempts);
std::string events_table(const boost::json::array& events);

}  // namespace eilbote::cli
