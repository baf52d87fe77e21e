// GET /overview and its stream: what waits, moves and fails. What they show is made by the overview's thread (overview_hub.h), so
// neither waits for a worker.
#include "api/handlers.h"
#include "api/overview_hub.h"

namespace eilbote {
namespace {

constexpr std::string_view kNotHere =
    "this instance has no overview: it takes no jobs; ask one with the role api or all";

Problem full(std::string_view why) {
  return {ProblemKind::overloaded, std::string(why), {}};
}

// Hands the whole picture to `then`; answers itself when there is none.
template <class Then>
void with_picture(const CallPtr& call, Then then) {
  OverviewHub* hub = call->context.overview;
  if (hub == nullptr) return call->reply(Problem{ProblemKind::not_found, std::string(kNotHere), {}});
  const bool taken = hub->ask([call, then = std::move(then)](const Result<OverviewHub::Text>& text) {
    if (!text) return call->reply(to_problem(text.error()));
    then(**text);
  });
  if (!taken) call->reply(full("too many ask for the overview; try again in a moment"));
}

}  // namespace

void get_overview(const CallPtr& call) {
  with_picture(call, [call](const std::string& json) { call->reply_json(200, json); });
}

void get_overview_stream(const CallPtr& call) {
  OverviewHub* hub = call->context.overview;
  const OverviewHub::Seat seat = hub == nullptr ? nullptr : hub->take_seat();
  if (hub != nullptr && !seat)
    return call->reply(full("too many streams of the overview are open; close some, or ask GET /overview"));
  with_picture(call, [call, hub, seat](const std::string& json) {
    HttpResponse response;
    response.content_type = "text/event-stream";
    // A proxy that gathers events before it passes them on would make them old.
    response.headers.emplace_back("X-Accel-Buffering", "no");
    response.body = overview_event(json);
    response.stream = [hub, seat](std::shared_ptr<HttpStream> stream) { hub->join(std::move(stream), seat); };
    call->reply(std::move(response));
  });
}

}  // namespace eilbote
