#include "api/publishing.h"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>

namespace eilbote {

bool travels(const ApiContext& context, const std::string& pool) {
  if (!context.settings.broker) return false;
  const auto found = context.pools.find(pool);
  return !found || !found->limited;
}

bool publishes_at_once(const ApiContext& context, const NewJob& job) {
  if (context.publisher == nullptr || job.scheduled_for) return false;
  // Whether it has its group's turn is decided at the commit; most of a busy group's jobs have not.
  if (!job.group.empty() && job.group_mode != GroupMode::IMMEDIATE) return false;
  const auto pool = context.pools.find(job.pool);
  if (!pool || pool->limited || pool->status != PoolStatus::ACTIVE) return false;
  return context.settings.broker && context.settings.broker().connected;
}

std::string without_status(boost::json::object job) {
  const auto* const status = job.find("status");
  if (status != job.end()) job.stable_erase(status);
  std::string text = boost::json::serialize(job);
  text.pop_back();  // its '}' comes behind the status
  return text;
}

void answer_when_published(const ApiContext& context, JobId id, std::string text_without_status,
                           std::function<void(std::string text)> answer) {
  context.publisher->when_published(
      id, kPublishPatience,
      [text = std::move(text_without_status), answer = std::move(answer)](bool published) {
        answer(
            fmt::format(R"({},"status":"{}"}})", text,
                        kWebhookStateNames.text(published ? WebhookState::QUEUED : WebhookState::PENDING)));
      });
}

}  // namespace eilbote
