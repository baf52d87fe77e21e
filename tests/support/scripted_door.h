// A door to Graph that a test writes the answers for. Each request has a short name ("create", "send", "look", "search drafts",
// ...); what is scripted for it is answered first, then what a healthy tenant would say.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "channel/graph_door.h"

namespace eilbote::test {

class ScriptedDoor final : public GraphDoor {
 public:
  void call(GraphCall call, Done done) override;
  void release_waiting() override {}

  // The next request of this name gets this answer; the one after it the next, and so on.
  void answer(const std::string& name, GraphAnswer answer);
  void answer(const std::string& name, int status, const std::string& body = "",
              const std::string& code = "");
  void lose(const std::string& name, ExchangeFault fault = ExchangeFault::lost);
  // A request of this name gets no answer until `let_go`; its answer is then the next scripted one, or the healthy one.
  void hold(const std::string& name);
  void let_go();

  std::vector<std::string> names() const;  // of all requests, in order
  std::vector<GraphCall> calls(const std::string& name) const;
  int held() const;

 private:
  struct Held {
    std::string name;
    GraphCall call;
    Done done;
  };
  GraphAnswer take_answer(const std::string& name, const GraphCall& call);

  mutable std::mutex mutex_;
  std::map<std::string, std::deque<GraphAnswer>> script_;
  std::vector<std::pair<std::string, GraphCall>> seen_;
  std::map<std::string, bool> holds_;
  std::vector<Held> held_;
  int drafts_ = 0;
};

}  // namespace eilbote::test
