#include "support/captured_mail.h"

#include <strings.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace eilbote::test {

namespace fs = std::filesystem;

std::string read_text_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string header_of(const std::string& mail, const std::string& name) {
  std::istringstream lines(mail);
  std::string line, value;
  bool found = false;
  while (std::getline(lines, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) break;
    const bool folded = line[0] == ' ' || line[0] == '\t';
    if (found && !folded) break;
    if (found)
      value += line;
    else if (!folded && line.size() > name.size() && line[name.size()] == ':' &&
             ::strncasecmp(line.c_str(), name.c_str(), name.size()) == 0) {
      found = true;
      value = line.substr(name.size() + 1);
    }
  }
  value.erase(0, value.find_first_not_of(" \t"));
  return value;
}

std::vector<CapturedMail> captured_mails(const std::string& folder) {
  std::vector<CapturedMail> all;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || !name.ends_with(".eml")) continue;
    CapturedMail mail;
    mail.path = entry.path().string();
    const std::string stem = name.substr(0, name.size() - 4);
    const std::size_t dot = stem.find('.');
    mail.id = stem.substr(0, dot);
    if (dot != std::string::npos) mail.copy = std::stoi(stem.substr(dot + 1));
    const std::string text = read_text_file(mail.path);
    mail.message_id = header_of(text, "Message-ID");
    mail.to = header_of(text, "To");
    all.push_back(std::move(mail));
  }
  std::sort(all.begin(), all.end(), [](const CapturedMail& a, const CapturedMail& b) {
    return std::tie(a.id, a.copy) < std::tie(b.id, b.copy);
  });
  return all;
}

std::size_t captured_count(const std::string& folder) {
  std::size_t n = 0;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && name.ends_with(".eml")) ++n;
  }
  return n;
}

}  // namespace eilbote::test
