// The suppression list: addresses a client's mails no longer go to, because one bounced for good or a person said so. Asked
// before each attempt, per client; an address is spelt as domain/report_rules.h normal_address() says. The rules of
// ports/outbox.h hold here too.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/ids.h"
#include "domain/job.h"
#include "ports/registry.h"

namespace eilbote {

struct Suppression {
  ClientName client;
  std::string address;
  std::string reason;        // "bounced: 5.1.1 ...", or what a person wrote
  std::optional<JobId> job;  // whose bounce it was; none: a person's
  TimePoint since{};
};

struct SuppressionQuery {
  std::optional<ClientName> client{};  // absent: all clients
  std::string address{};               // empty: any
  // The cursor: only entries after this (client, address).
  std::optional<std::pair<ClientName, std::string>> after{};
  int limit = 50;
};

class SuppressionList {
 public:
  virtual ~SuppressionList() = default;
  // By client, address.
  virtual Result<std::vector<Suppression>> suppressions(const SuppressionQuery& query) = 0;
  // False: it is on the list already, and stays as it is.
  virtual Result<bool> suppress(const Suppression& entry, const AuditEntry& audit) = 0;
  // False: it is not on the list.
  virtual Result<bool> unsuppress(const ClientName& client, const std::string& address,
                                  const AuditEntry& audit) = 0;
};

}  // namespace eilbote
