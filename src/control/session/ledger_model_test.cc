// Random commits, requests and answers against a client that is modelled name by name, with nothing
// shared and nothing clever: after each step session and model agree on every state.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "control/session/session_conversation_test.h"

namespace holdfast {
namespace {

constexpr const char* kPlaces[] = {"oslo", "paris", "rome", "turin"};
constexpr const char* kStates[] = {"good", "waiting", "held_back", "failed"};

using States = std::map<std::string, std::string>;

// What a client was told of a name, and what it made of it.
struct Modelled {
  std::string last_sent;  // content; empty: nothing
  std::string runs;
  bool is_rejected = false;
  int error = 0;
};

// A response on its way to be answered: what was new in it.
struct Pending {
  std::string nonce;
  std::map<std::string, std::string> news;
  std::map<std::string, std::string> all;
};

class Model {
 public:
  Model(Variant variant, std::string type, bool is_wildcard)
      : is_all_(variant == Variant::kSotw && IsFullStateType(LongType(type))),
        is_wildcard_(is_wildcard) {}

  std::set<std::string> names;  // asked for by name

  void Received(const SendResponse& response) {
    Pending pending{.nonce = response.nonce, .news = {}, .all = {}};
    std::set<std::string> present;
    for (const ResourcePtr& resource : ResourcesIn(response)) {
      present.insert(resource->name());
      Modelled& one = clients_[resource->name()];
      const std::string content(resource->body());
      if (one.last_sent != content) pending.news[resource->name()] = content;
      pending.all[resource->name()] = content;
      one.last_sent = content;
      one.error = 0;
      if (pending.news.contains(resource->name()) && one.runs == content) one.is_rejected = false;
    }
    for (const auto& [name, error] : response.errors) {
      Modelled& one = clients_[name];
      one.last_sent.clear();
      one.is_rejected = false;
      one.error = error.code;
      if (MeansAbsence(error)) one.runs.clear();
    }
    if (is_wildcard_) {
      // Absent is gone, and so is what was known of it.
      for (const std::string& name : response.removed) clients_.erase(name);
      if (is_all_) {
        std::erase_if(clients_, [&](const auto& one) { return !present.contains(one.first); });
      }
    }
    pending_.push_back(std::move(pending));
  }

  bool HasPending() const { return !pending_.empty(); }
  // Of what is further behind than this a session does not remember everything.
  bool HasMany() const { return pending_.size() >= 6; }
  const std::string& OldestNonce() const { return pending_.front().nonce; }
  std::vector<std::string> OldestNews() const {
    std::vector<std::string> news;
    for (const auto& [name, content] : pending_.front().news) news.push_back(name);
    return news;
  }

  // `named` are those that the reason names; none and not `is_ack`: all that is new is bad.
  void Answer(bool is_ack, const std::set<std::string>& named) {
    const Pending answered = std::move(pending_.front());
    pending_.pop_front();
    for (const auto& [name, content] : answered.news) {
      const auto known = clients_.find(name);
      if (known == clients_.end()) continue;
      Modelled& one = known->second;
      const bool is_taken = is_ack || (!named.empty() && !named.contains(name));
      if (is_taken || one.runs == content) {
        one.runs = content;
        one.is_rejected = false;
      } else {
        // What it runs may be on its way again.
        one.is_rejected = std::none_of(pending_.begin(), pending_.end(), [&](const Pending& later) {
          const auto found = later.news.find(name);
          return !one.runs.empty() && found != later.news.end() && found->second == one.runs;
        });
      }
    }
    if (!is_ack || !is_all_) return;
    for (const auto& [name, content] : answered.all) {
      const auto known = clients_.find(name);
      if (known == clients_.end() || known->second.error != 0) continue;
      known->second.runs = content;
      known->second.is_rejected = false;
    }
  }

  void Unsubscribed(const std::string& name) {
    names.erase(name);
    clients_.erase(name);
    for (Pending& one : pending_) one.news.erase(name);
  }

  States Expected(const TypeView& served) const {
    States states;
    std::set<std::string> asked = names;
    if (is_wildcard_) {
      for (const ResourcePtr& resource : served.resources()) asked.insert(resource->name());
    }
    for (const std::string& name : asked) {
      const auto known = clients_.find(name);
      const Modelled one = known == clients_.end() ? Modelled() : known->second;
      const ResourcePtr* const found = served.Find(name);
      const std::string now = found == nullptr ? "" : std::string((*found)->body());
      const bool is_pending = std::any_of(pending_.begin(), pending_.end(),
                                          [&](const Pending& p) { return p.news.contains(name); });
      std::string state = "good";
      if (one.error != 0) {
        state = one.runs.empty() ? "failed" : "held_back";
      } else if (one.is_rejected && one.runs != now) {
        state = one.runs.empty() ? "failed" : "held_back";
      } else if (!one.is_rejected && is_pending && one.runs != now) {
        state = "waiting";
      }
      states[name] = absl::StrCat(state, one.runs.empty() ? "" : " runs ", one.runs);
    }
    return states;
  }

 private:
  const bool is_all_;
  const bool is_wildcard_;
  std::map<std::string, Modelled> clients_;
  std::deque<Pending> pending_;
};

class Story {
 public:
  Story(Variant variant, std::string type, bool is_wildcard, uint32_t seed)
      : variant_(variant),
        type_(std::move(type)),
        is_wildcard_(is_wildcard),
        random_(seed),
        talk_(variant),
        model_(variant, type_, is_wildcard) {
    talk_.Commit({absl::StrCat(type_, "/oslo=v0")});
    if (is_wildcard_) {
      Request({}, {}, "", "");
    } else {
      Subscribe("oslo");
    }
    Listen();
  }

