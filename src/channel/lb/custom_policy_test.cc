// Policies of the user's own code.
#include "channel/lb/custom_policy.h"

#include <functional>

#include "channel/lb/lb_conversation_test.h"

namespace holdfast {
namespace {

using PickFunction = std::function<LbPick(const LbPickArgs&)>;

class FunctionPicker final : public LbPicker {
 public:
  explicit FunctionPicker(PickFunction pick) : pick_(std::move(pick)) {}
  LbPick Pick(const LbPickArgs& args) override { return pick_(args); }

 private:
  const PickFunction pick_;
};

// What a user's policy saw, and what it is to say.
struct Script {
  std::string config;
  std::vector<std::string> seen;  // the endpoints of each MakePicker
  PickFunction pick = [](const LbPickArgs&) { return LbPick::Endpoint(0); };
  bool makes_pickers = true;
  absl::Status creation = absl::OkStatus();
  bool makes_instances = true;
};

std::string TextOf(const LbEndpoint& endpoint) {
  std::string text = absl::StrJoin(endpoint.addresses, "+");
  if (!endpoint.hostname.empty()) absl::StrAppend(&text, " ", endpoint.hostname);
  if (endpoint.weight != 1) absl::StrAppend(&text, " weight ", endpoint.weight);
  switch (endpoint.state) {
    case LbEndpoint::State::kConnecting:
      return text + " connecting";
    case LbEndpoint::State::kReady:
      return text + " ready";
    case LbEndpoint::State::kFailed:
      return absl::StrCat(text, " failed: ", endpoint.failure.message());
  }
  return text;
}

class ScriptedPolicy final : public LbPolicyInstance {
 public:
  explicit ScriptedPolicy(Script& script) : script_(script) {}
  std::shared_ptr<LbPicker> MakePicker(const std::vector<LbEndpoint>& endpoints) override {
    script_.seen.push_back(absl::StrJoin(endpoints, ", ", [](std::string* text, const auto& each) {
      absl::StrAppend(text, TextOf(each));
    }));
    if (!script_.makes_pickers) return nullptr;
    return std::make_shared<FunctionPicker>(script_.pick);
  }

 private:
  Script& script_;
};

class ScriptedFactory final : public LbPolicyFactory {
 public:
  explicit ScriptedFactory(Script& script) : script_(script) {}
  std::string name() const override { return "acme.nearest"; }
  absl::StatusOr<std::unique_ptr<LbPolicyInstance>> Create(
      absl::string_view config_json) const override {
    script_.config = std::string(config_json);
    if (!script_.creation.ok()) return script_.creation;
    if (!script_.makes_instances) return std::unique_ptr<LbPolicyInstance>();
    return std::make_unique<ScriptedPolicy>(script_);
  }

