#include "base/certificate_time.h"

#include <openssl/x509.h>

#include <ctime>

namespace eilbote {

TimePoint expiry_of(const x509_st* certificate) {
  std::tm at{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &at) != 1)
    return TimePoint{};
  return std::chrono::time_point_cast<TimePoint::duration>(
      std::chrono::system_clock::from_time_t(::timegm(&at)));
}

}  // namespace eilbote
