// Threads and lifetimes of a client, over a transport without gRPC. What is decided is the
// protocol's, and tested there.
#include "client/client_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/client_registry.h"
#include "client/fake_transport_test.h"

namespace holdfast {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr auto kLongEnough = std::chrono::seconds(20);

// A message whose field 1 is its name and whose field 2 is what it says.
class NoteType final : public AnyResourceType {
 public:
  absl::string_view type_name() const override { return "test.Note"; }
  absl::string_view noun() const override { return "note"; }
  bool is_full_state() const override { return false; }
  DecodedResource Decode(absl::string_view bytes, const DecodeContext&) const override {
    DecodedResource decoded;
    if (absl::EndsWith(bytes, "bad")) {
      decoded.errors.Add("says bad");
    } else {
      decoded.value = std::make_shared<ResourceOf<std::string>>(std::string(bytes));
    }
    return decoded;
  }
};

const NoteType& Notes() {
  static const NoteType& type = *new NoteType();
  return type;
}

std::string Note(absl::string_view name, absl::string_view says) {
  return absl::StrCat("\x0a", std::string(1, static_cast<char>(name.size())), name, "\x12",
                      std::string(1, static_cast<char>(says.size())), says);
}

std::string Response(const std::vector<std::string>& names, absl::string_view says, int version) {
  std::vector<std::string> bodies;
  for (const std::string& name : names) bodies.push_back(Note(name, says));
  DiscoveryResponse response;
  const std::string text = absl::StrCat(version);
  response.type_url = "type.googleapis.com/test.Note";
  response.version_info = text;
  response.nonce = text;
  for (size_t i = 0; i < names.size(); ++i) {
    ResourceEntry entry;
    entry.name = names[i];
    entry.type_url = response.type_url;
    entry.body = bodies[i];
    entry.has_body = true;
    response.resources.push_back(entry);
  }
  return EncodeResponse(response);
}

// Answers each request for other names than the last with all of them.
FakeServer::Answer Helpful() {
  return [version = 0, known = std::vector<std::string>()](
             const DiscoveryRequest& request) mutable -> std::vector<std::string> {
    if (request.resource_names == known) return {};
    known = request.resource_names;
    ++version;
    return {Response(known, absl::StrCat("v", version), version)};
  };
}

// Remembers what it heard; a test may wait for it.
class Listener : public AnyWatcher {
 public:
  void OnResourceChanged(absl::StatusOr<ResourceUpdate> update) override {
    Hear(update.ok() ? absl::StrCat("value ", update->version) : update.status().ToString());
  }
  void OnAmbientError(absl::Status status, const std::string&) override {
    Hear(absl::StrCat("ambient ", status.ToString()));
  }

  std::vector<std::string> WaitFor(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLongEnough, [&] { return heard_.size() >= count; });
    return heard_;
  }
  std::vector<std::string> heard() { return WaitFor(0); }

 protected:
  virtual void Hear(std::string news) {
    const std::lock_guard lock(mutex_);
    heard_.push_back(std::move(news));
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> heard_;
};

class ClientCoreTest : public ::testing::Test {
 protected:
  ~ClientCoreTest() override {
    for (const auto& client : clients_) client->Shutdown();
    clients_.clear();
    Drain();
  }

  std::shared_ptr<ClientCore> NewClient(FakeServer& server, std::string key = "test") {
    const auto bootstrap = Bootstrap::Parse(
        R"({"xds_servers": [{"server_uri": "cp:1", "channel_creds": [{"type": "insecure"}]}],
            "node": {"id": "n1"}})");
    XdsClientOptions options;
    options.key = std::move(key);
    ClientParts parts;
    parts.loop = &loop_;
    parts.make_transport = [&server](ControlLoop& loop, AdsTransport::Listener& listener) {
      return std::make_unique<FakeTransport>(loop, listener, server);
    };
    clients_.push_back(ClientCore::Create(*bootstrap, options, std::move(parts)));
    return clients_.back();
  }

  // Returns when everything posted before has run.
  void Drain() {
    std::mutex mutex;
    std::condition_variable done;
    bool is_done = false;
    loop_.Post([&] {
      const std::lock_guard lock(mutex);
      is_done = true;
      done.notify_all();
    });
    std::unique_lock lock(mutex);
    ASSERT_TRUE(done.wait_for(lock, kLongEnough, [&] { return is_done; }));
  }

  ControlLoop loop_;
  std::vector<std::shared_ptr<ClientCore>> clients_;
};

TEST_F(ClientCoreTest, AWatcherHearsItsResource) {
  FakeServer server(Helpful());
  const auto client = NewClient(server);
  const auto alice = std::make_shared<Listener>();
  client->StartWatch(Notes(), "front", alice);
  EXPECT_THAT(alice->WaitFor(1), ElementsAre("value 1"));
  const ClientSnapshot snapshot = client->Snapshot();
  ASSERT_THAT(snapshot.resources, SizeIs(1));
  EXPECT_EQ(snapshot.resources[0].name, "front");
  EXPECT_EQ(snapshot.resources[0].cache_state, "acked");
}

