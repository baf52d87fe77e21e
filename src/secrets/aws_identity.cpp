#include "secrets/aws_identity.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/mutex.h"

namespace eilbote {
namespace {

using namespace std::chrono_literals;

// The chain renews borrowed credentials minutes before their end, so that this is never too late.
constexpr Duration kBelieved = 30s;
constexpr Duration kErrorBelieved = 2s;

class AwsIdentity {
 public:
  AwsIdentity(AwsOptions options, const Clock& clock)
      : options_(std::move(options)), clock_(clock), http_("", options_.timeout), chain_(options_, http_) {}

  // The lock is held while the chain asks: whoever comes meanwhile wants that very answer.
  Result<AwsCredentials> get() {
    const MutexLock lock(mutex_);
    const auto now = clock_.steady_now();
    if (known_ && now < ask_again_) return *known_;
    const auto got = chain_.get();
    known_ = got ? Result<AwsCredentials>(*got) : fail(got.error().error);
    ask_again_ = clock_.steady_now() + (got ? kBelieved : std::max(kErrorBelieved, got.error().come_back));
    return *known_;
  }

 private:
  const AwsOptions options_;
  const Clock& clock_;
  Mutex mutex_;
  SecretHttp http_ EILBOTE_GUARDED_BY(mutex_);
  AwsCredentialChain chain_ EILBOTE_GUARDED_BY(mutex_);
  std::optional<Result<AwsCredentials>> known_ EILBOTE_GUARDED_BY(mutex_);
  Clock::Steady ask_again_ EILBOTE_GUARDED_BY(mutex_){};
};

}  // namespace

std::function<Result<AwsCredentials>()> make_aws_identity(AwsOptions options, const Clock& clock) {
  return [identity = std::make_shared<AwsIdentity>(std::move(options), clock)] { return identity->get(); };
}

}  // namespace eilbote
