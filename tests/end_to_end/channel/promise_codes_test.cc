// Whatever code a server reports for a resource (TP3), calls never have it, and only two of the
// codes can take a resource away.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/end_to_end/channel/promise_scene.h"

namespace holdfast {
namespace {

// gRPC's, and numbers that are none. An error of code 0 is no error, and not judged here.
constexpr int32_t kCodes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, -1, 999};

bool IsDataError(int32_t code) { return code == 5 || code == 7; }

std::string ReasonOf(int32_t code) { return absl::StrCat("reason ", code); }

struct Type {
  const char* name;
  const Subject& (*subject)();

  friend void PrintTo(const Type& type, std::ostream* out) { *out << type.name; }
};

class PromiseForEveryCode : public testing::TestWithParam<Type> {
 protected:
  // Calls fail from here on, so that their words show what the channel knows.
  static void LoseTheBackend(Scene& scene) {
    scene.PutAll();
    scene.ExpectOk();
    scene.backend().Kill();
    scene.ExpectEventually(scene.UnreachableWords(kNodeNote));
  }
};

// R2.14, R2.15, R2.24, R3-T11, R3-T14, R11.40, R11.41
TEST_P(PromiseForEveryCode, CallsAreUnavailableIfThereIsNothingToUse) {
  Scene scene(GetParam().subject(), {});
  scene.PutOthers();
  for (const int32_t code : kCodes) {
    SCOPED_TRACE(code);
    scene.PutError(code, ReasonOf(code));
    scene.ExpectEventually(scene.FailureWords(scene.Reported(code, ReasonOf(code))));
  }
  scene.PutError(5, "");
  scene.ExpectEventually(scene.FailureWords(scene.ReportedWithoutReason("NOT_FOUND")));
  scene.PutGood();
  scene.ExpectEventually("OK");
}

// R2.12, R2.13, R3-T12, R3-T15, R11.33, R11.34
TEST_P(PromiseForEveryCode, CallsGoOnWithWhatTheyHave) {
  Scene scene(GetParam().subject(), {});
  LoseTheBackend(scene);
  for (const int32_t code : kCodes) {
    SCOPED_TRACE(code);
    scene.PutError(code, ReasonOf(code));
    scene.ExpectEventually(scene.UnreachableWords(scene.WithNode(
        scene.Note(absl::StrCat(scene.Reported(code, ReasonOf(code)), scene.Kept())))));
  }
  scene.backend().Restart();
  scene.ExpectEventually("OK");
}

// R2.12, R2.13, R3-T13, R3-T15, R11.40, R11.41
TEST_P(PromiseForEveryCode, OnlyTwoTakeItAwayEvenFromTheStrict) {
  Scene scene(GetParam().subject(), {.features = {"fail_on_data_errors"}});
  LoseTheBackend(scene);
  for (const int32_t code : kCodes) {
    SCOPED_TRACE(code);
    const std::string reason = scene.Reported(code, ReasonOf(code));
    scene.PutError(code, ReasonOf(code));
    scene.ExpectEventually(
        IsDataError(code)
            ? scene.FailureWords(absl::StrCat(reason, scene.Dropped("fail_on_data_errors")))
            : scene.UnreachableWords(
                  scene.WithNode(scene.Note(absl::StrCat(reason, scene.Kept())))));
    scene.PutGood();
    scene.Use();
    scene.ExpectEventually(scene.UnreachableWords(kNodeNote));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, PromiseForEveryCode,
                         testing::ValuesIn(std::vector<Type>{{"Listener", Listeners},
                                                             {"Routes", Routes},
                                                             {"Cluster", Clusters},
                                                             {"Endpoints", EndpointsOfPay}}),
                         [](const auto& type) { return std::string(type.param.name); });

}  // namespace
}  // namespace holdfast
