#include "support/mail_history.h"

#include <sstream>

namespace eilbote::test {
namespace {

constexpr std::size_t kShownMax = 12;

// Violations by rule; each rule shows its first few cases.
class Findings {
 public:
  void add(const std::string& rule, const std::string& found) {
    auto& [count, shown] = by_rule_[rule];
    if (++count <= kShownMax) shown += "    " + found + "\n";
  }
  bool none() const { return by_rule_.empty(); }
  std::string text() const {
    std::string all;
    for (const auto& [rule, found] : by_rule_)
      all += "  VIOLATED (" + std::to_string(found.first) + "): " + rule + "\n" + found.second;
    return all;
  }

 private:
  std::map<std::string, std::pair<std::size_t, std::string>> by_rule_;
};

int number_of(const std::string& to) {
  const std::size_t begin = to.find("mail"), at = to.find('@');
  if (begin == std::string::npos || at == std::string::npos || at < begin + 5) return -1;
  return std::stoi(to.substr(begin + 4, at - begin - 4));
}

std::string joined(const std::set<std::string>& ids) {
  std::string all;
  for (const std::string& id : ids)
    all += (all.empty() ? "" : ", ") + id;
  return all.empty() ? "none" : all;
}

// The captured files by message, checked as files.
struct Captures {
  std::map<std::string, int> number_of_id;
  std::map<int, std::set<std::string>> ids_of_number;
  int duplicates = 0;
};

Captures sort_captures(const std::vector<CapturedMail>& captured, bool duplicates_allowed,
                       Findings& findings) {
  Captures sorted;
  std::map<std::string, std::string> message_id_of;
  for (const CapturedMail& mail : captured) {
    const int n = number_of(mail.to);
    if (n < 0) findings.add("every captured file is a mail of this load", mail.path + " to " + mail.to);
    if (mail.message_id.empty()) findings.add("every captured file has a Message-ID", mail.path);
    const auto [known, first] = message_id_of.try_emplace(mail.id, mail.message_id);
    if (!first) {
      ++sorted.duplicates;
      if (known->second != mail.message_id)
        findings.add("copies of a message carry one Message-ID",
                     mail.path + " has " + mail.message_id + ", the first had " + known->second);
      if (!duplicates_allowed) findings.add("nothing is captured twice", mail.path);
    }
    sorted.number_of_id[mail.id] = n;
    sorted.ids_of_number[n].insert(mail.id);
  }
  std::map<std::string, std::string> id_of_message_id;
  for (const auto& [id, message_id] : message_id_of)
    if (const auto [it, first] = id_of_message_id.try_emplace(message_id, id); !first)
      findings.add("two messages never share a Message-ID", id + " and " + it->second + ": " + message_id);
  return sorted;
}

}  // namespace

void MailHistory::asked(int n) {
  const std::lock_guard lock(mutex_);
  told_[n];
}

void MailHistory::acknowledged(int n, const std::string& id) {
  const std::lock_guard lock(mutex_);
  told_[n].ids.insert(id);
}

void MailHistory::refused(int n, int status) {
  const std::lock_guard lock(mutex_);
  told_[n].refused_with = status;
}

std::size_t MailHistory::acknowledged_count() const {
  return acknowledged_ids().size();
}

std::set<std::string> MailHistory::acknowledged_ids() const {
  const std::lock_guard lock(mutex_);
  std::set<std::string> all;
  for (const auto& [n, told] : told_)
    all.insert(told.ids.begin(), told.ids.end());
  return all;
}

Judgement MailHistory::judge(const std::vector<CapturedMail>& captured, const std::vector<StoredMail>& stored,
                             Rules rules) const {
  const std::lock_guard lock(mutex_);
  Findings findings;
  const Captures captures = sort_captures(captured, rules.duplicates_allowed, findings);
  std::map<std::string, std::string> status_of;
  for (const StoredMail& mail : stored) {
    status_of[mail.id] = mail.status;
    if (mail.status != "SENT") findings.add("every stored mail ends SENT", mail.id + " is " + mail.status);
    if (!captures.number_of_id.contains(mail.id)) findings.add("every stored mail is captured", mail.id);
  }
  for (const auto& [id, n] : captures.number_of_id)
    if (!status_of.contains(id))
      findings.add("every captured mail is stored", id + ", mail " + std::to_string(n));

  int acknowledged = 0, refused = 0, cut_off = 0;
  for (const auto& [n, told] : told_) {
    const auto found = captures.ids_of_number.find(n);
    const std::set<std::string> ids =
        found == captures.ids_of_number.end() ? std::set<std::string>{} : found->second;
    const std::string what =
        "mail " + std::to_string(n) + ": told " + joined(told.ids) + ", captured " + joined(ids);
    if (!told.ids.empty())
      ++acknowledged;
    else
      ++(told.refused_with != 0 ? refused : cut_off);
    if (told.ids.size() > 1) findings.add("a mail is told one id", what);
    if (ids.size() > 1) findings.add("a mail becomes one message at most", what);
    for (const std::string& id : told.ids)
      if (!ids.contains(id))
        findings.add("every acknowledged mail is captured", what + ", stored " + status_of[id]);
    if (rules.all_acknowledged && told.ids.empty())
      findings.add("every mail is acknowledged",
                   what + ", refused with " + std::to_string(told.refused_with));
  }
  for (const auto& [n, ids] : captures.ids_of_number)
    if (n >= 0 && !told_.contains(n)) findings.add("only what was asked for is captured", joined(ids));

  std::ostringstream page;
  page << "history of " << told_.size() << " mails: " << acknowledged << " acknowledged, " << refused
       << " refused, " << cut_off << " cut off\n  " << stored.size() << " stored, " << captured.size()
       << " files, " << captures.duplicates << " of them duplicates\n"
       << findings.text();
  return {findings.none(), page.str(), captures.duplicates};
}

}  // namespace eilbote::test
