// What a broker carries, written and read: what foreign programs may send, and what is refused without being repeated.
#include "domain/carried_job.h"

#include <gtest/gtest.h>

#include "base/ascii.h"
#include "domain/json_members.h"
#include "domain/tsid.h"

namespace eilbote::test::carried_job_test {
namespace {

const JobId kId{871'234'567'890'123'456};

std::string with_id(const std::string& rest = "") {
  return R"({"EmailId":")" + to_text(kId) + "\"" + rest + "}";
}

TEST(CarriedJob, is_written_with_the_three_fields_in_their_order) {
  EXPECT_EQ(carried_job_text({kId, "order-7", 3}),
            R"({"EmailId":")" + to_text(kId) + R"(","MessageKey":"order-7","attempt":3})");
  EXPECT_EQ(carried_job_text({kId, "order-7", std::nullopt}),
            R"({"EmailId":")" + to_text(kId) + R"(","MessageKey":"order-7"})");
}

TEST(CarriedJob, reads_what_it_writes) {
  for (const std::string& key :
       {std::string("order-7"), std::string("\"quoted\\\" \n\t"), std::string("käse"),
        std::string("callback\x01"
                    "0J8"),
        std::string(128, '\x01')}) {
    const std::string text = carried_job_text({kId, key, 7});
    ASSERT_LE(text.size(), kCarriedBytesMax);
    const auto job = parse_carried_job(text);
    ASSERT_TRUE(job) << job.error().message;
    EXPECT_EQ(job->id, kId);
    EXPECT_EQ(job->key, key);
    EXPECT_EQ(job->attempt, 7);
  }
}

struct Read {
  const char* name;
  std::string text;
  std::string key;
  std::optional<int> attempt;
};
void PrintTo(const Read& read, std::ostream* out) {
  *out << read.name;
}
class CarriedJobRead : public testing::TestWithParam<Read> {};

TEST_P(CarriedJobRead, finds_the_job) {
  const auto job = parse_carried_job(GetParam().text);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->id, kId);
  EXPECT_EQ(job->key, GetParam().key);
  EXPECT_EQ(job->attempt, GetParam().attempt);
}

const std::string kText = to_text(kId);
INSTANTIATE_TEST_SUITE_P(
    Table, CarriedJobRead,
    testing::Values(
        Read{"only_an_id", with_id(), kText, std::nullopt},
        Read{"names_in_lower_case", R"({"emailid":")" + kText + R"(","messagekey":"k","ATTEMPT":2})", "k", 2},
        Read{"id_in_lower_case", R"({"EmailId":")" + ascii_lower(kText) + "\"}", kText, std::nullopt},
        Read{"id_as_number", R"({"EmailId":871234567890123456})", kText, std::nullopt},
        Read{"id_as_digits", R"({"EmailId":"871234567890123456"})", kText, std::nullopt},
        Read{"unknown_fields", with_id(R"(,"tenant":{"a":[1,2,{"EmailId":5}]},"x":null)"), kText,
             std::nullopt},
        Read{"nulls_are_absent", with_id(R"(,"MessageKey":null,"attempt":null)"), kText, std::nullopt},
        Read{"a_key_that_is_no_text", with_id(R"(,"MessageKey":17)"), kText, std::nullopt},
        Read{"blanks", " \r\n\t" + with_id(R"( , "attempt" : 1 )") + "\n", kText, 1},
        Read{"largest_attempt", with_id(R"(,"attempt":2147483647)"), kText, 2147483647},
        Read{"as_long_as_may_be", with_id() + std::string(kCarriedBytesMax - with_id().size(), ' '), kText,
             std::nullopt}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(CarriedJob, thirteen_digits_are_the_ids_text) {
  const auto job = parse_carried_job(R"({"EmailId":"0123456789012"})");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->id, *parse_job_id("0123456789012"));
}

struct Refused {
  const char* name;
  std::string text;
  std::string says;
};
void PrintTo(const Refused& refused, std::ostream* out) {
  *out << refused.name;
}
class CarriedJobRefused : public testing::TestWithParam<Refused> {};

// Every refused message has this in it; no error may.
constexpr std::string_view kSecret = "geheim";

TEST_P(CarriedJobRefused, says_what_is_wrong_and_not_what_it_read) {
  const auto job = parse_carried_job(GetParam().text);
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().kind, ErrorKind::invalid);
  EXPECT_NE(job.error().message.find(GetParam().says), std::string::npos) << job.error().message;
  EXPECT_EQ(job.error().message.find(kSecret), std::string::npos) << job.error().message;
}

std::string nested(int levels) {
  return with_id(",\"geheim\":" + std::string(static_cast<std::size_t>(levels), '[') +
                 std::string(static_cast<std::size_t>(levels), ']'));
}

