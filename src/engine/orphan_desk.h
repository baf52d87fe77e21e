// Settles mails on behalf of processes that died while they had them, for routes where a mail may have left before its
// answer was stored. What is known is written down; what is not is uncertain, and `onUncertain` decides.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/finished.h"
#include "engine/settle_desk.h"
#include "ports/outbox.h"
#include "ports/outbox_care.h"

namespace eilbote {

class OrphanDesk {
 public:
  // Nothing: the mail had not left, and goes back to the queue as any job of a lost worker.
  using WhatBecame = std::function<std::optional<DeliveryResult>(const ClaimedJob&, const MailContent&)>;

  OrphanDesk(Outbox& outbox, OutboxCare& care, const Clock& clock, Random& random, Metrics& metrics,
             CourierRules rules, std::string route)
      : outbox_(outbox),
        care_(care),
        clock_(clock),
        random_(random),
        metrics_(metrics),
        rules_(std::move(rules)),
        route_(std::move(route)),
        desk_(outbox) {}

  // Everything that earlier lives of this instance held. Called before the instance begins its next one, so that nobody
  // else decides about it meanwhile.
  Result<void> settle_own(const std::string& instance, const WhatBecame& what_became);

  // Mails of other instances whose life is over, as far as one call takes them.
  Result<SweepResult> settle_dead(const WhatBecame& what_became);

 private:
  Result<SweepResult> settle(const std::vector<ClaimedJob>& orphans, const WhatBecame& what_became);

  Outbox& outbox_;
  OutboxCare& care_;
  const Clock& clock_;
  Random& random_;
  Metrics& metrics_;
  const CourierRules rules_;
  const std::string route_;
  SettleDesk desk_;
};

}  // namespace eilbote
