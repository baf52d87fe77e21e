#include "transport/sqs_depths.h"

namespace eilbote {

bool SqsDepths::may_ask(const Depth& depth) const {
  return !depth.asked_at || loop_.now() - *depth.asked_at >= timing_.depth_every;
}

void SqsDepths::published(CarrierQueue queue, std::int64_t messages) {
  {
    const MutexLock lock(mutex_);
    depths_[queue].published += messages;
  }
  refresh(queue);
}

void SqsDepths::refresh(CarrierQueue queue) {
  const std::string* address = queues_.address(queue);
  std::int64_t published_before = 0;
  {
    const MutexLock lock(mutex_);
    Depth& depth = depths_[queue];
    depth.is_wanted = false;
    if (address == nullptr || !may_ask(depth)) return;
    depth.asked_at = loop_.now();
    published_before = depth.published;
  }
  door_.call(
      {SqsAction::get_queue_attributes, sqs_depth_body(*address), timing_.request},
      [this, queue, published_before](const SqsAnswer& answer) { heard(queue, answer, published_before); });
}

void SqsDepths::heard(CarrierQueue queue, const SqsAnswer& answer, std::int64_t published_before) {
  if (answer.error) return queues_.judge(queue, answer.error);
  const auto waiting = sqs_depth(answer.body);
  const MutexLock lock(mutex_);
  Depth& depth = depths_[queue];
  if (!waiting || published_before < depth.published_before) return;
  depth.heard = waiting;
  depth.published_before = published_before;
}

std::optional<std::int64_t> SqsDepths::waiting(CarrierQueue queue) {
  std::optional<std::int64_t> known;
  bool asks = false;
  {
    const MutexLock lock(mutex_);
    Depth& depth = depths_[queue];
    if (depth.heard) known = *depth.heard + depth.published - depth.published_before;
    asks = !depth.is_wanted && may_ask(depth);
    if (asks) depth.is_wanted = true;
  }
  // A queue that is full is not published to: then only who waits for it to get shorter has it asked for.
  if (asks) loop_.post([this, queue] { refresh(queue); });
  return known;
}

}  // namespace eilbote