INSTANTIATE_TEST_SUITE_P(
    Table, CarriedJobRefused,
    testing::Values(
        Refused{"empty", "", "not JSON"}, Refused{"garbage", "geheim", "not JSON"},
        Refused{"cut_off", R"({"EmailId":"geheim)", "not JSON"},
        Refused{"more_behind", with_id() + "geheim", "not JSON"},
        Refused{"not_utf8", with_id(",\"geheim\":\"\xff\""), "not JSON"},
        Refused{"a_nul_byte", with_id(std::string(",\"geheim\":\"\0\"", 13)), "not JSON"},
        Refused{"a_nul_in_the_key", with_id(R"(,"MessageKey":"geheim\u0000")"), "U+0000"},
        Refused{"a_nul_in_the_id", R"({"EmailId":"geheim\u0000"})", "U+0000"},
        Refused{"an_array", R"(["geheim"])", "JSON object"}, Refused{"a_text", R"("geheim")", "JSON object"},
        Refused{"a_number", "17", "JSON object"},
        Refused{"no_id", R"({"MessageKey":"geheim","attempt":1})", "EmailId is missing"},
        Refused{"id_null", R"({"EmailId":null})", "EmailId is missing"},
        Refused{"id_not_an_id", R"({"EmailId":"geheim"})", "EmailId must be"},
        Refused{"id_empty", R"({"EmailId":""})", "EmailId must be"},
        Refused{"id_too_large", R"({"EmailId":"ZZZZZZZZZZZZZ"})", "EmailId must be"},
        Refused{"id_number_too_large", R"({"EmailId":9223372036854775808})", "EmailId must be"},
        Refused{"id_digits_too_large", R"({"EmailId":"9223372036854775808"})", "EmailId must be"},
        Refused{"id_with_blanks", R"({"EmailId":" 871234567890123456"})", "EmailId must be"},
        Refused{"id_zero", R"({"EmailId":0})", "EmailId must be"},
        Refused{"id_below_zero", R"({"EmailId":-5})", "EmailId must be"},
        Refused{"id_digits_below_zero", R"({"EmailId":"-5"})", "EmailId must be"},
        Refused{"id_fraction", R"({"EmailId":871234567890123456.5})", "EmailId must be"},
        Refused{"id_exponent", R"({"EmailId":8e17})", "EmailId must be"},
        Refused{"id_true", R"({"EmailId":true})", "EmailId must be"},
        Refused{"id_object", R"({"EmailId":{"geheim":1}})", "EmailId must be"},
        Refused{"number_out_of_range", with_id(R"(,"geheim":1e999)"), "not JSON"},
        Refused{"attempt_zero", with_id(R"(,"attempt":0)"), "attempt must be"},
        Refused{"attempt_below_zero", with_id(R"(,"attempt":-1)"), "attempt must be"},
        Refused{"attempt_fraction", with_id(R"(,"attempt":1.5)"), "attempt must be"},
        Refused{"attempt_text", with_id(R"(,"attempt":"geheim")"), "attempt must be"},
        Refused{"attempt_too_large", with_id(R"(,"attempt":2147483648)"), "attempt must be"},
        Refused{"id_twice", with_id(R"(,"EmailId":"geheim")"), "twice"},
        Refused{"id_twice_in_another_case", with_id(R"(,"emailID":"geheim")"), "EmailId is given twice"},
        Refused{"id_twice_once_null", with_id(R"(,"emailID":null)"), "EmailId is given twice"},
        Refused{"attempt_twice", with_id(R"(,"attempt":1,"Attempt":1)"), "attempt is given twice"},
        Refused{"unknown_twice", with_id(R"(,"geheim":1,"geheim":2)"), "twice"},
        Refused{"too_deep", nested(40), "deeper"},
        Refused{"too_long", with_id(",\"geheim\":\"" + std::string(kCarriedBytesMax, 'x') + "\""),
                "at most 4096"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(DeadLetter, has_what_a_person_needs_to_act) {
  DeadLetter letter;
  letter.id = kId;
  letter.key = "order-7";
  letter.attempt = 8;
  letter.reason = DeadReason::PermanentFailure;
  letter.last_error = "550 5.1.1 \"no such user\"";
  letter.failed_at = TimePoint{std::chrono::sys_days{std::chrono::year{2026} / 3 / 4}};
  EXPECT_EQ(dead_letter_text(letter),
            R"({"EmailId":")" + kText +
                R"(","MessageKey":"order-7","attempt":8,"deadReason":"PermanentFailure",)"
                R"("lastError":"550 5.1.1 \"no such user\"","failedAt":"2026-03-04T00:00:00.000Z"})");
  // Whoever reads only the three fields of a job finds them here, too.
  const auto as_job = parse_carried_job(dead_letter_text(letter));
  ASSERT_TRUE(as_job);
  EXPECT_EQ(as_job->attempt, 8);
}

TEST(DeadLetter, is_JSON_whatever_the_other_side_said) {
  DeadLetter letter;
  letter.id = kId;
  letter.last_error = std::string("\xff\x00\x1b[31m \xc3", 9);
  EXPECT_TRUE(parse_json(dead_letter_text(letter)).is_object());
}

}  // namespace
}  // namespace eilbote::test::carried_job_test
