#include "tests/channel/fake_director.h"

#include <utility>

#include "tests/support/patience.h"

namespace holdfast {

void FakeDirector::Answer(Direction direction) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    answer_ = std::move(direction);
    ++version_;
  }
  RetryAll();
}

void FakeDirector::StartOn(std::shared_ptr<grpc::Channel> channel,
                           std::optional<absl::Duration> longest) {
  Answer({.kind = Direction::Kind::kStart, .channel = std::move(channel), .longest = longest});
}

void FakeDirector::MakeWait() { Answer({.kind = Direction::Kind::kWait}); }

void FakeDirector::Fail(grpc::StatusCode code, std::string message) {
  Answer({.kind = Direction::Kind::kFail, .status = grpc::Status(code, std::move(message))});
}

void FakeDirector::Drop(grpc::StatusCode code, std::string message) {
  Answer({.kind = Direction::Kind::kDrop, .status = grpc::Status(code, std::move(message))});
}

bool FakeDirector::AwaitWaiting(size_t calls) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, absl::ToChronoSeconds(kPatience),
                    [&] { return waiting_.size() >= calls || has_given_up_; });
  return waiting_.size() >= calls;
}

void FakeDirector::GiveUp() {
  const std::lock_guard<std::mutex> lock(mutex_);
  has_given_up_ = true;
  changed_.notify_all();
}

int FakeDirector::asked() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return asked_;
}

int FakeDirector::waited() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return waited_;
}

uint64_t FakeDirector::changes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return version_;
}

Direction FakeDirector::Direct(const RoutedCall&, std::shared_ptr<WaitingPlace>& place) {
  on_asked_();
  const std::lock_guard<std::mutex> lock(mutex_);
  ++asked_;
  const auto mine = std::make_shared<Place>();
  mine->version = version_;
  place = mine;
  return answer_;
}

void FakeDirector::Wait(std::weak_ptr<WaitingCall> call, std::shared_ptr<WaitingPlace> place) {
  bool is_news = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++waited_;
    waiting_.push_back(std::move(call));
    is_news = static_cast<const Place&>(*place).version != version_;
    changed_.notify_all();
  }
  if (is_news) RetryAll();
}

void FakeDirector::RetryAll() {
  for (;;) {
    std::vector<std::weak_ptr<WaitingCall>> calls;
    uint64_t version = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      calls.swap(waiting_);
      version = version_;
    }
    std::vector<std::weak_ptr<WaitingCall>> left;
    for (const std::weak_ptr<WaitingCall>& waiting : calls) {
      const std::shared_ptr<WaitingCall> call = waiting.lock();
      if (call != nullptr && !call->TryAgain()) left.push_back(waiting);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.insert(waiting_.end(), left.begin(), left.end());
    changed_.notify_all();
    if (version == version_) return;
  }
}

StartsWhoeverWaits::StartsWhoeverWaits(std::shared_ptr<FakeDirector> director,
                                       std::shared_ptr<grpc::Channel> channel)
    : director_(std::move(director)), thread_([this, channel = std::move(channel)] {
        if (director_->AwaitWaiting(1)) director_->StartOn(channel);
      }) {}

StartsWhoeverWaits::~StartsWhoeverWaits() {
  director_->GiveUp();
  thread_.join();
}

}  // namespace holdfast
