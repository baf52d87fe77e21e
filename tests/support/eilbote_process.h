// The real binary, running: `eilbote serve` on a free port with its own data folder.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "support/child_process.h"
#include "support/http_client.h"

namespace eilbote::test {

class EilboteProcess {
 public:
  // `environment` is added to: a free port on 127.0.0.1, the loopback as a target of webhooks, the data folder, JSON logs at the
  // lowest level in <data>.log.
  EilboteProcess(std::string data_folder, std::map<std::string, std::string> environment = {});
  // Kills it when it still runs, and searches its log for what is private (private_texts.h) and for a sanitizer's report.
  ~EilboteProcess();
  EilboteProcess(const EilboteProcess&) = delete;
  EilboteProcess& operator=(const EilboteProcess&) = delete;

  // From then on it is started through another command, which this makes of its own.
  using Wrapper = std::function<std::vector<std::string>(const std::vector<std::string>&)>;
  void wrap(Wrapper wrapper) { wrapper_ = std::move(wrapper); }

  // Starts it (again) and waits until it says it is ready. Throws when it does not.
  void start();
  void kill_hard();  // SIGKILL, and wait for its end
  int stop();        // SIGTERM, and its exit code
  ChildProcess& process() { return *process_; }

  const std::string& url() const { return url_; }
  const std::string& data_folder() const { return data_folder_; }
  std::string capture_folder() const { return data_folder_ + "/captured"; }
  std::string log_file() const { return data_folder_ + ".log"; }

  HttpReply get(const std::string& path) const { return http_request("GET", url_ + path, "", {}); }
  HttpReply post(const std::string& path, const std::string& body, const HttpHeaders& headers = {}) const {
    return http_request("POST", url_ + path, body, headers);
  }
  HttpReply del(const std::string& path) const { return http_request("DELETE", url_ + path, "", {}); }

 private:
  // The HTTP client searches them; of a server that does not answer there are none.
  void search_metrics() const { http_request("GET", url_ + "/metrics", "", {}, 2000); }

  std::string data_folder_;
  std::map<std::string, std::string> environment_;
  Wrapper wrapper_;
  std::string url_;
  std::unique_ptr<ChildProcess> process_;
};

// A small valid mail as JSON.
std::string mail_json(const std::string& to, const std::string& subject = "A word from a scenario",
                      const std::string& extra = "");

}  // namespace eilbote::test
