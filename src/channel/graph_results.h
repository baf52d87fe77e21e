// What came of a mail on the Graph route where no single answer says it: the words for results that graph_letter.cpp puts
// together from several.
#pragma once

#include <string>
#include <vector>

#include "channel/mailbox_rate.h"
#include "domain/delivery.h"
#include "domain/job.h"

namespace eilbote::graph {

// Every recipient that waits was taken. `id`: of the message in the mailbox; empty: not known.
DeliveryResult taken(const std::vector<Recipient>& recipients, std::string id);
// The mail's turn, or the end of its mailbox's pause, is this far away.
DeliveryResult not_its_turn(Duration wait, const MailboxRate::Pause* pause);
// Sent, perhaps: looked at again after `wait`.
DeliveryResult answer_lost(AttemptStatus how, const std::string& what, Duration wait);
// Sent, perhaps, and not to be found.
DeliveryResult nowhere_to_be_found();
// Cannot be sent like this.
DeliveryResult refused(const char* code, std::string text);
// Nothing was sent, because the draft book did not answer.
DeliveryResult no_draft_book(const std::string& error);

}  // namespace eilbote::graph
