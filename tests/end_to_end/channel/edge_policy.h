// A load balancing policy of a test: registered under a name of its own, it does what the test says
// and remembers what it was told.
//
//   ToldPolicy policy;
//   policy.Do([](const LbPickArgs&, const std::vector<LbEndpoint>&) { return LbPick::Wait(); });
//   xds.Put("cds", "pay", ClusterBytes("pay", policy.ClusterText()));
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "holdfast/grpc/lb_policy.h"

namespace holdfast {

class ToldPolicy {
 public:
  using Rule = std::function<LbPick(const LbPickArgs&, const std::vector<LbEndpoint>&)>;

  ToldPolicy() {
    const absl::Status registered = RegisterLbPolicy(std::make_shared<Factory>(name_, told_));
    EXPECT_TRUE(registered.ok()) << registered;
  }

  const std::string& name() const { return name_; }
  // Text of a cluster's fields. `fields` are of its configuration.
  std::string ClusterText(absl::string_view fields = "") const {
    return absl::StrCat(
        "load_balancing_policy { policies { typed_extension_config { name: \"told\" ",
        "typed_config { [type.googleapis.com/xds.type.v3.TypedStruct] { type_url: ",
        "\"type.googleapis.com/", name_, "\" value { ", fields, " } } } } } }");
  }

  // Pickers follow it from the next call on.
  void Do(Rule rule) {
    const std::lock_guard<std::mutex> lock(told_->mutex);
    told_->rule = std::move(rule);
  }
  // The factory rejects every configuration from now on.
  void Reject(absl::Status why) {
    const std::lock_guard<std::mutex> lock(told_->mutex);
    told_->rejection = std::move(why);
  }
  // MakePicker returns null from now on.
  void MakeNoPicker() {
    const std::lock_guard<std::mutex> lock(told_->mutex);
    told_->makes_picker = false;
  }
  std::vector<std::string> configs() const {
    const std::lock_guard<std::mutex> lock(told_->mutex);
    return told_->configs;
  }
  // The newest list.
  std::vector<LbEndpoint> endpoints() const {
    const std::lock_guard<std::mutex> lock(told_->mutex);
    return told_->endpoints;
  }

 private:
  struct Told {
    std::mutex mutex;
    Rule rule = [](const LbPickArgs&, const std::vector<LbEndpoint>&) {
      return LbPick::Endpoint(0);
    };
    absl::Status rejection;
    bool makes_picker = true;
    std::vector<std::string> configs;
    std::vector<LbEndpoint> endpoints;
  };

  class Picker final : public LbPicker {
   public:
    Picker(std::shared_ptr<Told> told, std::vector<LbEndpoint> endpoints)
        : told_(std::move(told)), endpoints_(std::move(endpoints)) {}
    LbPick Pick(const LbPickArgs& args) override {
      std::unique_lock<std::mutex> lock(told_->mutex);
      const Rule rule = told_->rule;
      lock.unlock();
      return rule(args, endpoints_);
    }

   private:
    const std::shared_ptr<Told> told_;
    const std::vector<LbEndpoint> endpoints_;
  };

  class Instance final : public LbPolicyInstance {
   public:
    explicit Instance(std::shared_ptr<Told> told) : told_(std::move(told)) {}
    std::shared_ptr<LbPicker> MakePicker(const std::vector<LbEndpoint>& endpoints) override {
      const std::lock_guard<std::mutex> lock(told_->mutex);
      told_->endpoints = endpoints;
      if (!told_->makes_picker) return nullptr;
      return std::make_shared<Picker>(told_, endpoints);
    }

   private:
    const std::shared_ptr<Told> told_;
  };

  class Factory final : public LbPolicyFactory {
   public:
    Factory(std::string name, std::shared_ptr<Told> told)
        : name_(std::move(name)), told_(std::move(told)) {}
    std::string name() const override { return name_; }
    absl::StatusOr<std::unique_ptr<LbPolicyInstance>> Create(
        absl::string_view config_json) const override {
      const std::lock_guard<std::mutex> lock(told_->mutex);
      told_->configs.emplace_back(config_json);
      if (!told_->rejection.ok()) return told_->rejection;
      return std::make_unique<Instance>(told_);
    }

   private:
    const std::string name_;
    const std::shared_ptr<Told> told_;
  };

  // A name is taken for the rest of the process.
  static std::string NewName() {
    static std::atomic<int> made = 0;
    return absl::StrCat("holdfast.test.Told", ++made);
  }

  const std::string name_ = NewName();
  const std::shared_ptr<Told> told_ = std::make_shared<Told>();
};

}  // namespace holdfast
