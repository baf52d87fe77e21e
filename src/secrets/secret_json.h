// JSON as secret stores answer it: read without exceptions, members by their way down. Used by the stores.
#pragma once

#include <boost/json/value.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "secrets/secret_store.h"

namespace eilbote {

// Null for a text that is no JSON.
boost::json::value parse_json(std::string_view text);

// The member at the end of this way of names; null when there is none.
const boost::json::value* member_at(const boost::json::value& value,
                                    std::initializer_list<std::string_view> way);
// The same, as a text; empty when it is none.
std::string text_at(const boost::json::value& value, std::initializer_list<std::string_view> way);
std::optional<std::int64_t> number_at(const boost::json::value& value,
                                      std::initializer_list<std::string_view> way);

// The secret under `key` in this object: a text, or a number or truth value as one would write it.
FromStore<Secret> secret_in(const boost::json::value& object, std::string_view key);
// `text` itself when no key is asked for, else the member of the JSON object it is.
FromStore<Secret> secret_in_text(std::string text, std::string_view key);

// What another program says about an error, fit for one line of a log.
std::string one_line(std::string_view text);

}  // namespace eilbote