 private:
  Script& script_;
};

LbConversation TalkWith(Script& script) {
  return LbConversation([&](absl::string_view name) -> std::shared_ptr<const LbPolicyFactory> {
    if (name != "acme.nearest") return nullptr;
    return std::make_shared<ScriptedFactory>(script);
  });
}

LbPolicy Nearest(const std::string& zone = "a") {
  CustomLb custom{.name = "acme.nearest"};
  custom.config["zone"] = JsonValue{zone};
  return {custom};
}

TEST(CustomPolicy, SeesItsEndpointsAndChoosesAmongThem) {
  Script script;
  script.pick = [](const LbPickArgs& args) {
    EXPECT_EQ(args.path, "/acme.Pay/Charge");
    EXPECT_EQ(args.metadata.count("tenant"), 1u);
    EXPECT_EQ(args.random, 0x0001000200030004u);
    return LbPick::Endpoint(1);
  };
  LbConversation talk = TalkWith(script);
  Endpoint second = AtAll({"10.0.0.2", "::2"});
  second.hostname = "two.internal";
  second.weight = 3;
  EXPECT_EQ(talk.Config(Pay({{In("eu", 1, {At("10.0.0.1"), second})}}, Nearest())),
            Lines({"CreateSubchannel #1 ipv4:10.0.0.1:443", "ConnectSubchannel #1",
                   "CreateSubchannel #2 ipv4:10.0.0.2:443", "ConnectSubchannel #2",
                   "StartLbTimer #1 250ms", "StartLbTimer #2 10s",
                   "PublishPicker CONNECTING acme.nearest[1](-, -)"}));
  EXPECT_EQ(script.config, "{\"zone\":\"a\"}");
  EXPECT_EQ(talk.Pick({1, 2, 3, 4}), "queue");  // What it chose is not ready.
  EXPECT_EQ(talk.Ready(2), Lines({"CancelLbTimer #1", "CancelLbTimer #2",
                                  "PublishPicker READY acme.nearest[2](-, #2)"}));
  EXPECT_EQ(talk.Pick({1, 2, 3, 4}), "#2");
  EXPECT_EQ(talk.Fail(1), Lines({"PublishPicker READY acme.nearest[3](-, #2)"}));
  EXPECT_EQ(script.seen,
            (std::vector<std::string>{
                "10.0.0.1:443 connecting, 10.0.0.2:443+[::2]:443 two.internal weight 3 connecting",
                "10.0.0.1:443 connecting, 10.0.0.2:443+[::2]:443 two.internal weight 3 ready",
                "10.0.0.1:443 failed: ipv4:10.0.0.1:443: Connection refused, "
                "10.0.0.2:443+[::2]:443 two.internal weight 3 ready"}));
}

TEST(CustomPolicy, MayWaitFailOrDropAndItsWordsGetTheNote) {
  // R11.34, R15.07
  Script script;
  LbPick said = LbPick::Wait();
  script.pick = [&](const LbPickArgs&) { return said; };
  LbConversation talk = TalkWith(script);
  talk.Config(PayAt({"10.0.0.1"}, Nearest()));
  EXPECT_EQ(talk.Pick(), "queue");
  said = LbPick::Fail(absl::NotFoundError("no zone \"a\""));
  EXPECT_EQ(talk.Pick(), "fail NOT_FOUND: no zone \"a\" (node \"web-1\")");
  said = LbPick::Drop(absl::ResourceExhaustedError("enough"));
  EXPECT_EQ(talk.Pick(), "drop RESOURCE_EXHAUSTED: enough (node \"web-1\")");
}

TEST(CustomPolicy, AnIndexThatIsNoneFailsTheCallAndBlamesThePolicy) {
  // R11.34
  Script script;
  script.pick = [](const LbPickArgs&) { return LbPick::Endpoint(7); };
  LbConversation talk = TalkWith(script);
  talk.Config(PayAt({"10.0.0.1"}, Nearest()));
  EXPECT_EQ(talk.Pick(),
            "fail UNAVAILABLE: cluster \"pay\": load balancing policy \"acme.nearest\" chose "
            "endpoint 7 of a list of 1, counted from 0; its picker must be fixed (node \"web-1\")");
}

TEST(CustomPolicy, DecidesItselfWhenAllEndpointsFail) {
  Script script;
  script.pick = [](const LbPickArgs&) {
    return LbPick::Fail(absl::UnavailableError("nobody is near"));
  };
  LbConversation talk = TalkWith(script);
  talk.Config(PayAt({"10.0.0.1"}, Nearest()));
  EXPECT_EQ(talk.Fail(1),
            Lines({"CancelLbTimer #1", "PublishPicker TRANSIENT_FAILURE acme.nearest[2](-)"}));
  EXPECT_EQ(talk.Pick(), "fail UNAVAILABLE: nobody is near (node \"web-1\")");
}

TEST(CustomPolicy, WithoutEndpointsIsNotAsked) {
  // R14.16
  Script script;
  LbConversation talk = TalkWith(script);
  EXPECT_EQ(talk.Config(Pay({}, Nearest())), Lines({Failing("it has no endpoints")}));
  EXPECT_EQ(script.seen, std::vector<std::string>());
}

TEST(CustomPolicy, ThatCannotBeMadeFailsItsClusterWithTheReason) {
  // R11.34
  Script script;
  LbConversation talk = TalkWith(script);
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1"}, {CustomLb{.name = "acme.far"}})),
            Lines({Failing("load balancing policy \"acme.far\" is not registered in this process; "
                           "register it with RegisterLbPolicy before the channel is made")}));
  script.creation = absl::InvalidArgumentError("zone \"a\" is unknown");
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1"}, Nearest())),
            Lines({Failing("load balancing policy \"acme.nearest\" rejects its configuration: "
                           "zone \"a\" is unknown")}));
  script.creation = absl::OkStatus();
  script.makes_instances = false;
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1"}, Nearest("b"))),
            Lines({Failing("load balancing policy \"acme.nearest\" made no instance of itself; its "
                           "factory must be fixed")}));
  script.makes_instances = true;
  script.makes_pickers = false;
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1"}, Nearest("c"))),
            Lines({"CreateSubchannel #1 ipv4:10.0.0.1:443", "ConnectSubchannel #1",
                   "PublishPicker CONNECTING " +
                       Unavailable("load balancing policy \"acme.nearest\" made no picker; its "
                                   "MakePicker must be fixed")}));
}

