// Comments and pages name files ("domain/states.h", "settle.sql"); a file that was renamed or split must be renamed there
// too, or the reader is sent to a room that is gone.
#include <gtest/gtest.h>

#include <regex>

#include "unit/tidy_files.h"

namespace eilbote::tidy::named_files_test {
namespace {

// What of a line is prose: all of a page, the comment of a source. Pages that tell of the past name what was there then.
std::string_view prose_of(const SourceFile& file, std::string_view line) {
  if (file.path.ends_with(".md"))
    return file.under("docs/decisions/") || file.path == "CHANGELOG.md" ? std::string_view{} : line;
  const std::string_view mark = file.is_cpp() ? "//" : "--";
  if (!file.is_cpp() && !file.path.ends_with(".sql")) return {};
  const auto at = line.find(mark);
  return at == std::string_view::npos ? std::string_view{} : line.substr(at);
}

// Every path of the project, from its root and from the folders people leave out, and every name alone.
std::set<std::string> names_of(const std::vector<SourceFile>& files) {
  std::set<std::string> names;
  for (const SourceFile& file : files) {
    names.insert(file.path);
    names.insert(file.path.substr(file.path.rfind('/') + 1));
    for (const std::string_view folder : {"src/", "tests/", "docs/"})
      if (file.under(folder)) names.insert(file.path.substr(folder.size()));
  }
  return names;
}

std::vector<Finding> gone_files(const SourceFile& file, const std::set<std::string>& names) {
  static const std::regex kName(R"((^|[^\w/.:-])((?:[\w.-]+/)*[a-z_0-9]+\.(?:h|cpp|sql))(?![\w(*]))");
  std::vector<Finding> findings;
  int number = 0;
  for (const std::string_view line : lines_of(file.text)) {
    ++number;
    const std::string prose(prose_of(file, line));
    // The plain search comes first because it is fast, and finds nothing in most lines.
    if (prose.find(".h") == std::string::npos && prose.find(".cpp") == std::string::npos &&
        prose.find(".sql") == std::string::npos)
      continue;
    for (std::sregex_iterator it(prose.begin(), prose.end(), kName), end; it != end; ++it)
      if (!names.contains((*it)[2]))
        findings.push_back({file.path, number,
                            (*it)[2].str() + " is no file of the project; name the one that is meant now"});
  }
  return findings;
}

TEST(NamedFiles, are_there) {
  const auto files = read_project(EILBOTE_SOURCE_DIR);
  const auto names = names_of(files);
  std::vector<Finding> all;
  for (const SourceFile& file : files)
    if (file.path.find("/named_files_test.cpp") == std::string::npos)
      for (Finding& finding : gone_files(file, names))
        all.push_back(std::move(finding));
  EXPECT_TRUE(all.empty()) << in_words(all);
}

TEST(NamedFiles, finds_one_that_is_gone) {
  const auto names = names_of({{"src/domain/states.h", ""}, {"sql/sqlite/queries/settle.sql", ""}});
  const std::pair<SourceFile, std::size_t> cases[] = {
      {{"src/a.h", "// see domain/states.h, states.h and src/domain/states.h."}, 0},
      {{"src/a.h", "// see domain/state.h"}, 1},
      {{"src/a.h", "// (json_reader.h)"}, 1},
      {{"src/a.h", "#include \"gone.h\""}, 0},
      {{"sql/sqlite/queries/settle.sql", "-- as settle.sql; as claim.sql\nSELECT 1"}, 1},
      {{"docs/a.md", "`engine/gone.cpp`"}, 1},
      {{"CHANGELOG.md", "`engine/gone.cpp`"}, 0},
      {{"docs/a.md", "https://example.org/x.h"}, 0},
  };
  for (const auto& [file, findings] : cases)
    EXPECT_EQ(gone_files(file, names).size(), findings) << file.path << ": " << file.text;
}

}  // namespace
}  // namespace eilbote::tidy::named_files_test
