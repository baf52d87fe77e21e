// The way out for mail, as the configuration asks for it.
#pragma once

#include <memory>

#include "channel/graph_channel.h"
#include "channel/graph_door.h"
#include "channel/hand_over_slots.h"
#include "channel/smtp_channel.h"
#include "config/config.h"
#include "ports/channel.h"
#include "ports/draft_book.h"
#include "ports/secret_source.h"

namespace eilbote {

struct Metrics;

// What the Graph route needs; empty where mails go another way.
struct GraphParts {
  std::shared_ptr<GraphDoor> door{};
  DraftBook* drafts = nullptr;
  SendsFrom sends_from{};
};

// The error names the option. Mails begin to leave when the ledger hands them in.
Result<std::unique_ptr<MailChannel>> make_mail_route(const Config& config, SmtpParts parts,
                                                     GraphParts graph = {});

// The slots of this data folder, with what the process before left behind; nothing for a route that needs none.
Result<std::unique_ptr<HandOverSlots>> open_hand_over_slots(const Config& config);

}  // namespace eilbote
