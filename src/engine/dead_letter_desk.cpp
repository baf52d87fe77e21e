#include "engine/dead_letter_desk.h"

#include <algorithm>

#include "base/log.h"
#include "domain/tsid.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

constexpr const char* kChore = "dead letters";
constexpr int kLettersMax = 200;
constexpr Duration kLookEvery = std::chrono::seconds{5};
// Longer than a broker takes to confirm: nobody else begins while it does.
constexpr Duration kTurn = std::chrono::seconds{30};

CarrierQueue queue_of(const DeadLetter& letter) {
  return letter.channel == ChannelKind::mail ? CarrierQueue::mail_dead : CarrierQueue::webhook_dead;
}

Parcel parcel_of(const DeadLetter& letter) {
  return {queue_of(letter), to_text(letter.id) + "-dead-" + std::to_string(letter.attempt), "",
          dead_letter_text(letter)};
}

}  // namespace

DeadLetterDesk::DeadLetterDesk(PublishBook& book, OutboxCare& care, Transport& transport,
                               const Instance& instance, Metrics& metrics, Answered answered)
    : book_(book),
      care_(care),
      transport_(transport),
      instance_(instance),
      metrics_(metrics),
      answered_(std::move(answered)) {}

void DeadLetterDesk::look(Steady now) {
  if (is_waiting() || now < next_look_) return;
  if (!note_told(now)) return;
  next_look_ = now + kLookEvery;
  if (!transport_.state().connected || !instance_.trusted()) return;
  const auto turn = care_.take_turn(kChore, instance_.epoch(), kTurn);
  if (!turn) return trouble(turn.error(), now);
  if (!*turn) return;
  auto letters = book_.untold_dead(kLettersMax);
  if (!letters) return trouble(letters.error(), now);
  at_broker_ = std::move(*letters);
  if (at_broker_.empty())
    pause_ = Duration{0};
  else
    publish();
}

void DeadLetterDesk::publish() {
  std::vector<Parcel> parcels;
  parcels.reserve(at_broker_.size());
  for (const DeadLetter& letter : at_broker_)
    parcels.push_back(parcel_of(letter));
  transport_.publish(std::move(parcels), answered_);
}

void DeadLetterDesk::carried(const std::vector<Carriage>& answers, Steady now) {
  const std::vector<DeadLetter> letters = std::exchange(at_broker_, {});
  std::size_t failed = 0;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (i >= answers.size() || answers[i] != Carriage::confirmed) {
      ++failed;
      continue;
    }
    const DeadLetter& letter = letters[i];
    metrics_.add(Metric::dead_letters, 1, {std::string(kCarrierQueueNames.text(queue_of(letter)))});
    log::info("the queue of dead letters was told of a dead job",
              {{id_field(letter.channel), to_text(letter.id)},
               {"AttemptCount", letter.attempt},
               {"deadReason", kDeadReasonNames.text(letter.reason)}});
    confirmed_.push_back(letter);
  }
  if (!note_told(now)) return;
  if (failed == 0) {
    pause_ = Duration{0};
    next_look_ = now;  // there may be more
    return;
  }
  back_off(now);
  log::warning("the broker did not confirm letters about dead jobs; they are told again later",
               {{"count", failed}});
}

// False: the database is in trouble, and they are kept for the next time.
bool DeadLetterDesk::note_told(Steady now) {
  if (confirmed_.empty()) return true;
  if (const auto told = book_.told_dead(confirmed_); !told) {
    trouble(told.error(), now);
    return false;
  }
  confirmed_.clear();
  return true;
}

void DeadLetterDesk::back_off(Steady now) {
  pause_ = std::clamp<Duration>(pause_ * 2, std::chrono::seconds{1}, std::chrono::seconds{60});
  next_look_ = now + pause_;
}

void DeadLetterDesk::trouble(const Error& error, Steady now) {
  back_off(now);
  log::warning("the database is in trouble: letters about dead jobs wait, trying again",
               {{"error", error.message}});
}

}  // namespace eilbote
