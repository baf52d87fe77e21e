// The fuzz targets: each takes any bytes, hands them to one part of Eilbote that reads or writes what strangers sent,
// and says what is wrong with the result; empty when all is well. libFuzzer calls them through entry.cpp (./dev fuzz),
// the unit tests over the seeds and cheap mutations of them.
#pragma once

#include <string>
#include <string_view>

namespace eilbote::fuzz {

// The bytes are what a server sends: replies, one after the other. Each is judged in every stage and situation.
std::string smtp_reply_fuzz(std::string_view bytes);

// The bytes are one e-mail address.
std::string address_fuzz(std::string_view bytes);

// The bytes are a mail, in records (see mime_writer_fuzz.cpp).
std::string mime_writer_fuzz(std::string_view bytes);

// The bytes are a webhook's target URL, and a Retry-After of its answer.
std::string webhook_url_fuzz(std::string_view bytes);

// The bytes are a token, the claims of one, and an issuer's keys.
std::string token_fuzz(std::string_view bytes);

// The bytes are a message in a mailbox, perhaps a bounce.
std::string dsn_fuzz(std::string_view bytes);

// The bytes are a message out of a broker's queue.
std::string carried_job_fuzz(std::string_view bytes);

// The bytes are JSON: a schema and a value, in an array.
std::string json_schema_fuzz(std::string_view bytes);

}  // namespace eilbote::fuzz
