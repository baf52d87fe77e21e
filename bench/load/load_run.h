// One run of the load generator: POSTs mails over keep-alive connections from one thread (epoll).
//
// Closed loop (rate 0): every connection sends its next request when the last one is answered; this finds the
// highest throughput. Open loop: request k is due at start + k / rate whatever the server does, and its
// latency counts from that moment, so that a stall of the server is seen by every request that fell into it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "load/samples.h"

namespace eilbote::load {

struct LoadOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::string path = "/messages";
  int connections = 64;
  double rate = 0;             // requests per second; 0: closed loop
  double seconds = 10;         // how long requests are sent
  std::uint64_t requests = 0;  // or how many; 0: by time
  std::size_t text_bytes = 1024;
  std::string body;  // sent instead of mails, the same each time but for kDuePlace (request_text.h)
  std::vector<std::string> tokens;  // sent in turn as Authorization: Bearer; none: no header
  std::string capture_folder;       // empty: captures are not awaited
  std::string accepted_file;        // gets the messageId of every mail that was accepted, a line each
  double patience = 30;             // seconds for answers and captures after the last request
};

struct LoadResult {
  std::uint64_t sent = 0;
  std::uint64_t accepted = 0;                   // answered with 2xx
  std::map<std::string, std::uint64_t> errors;  // by status, or "closed", "unanswered", "not captured"
  double seconds = 0;                           // from the first request to the last answer
  Samples latency;                              // of accepted requests
  std::unique_ptr<Samples> captured;            // POST to file; null when not asked for
};

// Throws std::system_error when the server or the capture folder cannot be reached.
LoadResult run_load(const LoadOptions& options);

}  // namespace eilbote::load
