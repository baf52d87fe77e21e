#include "engine/orphan_desk.h"

#include "base/log.h"
#include "domain/suppressed.h"
#include "engine/outcome_report.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

constexpr int kRowsMax = 500;
// A process holds no more than its pools' concurrency; this is far above.
constexpr int kOwnRowsMax = 1'000'000;
constexpr std::size_t kStep = 8;  // with their content in memory

// An attempt that began had somebody to send to. Where the suppression list leaves nobody now, it is younger than the
// attempt, and says nothing about it.
void forget_younger_list(MailContent& mail) {
  if (!nobody_left(mail.recipients, suppressed_results(mail.recipients, mail.suppressed_now))) return;
  for (const int index : mail.suppressed_now) {
    Recipient& recipient = mail.recipients[static_cast<std::size_t>(index)];
    recipient.status = RecipientStatus::waiting;
    recipient.reply.clear();
  }
  mail.suppressed_now.clear();
}

}  // namespace

Result<void> OrphanDesk::settle_own(const std::string& instance, const WhatBecame& what_became) {
  const auto orphans = care_.orphans(instance, kOwnRowsMax);
  if (!orphans) return fail(orphans.error());
  const auto settled = settle(*orphans, what_became);
  if (!settled) return fail(settled.error());
  RescueParams rest;
  rest.of_instance = instance;
  int back = 0;
  for (bool more = true; more;) {
    const auto swept = care_.rescue(rest);
    if (!swept) return fail(swept.error());
    back += swept->changed;
    more = swept->more;
  }
  if (!orphans->empty())
    log::info("settled what this instance's former life held",
              {{"count", orphans->size()}, {"known", settled->changed}, {"backToTheQueue", back}});
  metrics_.add(Metric::lease_losses, static_cast<double>(orphans->size()));
  return {};
}

Result<SweepResult> OrphanDesk::settle_dead(const WhatBecame& what_became) {
  const auto orphans = care_.orphans("", kRowsMax);
  if (!orphans) return fail(orphans.error());
  auto settled = settle(*orphans, what_became);
  if (settled) settled->more = orphans->size() == kRowsMax;
  return settled;
}

Result<SweepResult> OrphanDesk::settle(const std::vector<ClaimedJob>& orphans,
                                       const WhatBecame& what_became) {
  SweepResult result;
  for (std::size_t from = 0; from < orphans.size(); from += kStep) {
    const auto part = std::span(orphans).subspan(from, std::min(kStep, orphans.size() - from));
    std::vector<JobId> ids;
    for (const ClaimedJob& one : part)
      ids.push_back(one.job.id);
    auto loaded = outbox_.load_contents(ids, {});
    if (!loaded) return fail(loaded.error());
    std::vector<MailContent>& contents = loaded->mails;
    std::vector<FinishedPtr> finished;
    auto content = contents.begin();
    for (const ClaimedJob& orphan : part) {
      // Without those whose content is gone; the rescue sees to them.
      if (content == contents.end() || content->id != orphan.job.id) continue;
      MailContent& mail = *content++;
      forget_younger_list(mail);
      const auto delivery = what_became(orphan, mail);
      if (!delivery) continue;
      Started started = make_started(orphan, mail, rules_, route_, clock_);
      started.at = orphan.job.last_attempt_at.value_or(started.at);
      started.trace = trace_attempt(orphan, mail.trace_id, mail.trace_span, rules_.tracer);
      // Left out of the lost attempt, too, by all we know.
      const auto suppressed = suppressed_results(mail.recipients, mail.suppressed_now);
      finished.push_back(make_finished(started, with_suppressed(*delivery, suppressed), clock_, random_));
      report_attempt(*finished.back(), metrics_);
      record_attempt(started, *finished.back(), rules_);
    }
    if (finished.empty()) continue;
    const auto exchanged = desk_.exchange({}, finished);
    if (!exchanged) return fail(exchanged.error());
    for (std::size_t i = 0; i < finished.size(); ++i) {
      if (exchanged->settled[i] != SettleOutcome::settled) continue;
      report_settled(*finished[i], metrics_);
      ++result.changed;
      if (finished[i]->after.status == JobStatus::failed) ++result.failed;
    }
    result.lanes.insert(result.lanes.end(), exchanged->woken.begin(), exchanged->woken.end());
  }
  return result;
}

}  // namespace eilbote
