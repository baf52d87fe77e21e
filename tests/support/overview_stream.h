// A client of GET /overview/stream: reads event by event, as a browser would.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>

#include "support/raw_http_client.h"

namespace eilbote::test {

class OverviewStream {
 public:
  explicit OverviewStream(const std::string& server_url, const std::string& token = "")
      : client_(static_cast<std::uint16_t>(std::stoi(server_url.substr(server_url.rfind(':') + 1)))) {
    client_.send("GET /overview/stream HTTP/1.1\r\nHost: localhost\r\n" +
                 (token.empty() ? "" : "Authorization: Bearer " + token + "\r\n") + "\r\n");
    header_ = client_.read_until("\r\n\r\n");
  }

  const std::string& header() const { return header_; }
  // The next event; nothing at the end.
  std::optional<boost::json::value> next() {
    std::string event;
    do {
      event = client_.read_until("\n\n");
      if (!event.ends_with("\n\n")) {
        end_ = event;
        return std::nullopt;
      }
    } while (event.find("event: overview\ndata: ") == std::string::npos);
    return boost::json::parse(event.substr(event.find("data: ") + 6));
  }
  // Whether the server said that this is all, and did not just go away.
  bool has_ended_well() const { return end_.ends_with("0\r\n\r\n"); }

 private:
  RawHttpClient client_;
  std::string header_, end_;
};

}  // namespace eilbote::test
