#include "support/recorded_run.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "support/raw_sql.h"

namespace eilbote::test {
namespace {

constexpr const char* kEndings[kDiskFiles] = {"", "-wal", "-journal"};
constexpr std::pair<Survives, const char*> kWays[] = {{Survives::nothing, "nothing since the last sync"},
                                                      {Survives::everything, "everything"},
                                                      {Survives::torn, "everything, the last write torn"},
                                                      {Survives::shuffled, "some sectors"}};

std::size_t hash_of(const DiskImage& image) {
  std::size_t hash = 0;
  for (const auto& bytes : image)
    hash = hash * 31 + (bytes ? std::hash<std::string>{}(*bytes) : 7);
  return hash;
}

std::string first_difference(const FileContent& found, const FileContent& wanted) {
  for (const auto& [table, rows] : wanted) {
    const auto there = found.find(table);
    if (there == found.end()) return "there is no table " + table;
    if (there->second == rows) continue;
    std::istringstream has(there->second), should(rows);
    std::string one, other;
    do {
      one.clear();
      other.clear();
      std::getline(has, one);
      std::getline(should, other);
    } while (one == other);
    return table + " has '" + one + "' instead of '" + other + "'";
  }
  return {};
}

}  // namespace

FileContent read_content(const std::string& file) {
  const auto raw = open_raw_sqlite(file);
  FileContent content;
  for (const SqlRow& table : raw->rows("SELECT name FROM sqlite_master WHERE type = 'table'")) {
    std::string& text = content[table.at(0)];
    for (const SqlRow& row : raw->rows("SELECT * FROM " + table.at(0))) {
      for (const std::string& value : row)
        text += value + "|";
      text += "\n";
    }
  }
  return content;
}

RecordedRun::RecordedRun() {
  vfs_.skips_syncs = true;
}

void RecordedRun::end() {
  vfs_.log = nullptr;
}

void RecordedRun::promised(const std::vector<NewJob>& accepted) {
  const std::size_t events = log_.size();
  const std::lock_guard lock(mutex_);
  for (const NewJob& job : accepted) {
    promises_.push_back({events, job.id, false});
    jobs_.emplace(job.id, job);
  }
}

void RecordedRun::promised_sent(const std::vector<Settlement>& settled) {
  const std::size_t events = log_.size();
  const std::lock_guard lock(mutex_);
  for (const Settlement& one : settled)
    promises_.push_back({events, one.id, true});
}

void RecordedRun::note_content() {
  const std::size_t events = log_.size();
  contents_.push_back({events, read_content(path())});
}

RecordedRun::Look RecordedRun::look(std::size_t boundaries, std::uint64_t seed, std::size_t from) {
  std::mt19937_64 random(seed);
  PowerCut cut(log_.events());
  Look all;
  all.events = log_.events().size();
  const std::size_t step = std::max<std::size_t>(1, (all.events - from) / boundaries);
  // Many cuts leave the same files.
  std::set<std::pair<std::size_t, std::size_t>> seen;
  for (; from < all.events; from += step) {
    const std::size_t events = std::min(from + 1 + random() % step, all.events);
    cut.go_on_to(events);
    ++all.boundaries;
    for (const auto& [way, name] : kWays) {
      const DiskImage image = cut.image(way, random());
      const std::size_t promises = static_cast<std::size_t>(std::count_if(
          promises_.begin(), promises_.end(), [&](const Promise& one) { return one.events <= events; }));
      if (!seen.emplace(hash_of(image), promises).second) continue;
      ++all.images;
      const std::string fault = fault_of(image, events);
      if (fault.empty()) continue;
      all.fault = "the power goes after event " + std::to_string(events) + ", and what survives is: " + name +
                  ". " + fault;
      return all;
    }
  }
  return all;
}

void RecordedRun::write(const DiskImage& image) {
  // It is never synced: whatever is in it, nobody may believe it.
  std::ofstream(path() + "-shm", std::ios::binary) << std::string(32'768, '\x5A');
  for (std::size_t i = 0; i < kDiskFiles; ++i) {
    std::filesystem::remove(path() + kEndings[i]);
    if (image[i]) std::ofstream(path() + kEndings[i], std::ios::binary) << *image[i];
  }
}

std::string RecordedRun::fault_of(const DiskImage& image, std::size_t events) {
  write(image);
  try {
    const auto outbox = open();
    return fault_of_open_file(*outbox, events);
  } catch (const std::exception& e) {
    return std::string("The store does not open, or cannot be read: ") + e.what();
  }
}

std::string RecordedRun::fault_of_open_file(Outbox& outbox, std::size_t events) {
  const std::string whole = open_raw_sqlite(path())->rows("PRAGMA integrity_check").at(0).at(0);
  if (whole != "ok") return "The file is damaged: " + whole;
  if (std::string fault = fault_of_jobs(outbox, events); !fault.empty()) return fault;
  return fault_of_content(events);
}

// The state after the last answer, or after the transaction that was under way; nothing in between, nothing older.
std::string RecordedRun::fault_of_content(std::size_t events) {
  const auto next = std::find_if(contents_.begin(), contents_.end(),
                                 [&](const Content& one) { return one.events > events; });
  if (next == contents_.begin()) return {};
  const FileContent found = read_content(path());
  const std::string difference = first_difference(found, std::prev(next)->content);
  if (difference.empty()) return {};
  if (next != contents_.end() && first_difference(found, next->content).empty()) return {};
  return "The file is neither as it was after the last answer, nor as after the next: " + difference;
}

std::string RecordedRun::fault_of_jobs(Outbox& outbox, std::size_t events) {
  std::vector<JobId> mails, webhooks;
  std::set<JobId> sent;
  for (const Promise& promise : promises_) {
    if (promise.events > events) continue;
    if (promise.is_sent)
      sent.insert(promise.id);
    else
      (jobs_.at(promise.id).channel == ChannelKind::mail ? mails : webhooks).push_back(promise.id);
  }
  const auto contents = outbox.load_contents(mails, webhooks);
  if (!contents) return "The contents cannot be read: " + contents.error().message;
  if (contents->mails.size() != mails.size() || contents->webhooks.size() != webhooks.size())
    return "Of " + std::to_string(mails.size()) + " mails and " + std::to_string(webhooks.size()) +
           " webhooks that were acknowledged, " + std::to_string(contents->mails.size()) + " and " +
           std::to_string(contents->webhooks.size()) + " are there.";
  for (const MailContent& mail : contents->mails)
    if (mail.mime != jobs_.at(mail.id).mail.mime) return "A mail is not what was accepted.";
  for (const WebhookContent& webhook : contents->webhooks)
    if (webhook.webhook.payload != jobs_.at(webhook.id).webhook.payload) return "A payload is another one.";
  std::size_t found = 0;
  for (const SqlRow& row : open_raw_sqlite(path())->rows("SELECT id FROM outbox WHERE status = 'sent'"))
    found += sent.count(JobId{std::stoll(row.at(0))});
  if (found != sent.size())
    return "Of " + std::to_string(sent.size()) + " jobs that were settled as sent, " + std::to_string(found) +
           " are.";
  return {};
}

}  // namespace eilbote::test
