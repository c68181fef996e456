// What gRFC A88 promises to calls: its table "Summary of Behavior Changes", each row for listeners,
// routes, clusters and endpoints, through a channel.
//
//   Fail           calls fail and say why; when the resource comes, they are OK
//   GoOn           calls are OK; if they fail for another reason, that and this are in the message
//   Unaffected     nobody notices
//
// The last two columns are the time before A88, its guard off: without and with
// ignore_resource_deletion. Errors of the server are not read then, so the resource is merely
// missing: never there, or deleted.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/end_to_end/channel/promise_scene.h"

namespace holdfast {
namespace {

enum class Happens {
  kServerDies,
  kStreamsFail,  // before any response
  kInvalid,
  kSilence,
  kDeleted,
  kNotFound,  // the server reports it (TP3), and so on
  kPermissionDenied,
  kUnavailable,
};
enum class Cached { kNo, kYes };
enum class Calls { kFail, kFailAsIfSilent, kFailAsIfDeleted, kGoOn, kUnaffected };

constexpr Calls kFail = Calls::kFail;
constexpr Calls kFailAsIfSilent = Calls::kFailAsIfSilent;
constexpr Calls kFailAsIfDeleted = Calls::kFailAsIfDeleted;
constexpr Calls kGoOn = Calls::kGoOn;
constexpr Calls kUnaffected = Calls::kUnaffected;

struct Row {
  const char* name;
  Happens happens;
  Cached cached;
  Calls tolerant;
  Calls strict;  // fail_on_data_errors
  Calls before;  // the guard is off
  Calls before_ignoring;
  bool transient_timer = false;  // resource_timer_is_transient_error

  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }
};

// Of one resource.
constexpr Row kRows[] = {
    {"ServerDies_NotCached", Happens::kServerDies, Cached::kNo,  // R3-T01
     kFail, kFail, kFail, kFail},
    {"StreamsFail_NotCached", Happens::kStreamsFail, Cached::kNo,  // R3-T03
     kFail, kFail, kFail, kFail},
    {"Nack_NotCached", Happens::kInvalid, Cached::kNo,  // R3-T05
     kFail, kFail, kFail, kFail},
    {"Nack_Cached", Happens::kInvalid, Cached::kYes,  // R3-T06 R3-T07
     kGoOn, kFail, kGoOn, kGoOn},
    {"Timeout", Happens::kSilence, Cached::kNo,  // R3-T08a
     kFail, kFail, kFail, kFail},
    {"Timeout_Transient", Happens::kSilence, Cached::kNo,  // R3-T08b
     kFail, kFail, kFailAsIfSilent, kFailAsIfSilent, true},
    {"NotFound_NotCached", Happens::kNotFound, Cached::kNo,  // R3-T11
     kFail, kFail, kFailAsIfSilent, kFailAsIfSilent},
    {"NotFound_Cached", Happens::kNotFound, Cached::kYes,  // R3-T12 R3-T13
     kGoOn, kFail, kFailAsIfDeleted, kUnaffected},
    {"PermissionDenied_NotCached", Happens::kPermissionDenied, Cached::kNo,  // R3-T11
     kFail, kFail, kFailAsIfSilent, kFailAsIfSilent},
    {"PermissionDenied_Cached", Happens::kPermissionDenied, Cached::kYes,  // R3-T12 R3-T13
     kGoOn, kFail, kFailAsIfDeleted, kUnaffected},
    {"OtherCode_NotCached", Happens::kUnavailable, Cached::kNo,  // R3-T14
     kFail, kFail, kFailAsIfSilent, kFailAsIfSilent},
    {"OtherCode_Cached", Happens::kUnavailable, Cached::kYes,  // R3-T15
     kGoOn, kGoOn, kFailAsIfDeleted, kUnaffected},
};

// Of listeners and clusters: what a response of theirs does not name is gone.
constexpr Row kDeletions[] = {
    {"Deleted", Happens::kDeleted, Cached::kYes,  // R3-T09 R3-T10
     kGoOn, kFail, kFailAsIfDeleted, kUnaffected},
};

// Of all four resources at once.
constexpr Row kOutages[] = {
    {"ServerDies_Cached", Happens::kServerDies, Cached::kYes,  // R3-T02
     kGoOn, kGoOn, kGoOn, kGoOn},
    {"StreamsFail_Cached", Happens::kStreamsFail, Cached::kYes,  // R3-T04
     kGoOn, kGoOn, kGoOn, kGoOn},
};

struct Mode {
  const char* name;
  const char* guard;
  std::vector<std::string> features;
  Calls Row::*column;
};

const std::vector<Mode>& Modes() {
  static const auto& all = *new std::vector<Mode>{
      {"tolerant", "true", {}, &Row::tolerant},
      {"strict", "true", {"fail_on_data_errors"}, &Row::strict},
      {"ignoring", "true", {"ignore_resource_deletion"}, &Row::tolerant},
      {"before", "false", {}, &Row::before},
      {"before, strict", "false", {"fail_on_data_errors"}, &Row::before},
      {"before, ignoring", "false", {"ignore_resource_deletion"}, &Row::before_ignoring},
  };
  return all;
}

class Play {
 public:
  Play(const Row& row, const Subject& subject, const Mode& mode)
      : row_(row), subject_(subject), calls_(row.*mode.column) {
    // Routes and endpoints are not gone if a response does not name them.
    const std::string type = subject.type;
    const bool is_full_state = type == "lds" || type == "cds";
    if (calls_ == kFailAsIfDeleted && !is_full_state) calls_ = kUnaffected;
    SceneOptions options{.guard = mode.guard, .features = mode.features};
    options.is_timer_short = row.happens == Happens::kSilence || calls_ == kFailAsIfSilent;
    if (row.transient_timer) options.features.push_back("resource_timer_is_transient_error");
    scene_ = std::make_unique<Scene>(subject, options);
    is_dropped_by_feature_ = mode.guard == std::string("true");
  }

