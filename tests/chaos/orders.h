// What a client of the chaos run hands in: drawn from a seed, as a request. Pure.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "support/http_client.h"

namespace eilbote::chaos {

struct Order {
  std::string
      name;  // the client's own; what a receiver does is told by headers (hook_receiver.h, mail_receiver.h)
  std::string path, body, id_member;
  test::HttpHeaders headers{};
  int created = 0;  // the answer to the first one
  std::int64_t cancel_after =
      0;  // milliseconds after the acknowledgement at which it is cancelled; 0: it is not
  bool is_mail() const { return path == "/messages"; }
};

// The pool that has limits, and these.
inline constexpr const char* kNarrowPool = "narrow";
inline constexpr int kNarrowRate = 600, kNarrowBurst = 10, kNarrowConcurrency = 4;
std::string narrow_pool_json();

// One client's orders, one after the other. Places in its groups count up as it goes.
class Orders {
 public:
  Orders(std::uint64_t seed, int client, std::string hook_url);
  // `now`: milliseconds since 1970, for jobs that are not due at once.
  Order next(std::int64_t now);

 private:
  int draw(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
  Order mail(std::int64_t now);
  Order webhook(std::int64_t now);

  std::mt19937_64 random_;
  const int client_;
  const std::string hook_url_;
  int made_ = 0;
  int places_[3] = {0, 0, 0};  // of its groups: blocking, going on, mails
};

}  // namespace eilbote::chaos
