// The texts inside a bounce, read without a library: fields in groups as RFC 3464 has them, what their values mean, and
// Message-IDs. Used by dsn.cpp and dsn_parts.cpp only. Whatever the bytes: nothing throws, and every text that comes out is
// UTF-8 without control characters and within a limit.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/delivery_report.h"

namespace eilbote::bounce {

struct Field {
  std::string name;   // in lower case
  std::string value;  // unfolded; as the bytes are, but for what is beyond the limit of a field
};
using Fields = std::vector<Field>;

// The groups of fields in a text, parted by empty lines. What is no field is passed over, and so are groups without one.
std::vector<Fields> read_groups(std::string_view text, std::size_t groups_max);

// Of the first field of that name (in lower case); empty: there is none.
std::string_view value_of(const Fields& fields, std::string_view name);

// "<left@right>", the first or the last in the value of a header; empty: there is none.
std::string first_message_id(std::string_view value);
std::string last_message_id(std::string_view value);

// What Original-Recipient and Final-Recipient say: "rfc822;ada@example.org", "utf-8;\x{E4}da@example.org"; empty: nobody.
std::string recipient_address(std::string_view value);

// Of the five actions of RFC 3464; nothing for any other word.
std::optional<ReportAction> recipient_action(std::string_view value);

struct DeliveryStatus {
  std::vector<RecipientReport> recipients;
  std::string original_message_id;  // X-Original-Message-ID, which Exchange writes; empty: not said
};

// Adds what a message/delivery-status part says. A recipient without an address or a known action is left out.
void read_delivery_status(std::string_view text, DeliveryStatus& into);

// Whether a part that is labelled otherwise can only be a delivery status: it begins with the fields about the message,
// among them the one that no report may lack.
bool is_delivery_status(std::string_view text);

// Of a message/disposition-notification part: false when the mail was thrown away unread.
bool says_displayed(const std::vector<Fields>& notification);

// The header of the original where a bounce has it in its words for people; nothing where no group of lines is a header.
std::optional<Fields> quoted_header(std::string_view text);

}  // namespace eilbote::bounce
