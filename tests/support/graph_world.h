// A Graph channel between a scripted door and a draft book in memory, and mails to send through it.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>

#include "channel/graph_channel.h"
#include "domain/mime.h"
#include "support/memory_draft_book.h"
#include "support/scripted_door.h"

namespace eilbote::test {

struct GraphWorld {
  static constexpr const char* kMailbox = "billing@contoso.example";

  std::shared_ptr<ScriptedDoor> door = std::make_shared<ScriptedDoor>();
  MemoryDraftBook book;
  SystemClock clock;
  GraphOptions options;
  std::unique_ptr<MailChannel> channel;
  std::function<bool()> still_mine = [] { return true; };

  void open() { channel = make_graph_channel(options, door, book, clock); }

  static Mail mail() {
    Mail mail;
    mail.from = {kMailbox, "Billing"};
    mail.to = {{"ann@example.org", "Ann"}};
    mail.bcc = {{"bob@example.org", ""}};
    mail.subject = "Invoice";
    mail.text = "Hello";
    return mail;
  }

  // `attempts`: on record before this one.
  MailDelivery delivery(int id, int attempts = 0, const Mail& mail = GraphWorld::mail()) const {
    MailDelivery delivery;
    delivery.job.id = JobId{id};
    delivery.job.attempts = attempts;
    delivery.token = LeaseToken{7};
    delivery.still_mine = still_mine;
    MailContent& content = delivery.content;
    content.id = delivery.job.id;
    content.sender = mail.from.address;
    for (const Mailbox& box : mail.to)
      content.recipients.push_back({RecipientKind::to, box.address});
    for (const Mailbox& box : mail.bcc)
      content.recipients.push_back({RecipientKind::bcc, box.address});
    content.mime = write_mime(mail, {content.id, TimePoint{std::chrono::hours{490'000}}, "contoso.example"});
    return delivery;
  }

  std::future<DeliveryResult> begin(MailDelivery delivery) {
    if (!channel) open();
    auto promise = std::make_shared<std::promise<DeliveryResult>>();
    channel->deliver(std::move(delivery),
                     [promise](DeliveryResult result) { promise->set_value(std::move(result)); });
    return promise->get_future();
  }
  static DeliveryResult result_of(std::future<DeliveryResult> future) {
    if (future.wait_for(std::chrono::seconds{20}) != std::future_status::ready)
      throw std::runtime_error("the mail was not answered");
    return future.get();
  }
  DeliveryResult deliver(MailDelivery delivery) { return result_of(begin(std::move(delivery))); }

  // "transient GRAPH_ANSWER_LOST 30s", "delivered D1"
  static std::string said(const DeliveryResult& result) {
    std::string text(kVerdictNames.text(result.verdict));
    if (!result.code.empty()) text += " " + result.code;
    if (!result.provider_message_id.empty()) text += " " + result.provider_message_id;
    if (result.retry_after)
      text +=
          " " + std::to_string(std::chrono::ceil<std::chrono::seconds>(*result.retry_after).count()) + "s";
    return text;
  }
  std::string said_of(MailDelivery mail) { return said(deliver(std::move(mail))); }
};

// "create, send": what was asked of Graph.
inline std::string in_one_line(const std::vector<std::string>& names) {
  std::string line;
  for (const std::string& name : names)
    line += (line.empty() ? "" : ", ") + name;
  return line;
}

}  // namespace eilbote::test
