// gRFC A88, "Changes to XdsClient Watcher APIs": what an application implements, and no more.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>

#include "holdfast/xds/watcher.h"

namespace holdfast {
namespace {

class Both : public Watcher<std::string> {
 public:
  void OnResourceChanged(absl::StatusOr<std::shared_ptr<const std::string>>) override {}
  void OnAmbientError(absl::Status) override {}
};

class OnlyResourceChanged : public Watcher<std::string> {
 public:
  void OnResourceChanged(absl::StatusOr<std::shared_ptr<const std::string>>) override {}
};

class OnlyAmbientError : public Watcher<std::string> {
 public:
  void OnAmbientError(absl::Status) override {}
};

TEST(WatcherApi, HasTwoCallbacks) {  // R3.01
  EXPECT_FALSE(std::is_abstract_v<Both>);
  EXPECT_TRUE(std::is_abstract_v<OnlyResourceChanged>);
  EXPECT_TRUE(std::is_abstract_v<OnlyAmbientError>);
}

}  // namespace
}  // namespace holdfast