  void Perform() {
    if (row_.cached == Cached::kYes) {
      scene_->PutAll();
      scene_->ExpectOk();
    } else {
      scene_->PutOthers();
    }
    Let();
    switch (calls_) {
      case kFail:
      case kFailAsIfSilent:
      case kFailAsIfDeleted:
        return ExpectThatCallsFail();
      case kGoOn:
        return ExpectThatCallsGoOn();
      case kUnaffected:
        return ExpectThatNobodyNotices();
    }
  }

 private:
  void Let() {
    ObligingXdsServer& xds = scene_->xds();
    switch (row_.happens) {
      case Happens::kServerDies:
        BeginUnlessItIsTheFirst();
        return xds.Kill();
      case Happens::kStreamsFail:
        BeginUnlessItIsTheFirst();
        return xds.RefuseStreams(absl::PermissionDeniedError("who are you?"));
      case Happens::kSilence:
        return;
      case Happens::kInvalid:
        scene_->PutBad();
        if (row_.cached == Cached::kYes) xds.WaitForNack(subject_.type);
        return;
      case Happens::kDeleted:
        scene_->Remove();
        return xds.WaitForAck(subject_.type);
      case Happens::kNotFound:
        return Report(5);
      case Happens::kPermissionDenied:
        return Report(7);
      case Happens::kUnavailable:
        return Report(14);
    }
  }
  void Report(int32_t code) {
    scene_->PutError(code, "ask #net");
    if (row_.cached == Cached::kYes) scene_->xds().WaitForAck(subject_.type);
  }
  // A server that is away from the start leaves nothing but the listener to wait for.
  void BeginUnlessItIsTheFirst() {
    if (row_.cached == Cached::kYes || subject_.type == std::string("lds")) return;
    scene_->Connect();
    scene_->xds().WaitForSubscription(subject_.type, subject_.name);
  }

  // The good resource is there, and the server, for all who ask.
  void Heal() {
    if (!IsOutage() || row_.cached == Cached::kNo) scene_->PutGood();
    if (row_.happens == Happens::kServerDies) scene_->xds().Restart();
    if (row_.happens == Happens::kStreamsFail) scene_->xds().AcceptStreams();
  }
  bool IsOutage() const {
    return row_.happens == Happens::kServerDies || row_.happens == Happens::kStreamsFail;
  }

  void ExpectThatCallsFail() {
    const std::string words = FailureWords();
    if (row_.cached == Cached::kYes) {
      scene_->ExpectTurn("OK", words);
    } else {
      scene_->ExpectEventually(words);
    }
    scene_->ExpectState(GRPC_CHANNEL_TRANSIENT_FAILURE);
    scene_->ExpectNow(words);
    Heal();
    if (IsOutage()) {
      scene_->ExpectEventually("OK");  // The all-clear is not for all four at once.
    } else {
      scene_->ExpectTurn(words, "OK");
    }
    scene_->ExpectState(GRPC_CHANNEL_READY);
  }
  std::string FailureWords() const {
    const bool is_above_and_below = IsOutage() && subject_.type == std::string("eds");
    if (!is_above_and_below) return scene_->FailureWords(Complaint());
    return scene_->WordsWithoutEndpoints(scene_->WithNode(
        absl::StrCat(Listeners().whose, ", ", Routes().whose, ", ", Clusters().whose, ": ",
                     Complaint(), "; using the cached resource; ", scene_->Note(Complaint()))));
  }

