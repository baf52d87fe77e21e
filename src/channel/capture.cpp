#include "channel/capture.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <filesystem>

#include "base/log.h"
#include "base/mutex.h"
#include "base/service.h"
#include "channel/capture_faults.h"
#include "domain/delivery_codes.h"
#include "domain/tsid.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

namespace fs = std::filesystem;

struct Waiting {
  MailDelivery delivery;
  MailChannel::Done done;
};

std::string errno_text(const char* doing) {
  return std::string(doing) + ": " + std::strerror(errno);
}

// Writes all bytes to a new file; empty on success, else what went wrong.
std::string write_file(const std::string& path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return errno_text("open");
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const std::string trouble = errno_text("write");
      ::close(fd);
      ::unlink(path.c_str());
      return trouble;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return ::close(fd) == 0 ? std::string() : errno_text("close");
}

class CaptureChannel final : public MailChannel {
 public:
  CaptureChannel(CaptureOptions options, Metrics& metrics)
      : options_(std::move(options)),
        metrics_(metrics),
        service_("capture", [this](std::stop_token s) { run(s); }) {
    service_.start();
  }
  ~CaptureChannel() override {
    service_.stop();
    release_waiting();
  }

  const std::string& route() const override { return route_; }

  void deliver(MailDelivery delivery, Done done) override {
    post([&]() EILBOTE_REQUIRES(mutex_) { waiting_.push_back({std::move(delivery), std::move(done)}); });
  }
  void probe(std::function<void(Result<void>)> done) override {
    post([&]() EILBOTE_REQUIRES(mutex_) { probes_.push_back(std::move(done)); });
  }

  void release_waiting() override {
    std::deque<Waiting> released;
    {
      const MutexLock lock(mutex_);
      released.swap(waiting_);
      for (Waiting& one : stalled_)
        released.push_back(std::move(one));
      stalled_.clear();
    }
    for (Waiting& one : released)
      one.done(DeliveryResult{});
  }

 private:
  template <class Leave>
  void post(Leave leave) {
    {
      const MutexLock lock(mutex_);
      leave();
    }
    wake_.notify_one();
  }

  void run(std::stop_token stop) {
    while (true) {
      std::deque<Waiting> mails;
      std::vector<std::function<void(Result<void>)>> probes;
      {
        const MutexLock lock(mutex_);
        wake_.wait(mutex_, stop,
                   [this]() EILBOTE_REQUIRES(mutex_) { return !waiting_.empty() || !probes_.empty(); });
        if (stop.stop_requested()) return;
        // A few at a time, so that release_waiting finds the rest still here.
        for (int i = 0; i < 16 && !waiting_.empty(); ++i) {
          mails.push_back(std::move(waiting_.front()));
          waiting_.pop_front();
        }
        probes.swap(probes_);
      }
      for (const auto& done : probes)
        done(try_folder());
      for (Waiting& mail : mails)
        capture(std::move(mail));
    }
  }

  Result<void> try_folder() const {
    const std::string path = options_.folder + "/.probe";
    const std::string trouble = write_file(path, "");
    ::unlink(path.c_str());
    if (!trouble.empty()) return fail(ErrorKind::unavailable, "capture folder: " + trouble);
    return {};
  }

  void capture(Waiting mail) {
    const bool faults = options_.faults_by_address;
    const CaptureFault fault = faults ? capture_fault(mail.delivery) : CaptureFault::none;
    if (fault == CaptureFault::stall) {
      const MutexLock lock(mutex_);
      stalled_.push_back(std::move(mail));
      return;
    }
    if (fault != CaptureFault::none && fault != CaptureFault::lost) return mail.done(fault_result(fault));
    if (!mail.delivery.still_mine()) return mail.done(DeliveryResult{});
    const std::string trouble = store(mail.delivery);
    if (!trouble.empty()) {
      DeliveryResult failed;
      failed.verdict = Verdict::route_fault;
      failed.attempt_status = AttemptStatus::CONNECTION_ERROR;
      failed.code = code::capture_write_failed;
      failed.text = "the capture folder does not take files: " + trouble;
      return mail.done(failed);
    }
    if (fault == CaptureFault::lost) return mail.done(fault_result(fault));
    DeliveryResult result;
    result.verdict = Verdict::delivered;
    result.recipients = capture_recipients(mail.delivery, faults);
    result.provider_message_id = to_text(mail.delivery.job.id);
    mail.done(result);
  }

  // Written under another name first, so that whoever watches the folder never sees half a mail.
  std::string store(const MailDelivery& delivery) {
    const std::string name = options_.folder + "/" + to_text(delivery.job.id);
    const std::string draft = options_.folder + "/." + to_text(delivery.job.id) + ".tmp";
    if (std::string trouble = write_file(draft, delivery.content.mime); !trouble.empty()) return trouble;
    for (int copy = 1; copy < 1000; ++copy) {
      const std::string path = name + (copy == 1 ? ".eml" : "." + std::to_string(copy) + ".eml");
      if (::link(draft.c_str(), path.c_str()) == 0) {
        ::unlink(draft.c_str());
        if (copy > 1) {
          metrics_.add(Metric::capture_duplicates);
          log::warning("mail captured again: its first delivery did not get on record",
                       {{"EmailId", to_text(delivery.job.id)}, {"copy", copy}});
        }
        return {};
      }
      if (errno != EEXIST) break;
    }
    const std::string trouble = errno_text("link");
    ::unlink(draft.c_str());
    return trouble;
  }

  const CaptureOptions options_;
  Metrics& metrics_;
  const std::string route_ = "capture";
  Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Waiting> waiting_ EILBOTE_GUARDED_BY(mutex_);
  std::deque<Waiting> stalled_ EILBOTE_GUARDED_BY(mutex_);
  std::vector<std::function<void(Result<void>)>> probes_ EILBOTE_GUARDED_BY(mutex_);
  Service service_;
};

}  // namespace

Result<std::unique_ptr<MailChannel>> make_capture_channel(CaptureOptions options, Metrics& metrics) {
  std::error_code trouble;
  fs::create_directories(options.folder, trouble);
  if (trouble) return fail(ErrorKind::invalid, "capture folder " + options.folder + ": " + trouble.message());
  return std::make_unique<CaptureChannel>(std::move(options), metrics);
}

}  // namespace eilbote
