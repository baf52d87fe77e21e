// The private texts of the running test: what scenarios hand to the program and must not find in a log, in metrics or in a
// problem. The HTTP client, the program's environment and the Vault of the tests note them by themselves, and what comes out of
// the program is searched by itself: metrics, problems and answers by the HTTP client, logs when a server ends, commands when they
// have run.
//
// What is noted, and as what:
// - the members of JSON requests that `kKindsByMember` names: addresses and names, subjects, bodies, attachments, header
//   values, payloads, metadata, and of URLs all after the host (hosts may be logged);
// - secrets: tokens of `Authorization` headers, variables and files that references can name, passwords in URLs, what
//   ScriptedVault hands out, and what an answer calls `authToken` or `signingSecret`. Secrets also as base64, wherever in it they
//   begin: AUTH PLAIN puts the user in front.
// What is left out:
// - texts of less than 8 bytes or of less than 4 different ones: they are in many lines by accident;
// - ids, keys, codes, tags, pools, groups, clients: people find things by them, and logs may name them;
// - requests that are not JSON, and what a test says through a socket of its own;
// - of an address its domain alone, which logs may name: an address is only found as a whole.
// Other long texts are noted in pieces of 16 bytes, the first 4096 bytes of them, so that the beginning of one is found too.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace eilbote::test {

class PrivateTexts {
 public:
  struct Finding {
    std::string kind;  // "subject"
    std::string text;
    std::string line;  // the one it is in
  };

  // Forgets all when another test has begun.
  static PrivateTexts& of_this_test();

  void note(const std::string& kind, std::string_view text);
  void note_secret(std::string_view text);
  // What `kKindsByMember` names in it; nothing when it is no JSON.
  void note_request(const std::string& body);
  // Secrets that this answer shows for the first time.
  void note_shown_secrets(const std::string& body);
  // Of a program under test.
  void note_environment(const std::map<std::string, std::string>& environment);
  // The same, and of a mail it sends the flags that have a member's name.
  void note_command(const std::vector<std::string>& command,
                    const std::map<std::string, std::string>& environment);

  // In the order of the text, each text once.
  std::vector<Finding> search(std::string_view text) const;
  std::vector<Finding> search_secrets(std::string_view text) const;
  // Makes findings failures of the running test: one for each line and kind.
  void expect_none(const std::vector<Finding>& findings, const std::string& where);

 private:
  void note_address(std::string_view text);
  bool is_new(const std::string& text);
  void note_piece(const std::string& kind, std::string_view piece);
  void note_form(const std::string& kind, std::string form);
  std::vector<Finding> search_kinds(std::string_view text, bool secrets_only) const;

  mutable std::recursive_mutex mutex_;
  const void* test_ = nullptr;
  std::unordered_map<std::string, std::string> kinds_;  // by text
  std::unordered_map<std::uint64_t, std::set<std::size_t>>
      sizes_by_start_;                     // of the texts with these first eight bytes
  std::vector<char> may_start_;            // by a hash of the start: most bytes of a log end here
  std::unordered_set<std::size_t> noted_;  // hashes: a load says the same a hundred thousand times
  bool has_secrets_ = false;
  std::set<std::string> told_;
};

// The `problem` of each item that was refused.
std::vector<std::string> problems_in_batch(const std::string& answer);

// Searches a log whose writer has ended; that it is not there is a failure too.
void expect_nothing_private_in_log(const std::string& file);

}  // namespace eilbote::test