  void ExpectThatCallsGoOn() {
    scene_->ExpectOk();
    scene_->backend().Kill();
    scene_->ExpectEventually(scene_->UnreachableWords(AmbientNote()));
    scene_->backend().Restart();
    scene_->ExpectEventually("OK");  // though the error has reached the channel
    scene_->ExpectState(GRPC_CHANNEL_READY);
    Heal();
    scene_->backend().Kill();
    scene_->ExpectEventually(scene_->UnreachableWords(kNodeNote));
  }
  std::string AmbientNote() const {
    if (!IsOutage()) return scene_->WithNode(scene_->Note(Complaint()));
    std::vector<std::string> all;
    for (const Subject* subject : AllSubjects()) all.push_back(subject->whose);
    return scene_->WithNode(
        absl::StrCat(absl::StrJoin(all, ", "), ": ", Complaint(), "; using the cached resource"));
  }

  // Something else goes wrong, and the note has that and nothing from before.
  void ExpectThatNobodyNotices() {
    scene_->ExpectOk();
    const Subject& other = &subject_ == &Clusters() ? Routes() : Clusters();
    scene_->backend().Kill();
    scene_->Put(other, other.bad());
    scene_->ExpectEventually(scene_->UnreachableWords(scene_->WithNode(absl::StrCat(
        other.whose, ": version 3 was rejected: ", other.why_bad, "; keeping version 2"))));
  }

  // What is wrong, in the client's words.
  std::string Complaint() const {
    if (calls_ == kFailAsIfSilent) return scene_->TimedOut();
    const std::string then = Consequence();
    if (calls_ == kFailAsIfDeleted) return scene_->Deleted(then);
    switch (row_.happens) {
      case Happens::kServerDies:
        return scene_->Unreachable();
      case Happens::kStreamsFail:
        return scene_->Refused();
      case Happens::kSilence:
        return row_.transient_timer ? scene_->Slow() : scene_->TimedOut();
      case Happens::kInvalid:
        return scene_->Rejected(then);
      case Happens::kDeleted:
        return scene_->Deleted(then);
      case Happens::kNotFound:
        return absl::StrCat(scene_->Reported(5, "ask #net"), then);
      case Happens::kPermissionDenied:
        return absl::StrCat(scene_->Reported(7, "ask #net"), then);
      case Happens::kUnavailable:
        return absl::StrCat(scene_->Reported(14, "ask #net"), then);
    }
    return "";
  }
  std::string Consequence() const {
    if (row_.cached == Cached::kNo) return "";
    if (calls_ == kGoOn) return scene_->Kept();
    return scene_->Dropped(is_dropped_by_feature_ ? "fail_on_data_errors"
                                                  : "no ignore_resource_deletion");
  }

  const Row& row_;
  const Subject& subject_;
  Calls calls_;
  bool is_dropped_by_feature_ = false;
  std::unique_ptr<Scene> scene_;
};

class Promise : public testing::TestWithParam<Row> {
 protected:
  static void ExpectKept(const Subject& subject) {
    for (const Mode& mode : Modes()) {
      SCOPED_TRACE(absl::StrCat(subject.type, ", ", mode.name));
      Play(GetParam(), subject, mode).Perform();
      if (HasFailure()) return;  // The others would take as long to say the same.
    }
  }
};
class PromiseWhenDeleted : public Promise {};
class PromiseInAnOutage : public Promise {};

// R2.24, R3.33, R11.05, R11.30, R11.31, R11.33, R11.34, R11.40, R11.41
TEST_P(Promise, OfListeners) { ExpectKept(Listeners()); }
TEST_P(Promise, OfRoutes) { ExpectKept(Routes()); }      // R3.33, R11.05, R11.30, R11.40, R11.41
TEST_P(Promise, OfClusters) { ExpectKept(Clusters()); }  // R3.33, R11.30, R11.40, R11.41
TEST_P(Promise, OfEndpoints) { ExpectKept(EndpointsOfPay()); }  // R3.33, R11.30, R11.40, R11.41

// R6.01, R6.02, R6.04, R6.08, R11.40, R11.41
TEST_P(PromiseWhenDeleted, OfListeners) { ExpectKept(Listeners()); }
TEST_P(PromiseWhenDeleted, OfClusters) { ExpectKept(Clusters()); }  // R6.01, R6.02, R6.04, R6.08

// R3.30, R11.05, R11.36
TEST_P(PromiseInAnOutage, OfAll) { ExpectKept(Listeners()); }

const auto kNameOf = [](const auto& row) { return std::string(row.param.name); };
INSTANTIATE_TEST_SUITE_P(A88, Promise, testing::ValuesIn(kRows), kNameOf);
INSTANTIATE_TEST_SUITE_P(A88, PromiseWhenDeleted, testing::ValuesIn(kDeletions), kNameOf);
INSTANTIATE_TEST_SUITE_P(A88, PromiseInAnOutage, testing::ValuesIn(kOutages), kNameOf);

}  // namespace
}  // namespace holdfast
