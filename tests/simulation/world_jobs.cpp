// The part of the world that clients, operators and the other side play.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "simulation/world.h"

namespace eilbote::sim {
namespace {

constexpr std::array kPolicies{RetryStrategy::immediate, RetryStrategy::fixed, RetryStrategy::exponential,
                               RetryStrategy::schedule};
constexpr std::array<std::string_view, 3> kHosts{"a.example:443", "b.example:443", "a.example:443"};

void put_in_pool(NewJob& job, std::uint32_t choice) {
  const bool is_mail = job.channel == ChannelKind::mail;
  job.pool = choice == 0 ? "narrow" : choice == 1 ? "slow" : is_mail ? "mail" : "webhook";
}

// Half of the jobs are in a group; mails only in one that goes on after an error.
void put_in_group(NewJob& job, std::uint32_t choice) {
  if (choice % 2 == 0) return;
  job.group = "g" + std::to_string(choice / 2 % 2);
  const bool blocks = job.channel == ChannelKind::webhook && choice / 2 % 2 == 1;
  job.group_mode = blocks ? GroupMode::BLOCK_ON_ERROR : GroupMode::NEXT_ON_ERROR;
  job.sequence = choice / 4 % 4 == 0 ? 10 : 99;
}

std::string_view text(JobStatus status) {
  return kJobStatusNames.text(status);
}

}  // namespace

World::Request World::draw_request(const Step& step) {
  Request request;
  NewJob& job = request.job;
  job.id = JobId{++last_id_};
  job.channel = step.b % 8 < 5 ? ChannelKind::mail : ChannelKind::webhook;
  job.client = ClientName{step.b / 8 % 4 == 0 ? "b" : "a"};
  put_in_pool(job, step.b / 32 % 6);
  put_in_group(job, step.b / 192 % 32);
  if (step.c % 6 == 0) job.scheduled_for = store_.now() + std::chrono::seconds{5 + step.c / 6 % 300};
  if (step.c % 7 == 0) job.expires_at = store_.now() + std::chrono::seconds{30 + step.c / 7 % 1000};
  job.attempts_max = 1 + static_cast<int>(step.c / 16 % 4);
  request.policy.strategy = kPolicies[step.c / 64 % kPolicies.size()];
  request.policy.base = std::chrono::seconds{2};
  request.policy.max = std::chrono::seconds{60};
  if (step.c / 256 % 3 == 0) job.idempotency_key = "key " + std::to_string(job.id.value());
  job.fingerprint[0] = static_cast<std::uint8_t>(job.id.value());
  if (job.channel == ChannelKind::webhook) {
    job.route = kHosts[step.c / 1024 % kHosts.size()];
    return request;
  }
  const std::size_t recipients = 1 + step.c / 1024 % 2;
  for (std::size_t i = 0; i < recipients; ++i)
    job.mail.recipients.push_back({RecipientKind::to, "r", RecipientStatus::waiting, ""});
  if (step.c / 2048 % 4 == 0) job.mail.on_uncertain = OnUncertain::hold;
  return request;
}

void World::submit(const Step& step) {
  Node* node = node_of(step.a);
  if (node == nullptr) return;
  Request request = draw_request(step);
  if (!request.job.idempotency_key.empty()) requests_.push_back(request);
  const NewJob& job = request.job;
  tell("a client hands job {} to instance {}: a {} in the pool {}{}{}", job.id.value(), node->number(),
       kChannelNames.text(job.channel), job.pool,
       job.group.empty() ? ""
                         : fmt::format(", group {} ({})", job.group, kGroupModeNames.text(job.group_mode)),
       job.idempotency_key.empty() ? "" : ", with a key");
  hand_in(*node, std::move(request));
}

void World::resend(const Step& step) {
  Node* node = node_of(step.a);
  if (node == nullptr || requests_.empty()) return;
  Request again = requests_[step.b % requests_.size()];
  again.job.id = JobId{++last_id_};
  if (step.c % 4 == 0) again.job.fingerprint[1] = 1;  // another request under the same key
  tell("a client asks instance {} again under '{}'{}, now as job {}", node->number(),
       again.job.idempotency_key, step.c % 4 == 0 ? " for something else" : "", last_id_);
  hand_in(*node, std::move(again));
}

void World::hand_in(Node& node, Request request) {
  store_.expect(request.job.id, request.policy);
  const std::string key = request.job.idempotency_key;
  node.accept(std::move(request.job), [this, key](const IntakeAnswer& answer) {
    if (answer.kind == IntakeAnswer::Kind::accepted) store_.rules().accepted(answer.id, key);
    if (answer.kind == IntakeAnswer::Kind::replayed) store_.rules().replayed(answer.id, key);
  });
}

// ---- the other side ----

void World::hand_over(const Step& step) {
  std::vector<Flying> all = flying();
  std::erase_if(all, [](const Flying& one) { return one.node->air().flights()[one.n].left; });
  if (all.empty()) return;
  const Flying one = all[step.a % all.size()];
  Flight& flight = one.node->air().flights()[one.n];
  tell("job {} leaves instance {} for the other side", flight.job.id.value(), one.node->number());
  one.node->air().hand_over(flight);
}

DeliveryResult World::draw_answer(const Flight& flight, const Step& step) const {
  DeliveryResult result;
  result.attempt_status = AttemptStatus::SERVER_ERROR;
  result.code = result.text = "SIMULATED";
  const bool is_mail = flight.job.channel == ChannelKind::mail;
  constexpr std::array kVerdicts{
      Verdict::delivered, Verdict::delivered, Verdict::delivered,   Verdict::delivered,    Verdict::deferred,
      Verdict::transient, Verdict::transient, Verdict::transient,   Verdict::permanent,    Verdict::uncertain,
      Verdict::delivered, Verdict::transient, Verdict::route_fault, Verdict::configuration};
  result.verdict = kVerdicts[step.b % (is_mail ? kVerdicts.size() : 9)];
  if (step.b / 16 % 4 == 0 && result.verdict != Verdict::delivered)
    result.retry_after = std::chrono::seconds{1 + step.b / 64 % 30};
  if (!is_mail)
    result.response_code = result.verdict == Verdict::delivered   ? 200
                           : result.verdict == Verdict::permanent ? 400
                           : result.verdict == Verdict::deferred  ? 429
                                                                  : 503;
  if (result.verdict != Verdict::delivered) return result;
  result.attempt_status = AttemptStatus::SUCCESS;
  for (std::size_t i = 0; i < flight.recipients.size(); ++i) {
    if (flight.recipients[i].status != RecipientStatus::waiting) continue;
    RecipientStatus status = RecipientStatus::taken;
    if (step.c % 5 == 0)
      status = (step.c / 5 + i) % 2 == 0 ? RecipientStatus::waiting : RecipientStatus::refused;
    if (step.c % 5 == 1 && i > 0) status = RecipientStatus::waiting;
    result.recipients.push_back({static_cast<int>(i), status, "said"});
  }
  return result;
}

void World::answer(const Step& step) {
  const std::vector<Flying> all = flying();
  if (all.empty()) return;
  const Flying one = all[step.a % all.size()];
  Air& air = one.node->air();
  const DeliveryResult result = draw_answer(air.flights()[one.n], step);
  const auto id = air.flights()[one.n].job.id.value();
  const bool leaves = result.verdict == Verdict::delivered || result.verdict == Verdict::uncertain;
  if (leaves && !air.hand_over(air.flights()[one.n]))
    return tell("job {} does not leave instance {}: its lease is over", id, one.node->number());
  tell("job {} on instance {} is answered: {}", id, one.node->number(), kVerdictNames.text(result.verdict));
  air.answer(one.n, result);
}

// ---- people ----

void World::act(const Step& step) {
  if (store_.rows().empty()) return;
  const Row& row = store_.rows()[step.a % store_.rows().size()];
  constexpr std::array kActs{Act::cancel, Act::cancel, Act::retry, Act::skip, Act::abandon};
  ActRequest request;
  request.act = kActs[step.b % kActs.size()];
  request.channel = row.job.channel;
  const JobId id = row.job.id;
  const JobStatus before = row.job.status;
  const ActOutcome outcome = store_.act(id, request);
  tell("somebody wants to {} job {}, which is {}: {}", kActNames.text(request.act), id.value(), text(before),
       outcome.kind == ActKind::done ? "done" : "refused");
  if (outcome.kind == ActKind::done && request.act == Act::cancel && request.channel == ChannelKind::mail)
    store_.rules().cancelled(id);
  Node* node = node_of(step.c);
  if (outcome.kind == ActKind::done && node != nullptr) node->wake();
}

void World::order(const Step& step) {
  Node* node = node_of(step.a);
  if (node == nullptr) return;
  DispatchOrder order;
  order.batch_size = 1 + static_cast<int>(step.b % 3);
  order.wait = std::chrono::seconds{5};
  if (step.c % 3 == 0 && last_id_ > 0) order.only = JobId{1 + step.c / 3 % last_id_};
  tell("somebody orders {} from instance {}",
       order.only ? fmt::format("job {}", order.only->value()) : fmt::format("{} mails", order.batch_size),
       node->number());
  this->order(*node, order);
}

void World::order(Node& node, DispatchOrder order) {
  const int number = ++last_order_;
  orders_.push_back({number, node.number()});
  node.order(order, [this, number](const Result<DispatchReport>&) {
    if (std::erase_if(orders_, [&](const OpenOrder& one) { return one.number == number; }) != 1)
      store_.rules().broken(rule::answered, fmt::format("order {} was answered twice", number));
  });
}

}  // namespace eilbote::sim
