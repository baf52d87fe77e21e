// The Graph channel: mails leave through Microsoft Graph, from the mailbox that is their sender. One thread, `graph`
// (channel/graph_desk.h); a letter per mail (channel/graph_letter.h). What a crash leaves behind is in the draft book.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "channel/graph_door.h"
#include "domain/graph_options.h"
#include "ports/channel.h"
#include "ports/draft_book.h"

namespace eilbote {

// Told, from the channel's thread, of every mailbox that a mail leaves from.
using SendsFrom = std::function<void(const std::string& mailbox)>;

// Starts the channel's thread. The book outlives the channel; the door may be shared with others.
std::unique_ptr<MailChannel> make_graph_channel(GraphOptions options, std::shared_ptr<GraphDoor> door,
                                                DraftBook& book, const Clock& clock,
                                                SendsFrom sends_from = {});

}  // namespace eilbote
