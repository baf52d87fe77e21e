// JSON that a program wrote (a row of ours, another server's answer): read without exceptions, its members by name. What is
// missing, or of another kind, reads as nothing. What people write is read by strict_json.h, which says what is wrong.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace eilbote {

// Null for a text that is no JSON. `storage`: where the value lies; of itself on the heap.
boost::json::value parse_json(std::string_view text, boost::json::storage_ptr storage = {});

// The value itself as a text; empty when it is none.
std::string as_text(const boost::json::value& value);

// The member at the end of this way of names; null when there is none.
const boost::json::value* member_at(const boost::json::value& value,
                                    std::initializer_list<std::string_view> way);
std::string text_at(const boost::json::value& value, std::initializer_list<std::string_view> way);
std::optional<std::int64_t> number_at(const boost::json::value& value,
                                      std::initializer_list<std::string_view> way);

// The member of an object that is known to be one.
std::string text_in(const boost::json::object& object, std::string_view name);
std::optional<std::int64_t> number_in(const boost::json::object& object, std::string_view name);

}  // namespace eilbote
