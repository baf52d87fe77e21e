// Builds webhook jobs for store tests: new_webhook(id).to("https://a.example/hook").in_group("orders").with(...)
#pragma once

#include <functional>
#include <string>

#include "ports/outbox.h"

namespace eilbote::test {

class WebhookBuilder {
 public:
  explicit WebhookBuilder(JobId id) {
    job_.id = id;
    job_.channel = ChannelKind::webhook;
    job_.client = ClientName{"shop"};
    job_.pool = "webhook";
    job_.route = "a.example";
    job_.attempts_max = 3;
    job_.trace_id = "0123456789abcdef0123456789abcdef";
    job_.trace_span = "00f067aa0ba902b7-01";
    job_.webhook.source = "shop-api";
    job_.webhook.code = "orders:created";
    job_.webhook.target_url = "https://a.example/hook";
    job_.webhook.payload = R"({"order":1})";
  }

  WebhookBuilder& from_client(const std::string& name) {
    job_.client = ClientName{name};
    return *this;
  }
  WebhookBuilder& to_host(const std::string& host) {
    job_.route = host;
    job_.webhook.target_url = "https://" + host + "/hook";
    return *this;
  }
  WebhookBuilder& in_group(const std::string& group, GroupMode mode = GroupMode::BLOCK_ON_ERROR) {
    job_.group = job_.webhook.message_group = group;
    job_.group_mode = job_.webhook.mode = mode;
    return *this;
  }
  WebhookBuilder& scheduled_for(TimePoint at) {
    job_.scheduled_for = job_.webhook.scheduled_for = at;
    return *this;
  }
  WebhookBuilder& expiring_at(TimePoint at) {
    job_.expires_at = job_.webhook.expires_at = at;
    return *this;
  }
  WebhookBuilder& with(const std::function<void(Webhook&)>& change) {
    change(job_.webhook);
    return *this;
  }
  operator NewJob() const { return job_; }

 private:
  NewJob job_;
};

}  // namespace eilbote::test
