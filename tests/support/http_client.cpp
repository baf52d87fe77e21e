#include "support/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>

#include "support/private_texts.h"

namespace eilbote::test {
namespace {

std::size_t on_body(char* bytes, std::size_t size, std::size_t n, void* reply) {
  static_cast<HttpReply*>(reply)->body.append(bytes, size * n);
  return size * n;
}

std::size_t on_header(char* bytes, std::size_t size, std::size_t n, void* reply) {
  const std::string line(bytes, size * n);
  if (const std::size_t colon = line.find(':'); colon != std::string::npos) {
    std::string name = line.substr(0, colon), value = line.substr(colon + 1);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    value.erase(0, value.find_first_not_of(" \t"));
    value.erase(value.find_last_not_of(" \t\r\n") + 1);
    static_cast<HttpReply*>(reply)->headers[name] = value;
  }
  return size * n;
}

struct CurlEnd {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// Whatever a test asks for is noted, and what comes back is searched.
void note(const std::string& body, const HttpHeaders& headers) {
  PrivateTexts& texts = PrivateTexts::of_this_test();
  texts.note_request(body);
  for (const auto& [name, value] : headers)
    if (name == "Authorization") texts.note_secret(value.substr(value.find(' ') + 1));
}

void search(const std::string& url, const HttpReply& reply) {
  if (url.ends_with("/token")) return;  // an issuer's: two tokens for one client are alike in parts
  PrivateTexts& texts = PrivateTexts::of_this_test();
  texts.expect_none(texts.search_secrets(reply.body), "an answer of " + url);
  texts.note_shown_secrets(reply.body);
  const auto type = reply.headers.find("content-type");
  if (type != reply.headers.end() && type->second.starts_with("application/problem+json"))
    texts.expect_none(texts.search(reply.body), "a problem");
  if (url.ends_with("/batch"))
    for (const std::string& problem : problems_in_batch(reply.body))
      texts.expect_none(texts.search(problem), "a problem of a batch");
  if (url.ends_with("/metrics")) texts.expect_none(texts.search(reply.body), "the metrics");
}

}  // namespace

HttpReply http_request(const std::string& method, const std::string& url, const std::string& body,
                       const HttpHeaders& headers, long timeout_ms) {
  static const CURLcode global = curl_global_init(CURL_GLOBAL_DEFAULT);
  (void)global;
  thread_local const std::unique_ptr<CURL, CurlEnd> curl(curl_easy_init());
  curl_easy_reset(curl.get());
  note(body, headers);
  HttpReply reply;
  std::unique_ptr<curl_slist, CurlEnd> list;
  const auto add = [&](const std::string& line) {
    list.reset(curl_slist_append(list.release(), line.c_str()));
  };
  bool typed = false;
  for (const auto& [name, value] : headers) {
    add(name + ": " + value);
    typed = typed || name == "Content-Type";
  }
  if (!typed && !body.empty()) add("Content-Type: application/json");
  add("Expect:");
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_CUSTOMREQUEST, method.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, timeout_ms);
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, list.get());
  if (method == "HEAD") curl_easy_setopt(curl.get(), CURLOPT_NOBODY, 1L);
  if (method == "POST" || !body.empty()) {
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, body.data());
  }
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &reply);
  curl_easy_setopt(curl.get(), CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(curl.get(), CURLOPT_HEADERDATA, &reply);
  const CURLcode code = curl_easy_perform(curl.get());
  if (code != CURLE_OK) {
    reply.trouble = curl_easy_strerror(code);
    return reply;
  }
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  reply.status = static_cast<int>(status);
  search(url, reply);
  return reply;
}

}  // namespace eilbote::test