// R3.11: no callback starts after Cancel returned, also from inside a callback.
TEST_F(ClientCoreTest, ACancelInsideACallIsTheLastThatIsHeard) {
  FakeServer server(Helpful());
  const auto client = NewClient(server);
  class Quitter : public Listener {
   public:
    std::function<void()> quit;

   protected:
    void Hear(std::string news) override {
      quit();
      Listener::Hear(std::move(news));
    }
  };
  const auto alice = std::make_shared<Quitter>();
  std::mutex mutex;
  WatchId watch;
  alice->quit = [&] {
    const std::lock_guard lock(mutex);
    client->CancelWatch(watch);
  };
  {
    const std::lock_guard lock(mutex);
    watch = client->StartWatch(Notes(), "front", alice);
  }
  EXPECT_THAT(alice->WaitFor(1), SizeIs(1));
  // Bob's news comes after whatever Alice could still have heard.
  const auto bob = std::make_shared<Listener>();
  client->StartWatch(Notes(), "back", bob);
  bob->WaitFor(1);
  EXPECT_THAT(alice->heard(), SizeIs(1));
}

TEST_F(ClientCoreTest, AWatchStartedInsideACallIsServed) {
  FakeServer server(Helpful());
  const auto client = NewClient(server);
  const auto bob = std::make_shared<Listener>();
  class Follower : public Listener {
   public:
    std::function<void()> follow;

   protected:
    void Hear(std::string news) override {
      if (auto once = std::exchange(follow, nullptr)) once();
      Listener::Hear(std::move(news));
    }
  };
  const auto alice = std::make_shared<Follower>();
  alice->follow = [&] { client->StartWatch(Notes(), "back", bob); };
  client->StartWatch(Notes(), "front", alice);
  EXPECT_THAT(bob->WaitFor(1), ElementsAre(HasSubstr("value")));
}

// R1.21: the next response is not read while a watcher still handles the last; another client's is.
TEST_F(ClientCoreTest, ASlowWatcherDelaysOnlyItsOwnClient) {
  FakeServer server(Helpful());
  FakeServer other_server(Helpful());
  const auto client = NewClient(server, "slow");
  const auto other = NewClient(other_server, "quick");
  class Sleeper : public Listener {
   public:
    std::mutex gate;

   protected:
    void Hear(std::string news) override {
      Listener::Hear(std::move(news));
      const std::lock_guard lock(gate);
    }
  };
  const auto alice = std::make_shared<Sleeper>();
  std::unique_lock gate(alice->gate);
  client->StartWatch(Notes(), "front", alice);
  alice->WaitFor(1);
  // The answer for bob is there, but the client does not read it while Alice is busy.
  const auto bob = std::make_shared<Listener>();
  client->StartWatch(Notes(), "back", bob);
  const auto carol = std::make_shared<Listener>();
  other->StartWatch(Notes(), "front", carol);
  EXPECT_THAT(carol->WaitFor(1), SizeIs(1));
  EXPECT_THAT(bob->heard(), SizeIs(0));
  EXPECT_EQ(client->Snapshot().resources.front().cache_state, "requested");
  gate.unlock();
  EXPECT_THAT(bob->WaitFor(1), SizeIs(1));
}

TEST_F(ClientCoreTest, AfterShutdownNobodyIsCalledAndTheClientIsNotListed) {
  FakeServer server(Helpful());
  const auto client = NewClient(server, "ended");
  const auto alice = std::make_shared<Listener>();
  client->StartWatch(Notes(), "front", alice);
  alice->WaitFor(1);
  client->Shutdown();
  const size_t heard = alice->heard().size();
  client->StartWatch(Notes(), "back", alice);
  Drain();
  EXPECT_EQ(alice->heard().size(), heard);
  for (const ClientStatus& report : LiveClients()) EXPECT_NE(report.snapshot.key, "ended");
}

// Everybody at once; the thread sanitizer watches.
TEST_F(ClientCoreTest, ManyThreadsWatchCancelAndLook) {
  FakeServer server(Helpful());
  const auto client = NewClient(server, "busy");
  std::atomic<int> heard{0};
  class Counter : public AnyWatcher {
   public:
    explicit Counter(std::atomic<int>& count) : count_(count) {}
    void OnResourceChanged(absl::StatusOr<ResourceUpdate>) override { ++count_; }
    void OnAmbientError(absl::Status, const std::string&) override { ++count_; }

   private:
    std::atomic<int>& count_;
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const WatchId watch = client->StartWatch(Notes(), absl::StrCat("n", (i + t) % 7),
                                                 std::make_shared<Counter>(heard));
        if (i % 10 == 0) client->Snapshot();
        if (i % 5 == 0) LiveClients();
        client->CancelWatch(watch);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Drain();
  const auto last = std::make_shared<Listener>();
  client->StartWatch(Notes(), "front", last);
  EXPECT_THAT(last->WaitFor(1), ElementsAre(HasSubstr("value")));
  ASSERT_THAT(client->Snapshot().resources, SizeIs(1));
}

TEST_F(ClientCoreTest, ABadNameIsTheWatchersToHear) {  // R3.12
  FakeServer server(Helpful());
  const auto client = NewClient(server);
  const auto alice = std::make_shared<Listener>();
  client->StartWatch(Notes(), "xdstp://elsewhere/test.Note/a", alice);
  EXPECT_THAT(alice->WaitFor(1),
              ElementsAre(AllOf(HasSubstr("INVALID_ARGUMENT"),
                                HasSubstr("authority \"elsewhere\" is not in \"authorities\""))));
  Drain();
  EXPECT_EQ(server.opened(), 0);
}

}  // namespace
}  // namespace holdfast