  void Step() {
    switch (random_() % 6) {
      case 0:
      case 1:
        if (!model_.HasMany()) Commit();
        break;
      case 2:
        if (!is_wildcard_) ChangeSubscription();
        break;
      default:
        if (model_.HasPending()) Answer();
        break;
    }
    Listen();
    talk_.After(absl::Seconds(1));
    Listen();
    Compare();
  }

 private:
  std::string Place() { return kPlaces[random_() % std::size(kPlaces)]; }

  void Commit() {
    const std::string key = absl::StrCat(type_, "/", Place());
    // Errors while something is on its way are a matter of taste.
    const uint64_t kind = model_.HasPending() ? 0 : random_() % 6;
    std::vector<std::string> changes = {absl::StrCat(key, "!")};
    if (kind <= 2) {
      changes.push_back(absl::StrCat(key, "=v", random_() % 3));
    } else if (kind <= 4) {
      changes.push_back(absl::StrCat("-", key));
    } else {
      changes.push_back(absl::StrCat("-", key));
      changes.push_back(absl::StrCat(key, random_() % 2 == 0 ? "!14" : "!7"));
    }
    Note(absl::StrJoin(changes, " "));
    talk_.Commit(changes);
  }

  void ChangeSubscription() {
    const std::string name = Place();
    // What is on its way to one who asks again is another matter of taste.
    if (model_.HasPending()) return;
    if (model_.names.contains(name)) {
      if (model_.names.size() == 1) return;
      Note(absl::StrCat("unsubscribe ", name));
      model_.Unsubscribed(name);
      Request({}, {name}, "", "");
    } else {
      Subscribe(name);
    }
  }
  void Subscribe(const std::string& name) {
    Note(absl::StrCat("subscribe ", name));
    model_.names.insert(name);
    Request({name}, {}, "", "");
  }

  void Answer() {
    const std::string nonce = model_.OldestNonce();
    const uint64_t kind = random_() % 3;
    std::set<std::string> named;
    std::string why;
    if (kind == 1) why = "no good";
    if (kind == 2) {
      why = "bad:";
      for (const std::string& name : model_.OldestNews()) {
        if (random_() % 2 == 0) continue;
        named.insert(name);
        absl::StrAppend(&why, " ", name);
      }
    }
    Note(absl::StrCat("answer ", nonce, " ", why));
    model_.Answer(why.empty(), named);
    Request({}, {}, nonce, why);
  }

  void Request(std::vector<std::string> added, std::vector<std::string> removed, std::string nonce,
               std::string why) {
    if (variant_ == Variant::kDelta) {
      talk_.Delta(type_, {.sub = std::move(added),
                          .unsub = std::move(removed),
                          .nonce = std::move(nonce),
                          .why = std::move(why)});
      return;
    }
    const std::vector<std::string> all(model_.names.begin(), model_.names.end());
    talk_.Ask(type_, all, nonce.empty() ? "-" : nonce, std::move(why));
  }

  void Listen() {
    for (; heard_ < talk_.responses().size(); ++heard_) model_.Received(talk_.responses()[heard_]);
  }

  void Compare() {
    States states;
    const SessionReport report = talk_.session().Report({.with_good = true});
    ASSERT_EQ(report.types.size(), 1u);
    DeliveryCounts counts;
    HeldBack held_back;
    for (const NameReport& name : report.types[0].names) {
      std::string runs;
      if (name.runs != nullptr) {
        ASSERT_NE(name.runs->resource, nullptr) << story_;
        runs = absl::StrCat(" runs ", name.runs->resource->body());
      }
      states[name.name] = absl::StrCat(kStates[static_cast<int>(name.state)], runs);
      size_t* const all[] = {&counts.good, &counts.waiting, &counts.held_back, &counts.failed};
      ++*all[static_cast<int>(name.state)];
    }
    EXPECT_EQ(states, model_.Expected(*talk_.view().Of(LongType(type_)))) << story_;
    const DeliveryCounts& counted = report.types[0].counts;
    EXPECT_EQ(counted.good, counts.good) << story_;
    EXPECT_EQ(counted.waiting, counts.waiting) << story_;
    EXPECT_EQ(counted.held_back, counts.held_back) << story_;
    EXPECT_EQ(counted.failed, counts.failed) << story_;
    EXPECT_EQ(talk_.session().held_back().resources, counts.held_back) << story_;
  }

  void Note(const std::string& line) { absl::StrAppend(&story_, line, "\n"); }

  const Variant variant_;
  const std::string type_;
  const bool is_wildcard_;
  std::mt19937 random_;
  Talk talk_;
  Model model_;
  size_t heard_ = 0;
  std::string story_;
};

void RunStories(Variant variant, const std::string& type, bool is_wildcard) {
  for (uint32_t seed = 0; seed < 120; ++seed) {
    Story story(variant, type, is_wildcard, seed);
    for (int step = 0; step < 40; ++step) {
      story.Step();
      if (testing::Test::HasFailure()) {
        FAIL() << "seed " << seed << ", step " << step;
      }
    }
  }
}

TEST(LedgerModel, SotwEverything) { RunStories(Variant::kSotw, "CDS", true); }
TEST(LedgerModel, SotwNamedFullState) { RunStories(Variant::kSotw, "CDS", false); }
TEST(LedgerModel, SotwNamed) { RunStories(Variant::kSotw, "EDS", false); }
TEST(LedgerModel, DeltaEverything) { RunStories(Variant::kDelta, "CDS", true); }
TEST(LedgerModel, DeltaNamed) { RunStories(Variant::kDelta, "EDS", false); }

}  // namespace
}  // namespace holdfast
