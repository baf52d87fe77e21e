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

// The bytes are the body of POST /messages, or the array of a batch.
std::string mail_json_fuzz(std::string_view bytes);

// The bytes are the body of POST /dispatch/jobs, or the array of a batch.
std::string webhook_json_fuzz(std::string_view bytes);

// The bytes are the body of POST /webhooks/provider.
std::string provider_event_fuzz(std::string_view bytes);

// The bytes are a request target, the query of a list, a value of one of its parameters, and a traceparent.
std::string query_fuzz(std::string_view bytes);

// The bytes are what a client sends over a connection: a request.
std::string http_request_fuzz(std::string_view bytes);

// The bytes are what an endpoint sends over a connection: an answer.
std::string http_answer_fuzz(std::string_view bytes);

// The bytes are an answer's body of Microsoft Graph, or what it posts.
std::string graph_answer_fuzz(std::string_view bytes);

// The bytes are an answer's body of SQS.
std::string sqs_answer_fuzz(std::string_view bytes);

// The bytes are an answer's body of a secret store.
std::string secret_answer_fuzz(std::string_view bytes);

// The bytes are the configuration file.
std::string config_fuzz(std::string_view bytes);

// The bytes are a file for `eilbote import`.
std::string import_fuzz(std::string_view bytes);

}  // namespace eilbote::fuzz
