// The results of a batch as they come in, from the intake's thread and from the reader; the last one answers.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <string>
#include <vector>

#include "api/call.h"

namespace eilbote {

class BatchAnswer {
 public:
  BatchAnswer(CallPtr call, std::size_t items, int status)
      : call_(std::move(call)), status_(status), results_(items), open_(items) {}

  // JSON, once for each item.
  void set(std::size_t index, std::string result) {
    results_[index] = std::move(result);
    if (open_.fetch_sub(1) != 1) return;
    std::string body = R"({"results":[)";
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (i > 0) body += ',';
      body += results_[i];
    }
    body += "]}";
    call_->reply_json(status_, std::move(body));
  }
  void refuse(std::size_t index, const Problem& problem) {
    log_cause(problem, call_->trace.trace_id);
    set(index, fmt::format(R"({{"index":{},"status":{},"problem":{}}})", index, problem.status(),
                           to_json(problem, call_->place())));
  }

 private:
  const CallPtr call_;
  const int status_;
  std::vector<std::string> results_;
  std::atomic<std::size_t> open_;
};

}  // namespace eilbote
