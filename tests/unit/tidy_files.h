// What the tests of the house read: every text file of the project, and C++ with its comments and literals
// told apart.
#pragma once

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace eilbote::tidy {

struct SourceFile {
  std::string path;  // from the project's root, "src/base/log.h"
  std::string text;

  bool under(std::string_view folder) const { return path.starts_with(folder); }
  bool is_cpp() const { return path.ends_with(".cpp") || path.ends_with(".h"); }
};

struct Finding {
  std::string path;
  int line = 0;
  std::string what;  // ends with what to do instead
};

inline std::string in_words(const std::vector<Finding>& findings) {
  std::ostringstream out;
  for (const auto& finding : findings)
    out << "\n  " << finding.path << ":" << finding.line << ": " << finding.what;
  return out.str();
}

// All text files below `root`, without what is built, downloaded or written at run time.
inline std::vector<SourceFile> read_project(const std::filesystem::path& root) {
  static const std::set<std::string> kSkipped{".git", "build", "node_modules", "eilbote-data", "__pycache__"};
  std::vector<SourceFile> files;
  for (auto it = std::filesystem::recursive_directory_iterator(root); it != decltype(it){}; ++it) {
    if (kSkipped.contains(it->path().filename().string())) {
      it.disable_recursion_pending();
      continue;
    }
    if (!it->is_regular_file()) continue;
    std::ifstream in(it->path(), std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    if (text.find('\0') != std::string::npos) continue;
    files.push_back({std::filesystem::relative(it->path(), root).string(), std::move(text)});
  }
  return files;
}

inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

// C++ split in two texts of the same shape (line breaks stay where they are): the code with comments and
// literals blanked, and the literals alone.
struct SplitCode {
  std::string code;
  std::string literals;
};

class CodeSplitter {
 public:
  explicit CodeSplitter(std::string_view text) : text_(text) {}

  SplitCode split() {
    while (at_ < text_.size()) {
      if (starts("//"))
        skip_until("\n", false);
      else if (starts("/*"))
        skip_until("*/", true);
      else if (starts("R\"") && !after_word())
        raw_string();
      else if (text_[at_] == '"' || (text_[at_] == '\'' && !after_word()))
        quoted(text_[at_]);
      else
        put(text_[at_], ' ');
    }
    return std::move(out_);
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  // 1'000'000 and u8R"..." are not the start of a literal of their own.
  bool after_word() const {
    return at_ > 0 && (std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0);
  }
  void put(char code, char literal) {
    const bool line_end = text_[at_] == '\n';
    out_.code += line_end ? '\n' : code;
    out_.literals += line_end ? '\n' : literal;
    ++at_;
  }
  void skip_until(std::string_view end, bool with_end) {
    auto stop = text_.find(end, at_);
    stop = stop == std::string_view::npos ? text_.size() : stop + (with_end ? end.size() : 0);
    while (at_ < stop)
      put(' ', ' ');
  }
  void raw_string() {
    const auto open = text_.find('(', at_);
    const std::string close = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    auto stop = text_.find(close, open);
    stop = stop == std::string_view::npos ? text_.size() : stop + close.size();
    while (at_ < stop)
      put(' ', text_[at_]);
  }
  void quoted(char quote) {
    put(quote, ' ');
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) put(' ', text_[at_]);
      put(' ', text_[at_]);
    }
    if (at_ < text_.size()) put(quote, ' ');
  }

  std::string_view text_;
  std::size_t at_ = 0;
  SplitCode out_;
};

}  // namespace eilbote::tidy