TEST(CustomPolicy, SharesConnectionsWithThePolicyBeforeIt) {
  Script script;
  LbConversation talk = TalkWith(script);
  talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}));
  talk.Ready(1);
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}, Nearest())),
            Lines({"PublishPicker READY acme.nearest[1](#1, -)"}));
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}, Nearest("b"))),
            Lines({"PublishPicker READY acme.nearest[2](#1, -)"}));
  EXPECT_EQ(script.config, "{\"zone\":\"b\"}");
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1", "10.0.0.2"})),
            Lines({"PublishPicker READY round_robin(#1)"}));
}

TEST(CustomPolicy, IsNotAskedForANewNoteButItsWordsGetIt) {
  // R11.34
  Script script;
  LbPick said = LbPick::Fail(absl::UnavailableError("nobody is near"));
  script.pick = [&](const LbPickArgs&) { return said; };
  LbConversation talk = TalkWith(script);
  LbLeaf leaf = PayAt({"10.0.0.1", "10.0.0.2"}, Nearest());
  talk.Config(leaf);
  talk.Ready(1);
  EXPECT_EQ(script.seen.size(), 2u);
  leaf.note = "xds server \"cp:18000\" cannot be reached";
  EXPECT_EQ(talk.Config(leaf), Lines({"PublishPicker READY acme.nearest[3](#1, -)"}));
  EXPECT_EQ(talk.Pick(),
            "fail UNAVAILABLE: nobody is near (xds server \"cp:18000\" cannot be reached)");
  said = LbPick::Endpoint(0);
  EXPECT_EQ(talk.Pick(), "#1");
  EXPECT_EQ(script.seen.size(), 2u);
  // What changes afterwards it hears as ever.
  talk.Ready(2);
  EXPECT_EQ(script.seen.back(), "10.0.0.1:443 ready, 10.0.0.2:443 ready");
}

TEST(CustomPolicy, ThatMadeNoPickerSaysSoWithTheNewNote) {
  // R11.34
  Script script;
  script.makes_pickers = false;
  LbConversation talk = TalkWith(script);
  LbLeaf leaf = PayAt({"10.0.0.1"}, Nearest());
  talk.Config(leaf);
  leaf.note = "another note";
  EXPECT_EQ(talk.Config(leaf),
            Lines({"PublishPicker CONNECTING fail(UNAVAILABLE: cluster \"pay\": load balancing "
                   "policy \"acme.nearest\" made no picker; its MakePicker must be fixed (another "
                   "note))"}));
  EXPECT_EQ(script.seen.size(), 1u);
}

TEST(CustomPolicy, IsNotAskedWhenAnEndpointFailsAgainInTheSameWay) {
  Script script;
  LbConversation talk = TalkWith(script);
  talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}, Nearest()));
  talk.Fail(1);
  EXPECT_EQ(talk.Fail(1), Lines());
  EXPECT_EQ(script.seen.size(), 2u);
  talk.Fail(1, "No route to host");
  EXPECT_EQ(script.seen.back(),
            "10.0.0.1:443 failed: ipv4:10.0.0.1:443: No route to host, 10.0.0.2:443 connecting");
}

TEST(CustomPolicy, InLocalitiesIsUsedOnceInEach) {
  Script script;
  LbConversation talk = TalkWith(script);
  talk.Config(
      Pay({{In("eu", 3, {At("10.0.0.1")}), In("us", 1, {At("10.0.1.1")})}}, ByLocality(Nearest())));
  EXPECT_EQ(script.seen,
            (std::vector<std::string>{"10.0.0.1:443 connecting", "10.0.1.1:443 connecting"}));
  talk.Ready(1);
  EXPECT_EQ(
      talk.Ready(2),
      Lines({"PublishPicker READY weighted(3: acme.nearest[3](#1), 1: acme.nearest[4](#2))"}));
  EXPECT_EQ(script.seen.size(), 4u);
}

TEST(CustomPolicy, ItsConfigurationIsJsonOnOneLine) {
  JsonValue::Object inner;
  inner["deep"] = JsonValue{JsonValue::Array{JsonValue{1.0}, JsonValue{-0.5}, JsonValue{1e300},
                                             JsonValue{true}, JsonValue{}, JsonValue{"a\n\"b\""}}};
  JsonValue::Object config;
  config["z"] = JsonValue{inner};
  config["a"] = JsonValue{false};
  config["n"] = JsonValue{9007199254740992.0};
  EXPECT_EQ(ConfigJson(config),
            "{\"a\":false,\"n\":9007199254740992,\"z\":{\"deep\":[1,-0.5,"
            "1.0000000000000001e+300,true,null,\"a\\n\\\"b\\\"\"]}}");
  EXPECT_EQ(ConfigJson({}), "{}");
}

}  // namespace
}  // namespace holdfast
