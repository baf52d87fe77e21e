// The webhook-job API as a test speaks it.
#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <string>

#include "support/eilbote_process.h"
#include "support/eventually.h"
#include "support/mail_api.h"

namespace eilbote::test {

// A small valid job as JSON; `extra`: more members, each with a comma in front.
inline std::string job_json(const std::string& url, const std::string& extra = "") {
  return R"({"source":"shop-api","code":"orders:created","targetUrl":")" + url +
         R"(","payload":"{\"order\":1}")" + extra + "}";
}

class JobApi {
 public:
  explicit JobApi(const EilboteProcess& server) : server_(server) {}

  // Hands a job in and returns its id. Throws when the answer is not 201.
  std::string accept(const std::string& job) const {
    const HttpReply reply = server_.post("/dispatch-jobs", job);
    if (reply.status != 201) throw std::runtime_error("not 201: " + reply.body);
    return text_at(json::parse(reply.body), "/id");
  }
  json::value job(const std::string& id) const { return MailApi(server_).read("/dispatch-jobs/" + id); }
  std::string status(const std::string& id) const { return text_at(job(id), "/status"); }
  bool reaches(const std::string& id, const std::string& state,
               std::chrono::milliseconds patience = std::chrono::seconds{30}) const {
    return eventually([&] { return status(id) == state; }, patience);
  }
  // A POST that must succeed; its answer.
  json::value post(const std::string& path, const std::string& body = "") const {
    const HttpReply reply = server_.post(path, body);
    if (reply.status >= 300) throw std::runtime_error(path + ": " + reply.body);
    return reply.body.empty() ? json::value() : json::parse(reply.body);
  }

 private:
  const EilboteProcess& server_;
};

}  // namespace eilbote::test
