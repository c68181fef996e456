// PlanDelta: name by name, because each has a version of its own.
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "control/session/glob_of.h"
#include "control/session/response_planner.h"

namespace holdfast {
namespace {

// Envoy rejects an absence of these types, whose absence is an ordinary state to it.
bool MayBeRemoved(absl::string_view type) {
  return type != "envoy.extensions.transport_sockets.tls.v3.Secret" &&
         type != "envoy.config.core.v3.TypedExtensionConfig";
}

// What a response weighs besides names, texts and resources, at most: the control plane's name and
// the nonce; the tags and lengths of a name, an error and a TTL.
constexpr size_t kHeadBytes = 256;
constexpr size_t kNameBytes = 6;
constexpr size_t kErrorBytes = 32;
constexpr size_t kTtlBytes = 20;

class DeltaPlan {
 public:
  DeltaPlan(const PlanInput& given, TypeState& type)
      : given_(given), type_(type), now_(given.view.Of(type.type)) {}

  Plan Make() {
    response_.type = type_.type;
    response_.version = now_->version();
    response_.with_ttl = given_.with_ttl;
    bytes_ = kHeadBytes + response_.type.size() + response_.version.size();
    if (IsOneStepBehind(given_, *now_, type_)) TakeStep();
    // Whoever asked for everything is answered, even if there is nothing to say: it waits.
    const bool must_answer = type_.is_due && type_.is_wildcard && given_.view.is_synced;
    if (type_.is_due && type_.is_wildcard && type_.base == nullptr) StartWildcard();
    type_.is_due = false;

    while (!type_.to_check.empty()) {
      auto name = type_.to_check.extract(type_.to_check.begin());
      if (Check(name.value())) continue;
      type_.to_check.insert(std::move(name));  // for the next response
      break;
    }
    // Before the source is synced something may be missing that the client has, and is not told.
    if (type_.to_check.empty() && later_.empty() && type_.is_wildcard && given_.view.is_synced) {
      type_.ForgetEverything();
      type_.base = now_;
      // The same of what it came with.
      for (const std::string& name : type_.in_doubt) {
        if (now_->Find(name) == nullptr) type_.since_base[name] = ContentHash();
      }
    }
    type_.to_check.merge(later_);

    Plan plan;
    if (SaysSomething() || must_answer) {
      absl::c_sort(response_.resources, [](const ResourcePtr& a, const ResourcePtr& b) {
        return a->name() < b->name();
      });
      plan.response = std::move(response_);
      plan.news = news_list_ != nullptr ? news_list_ : ListOf(now_, std::move(news_));
      plan.had = std::move(had_);
    }
    return plan;
  }

 private:
  bool IsAllKnown() const { return given_.view.is_synced && given_.view.never_read.empty(); }

  bool SaysSomething() const {
    return response_.all != nullptr || !response_.resources.empty() || !response_.removed.empty() ||
           !response_.errors.empty();
  }

  // What the newest commit changed, the same for all that have what was before it.
  void TakeStep() {
    const TypeView::Step& step = *now_->step();
    size_t bytes = step.changed_bytes + step.changed->size() * kTtlBytes;
    for (const std::string& name : step.gone) bytes += name.size() + kNameBytes;
    if (bytes_ + bytes > given_.options.split_bytes) {
      for (const ResourcePtr& resource : *step.changed) type_.to_check.insert(resource->name());
      type_.to_check.insert(step.gone.begin(), step.gone.end());
      return;
    }
    if (step.changed->size() == now_->resources().size() && !step.changed->empty()) {
      response_.all = now_;
    } else {
      response_.resources.assign(step.changed->begin(), step.changed->end());
    }
    if (MayBeRemoved(type_.type)) response_.removed = step.gone;
    news_list_ = step.changed;
    had_ = type_.base;
  }

  // All of it at once where that fits, in the body that every stream shares.
  void StartWildcard() {
    if (type_.since_base.empty() && type_.globs.empty() &&
        bytes_ + now_->delta_bytes() <= given_.options.split_bytes) {
      if (!now_->resources().empty()) response_.all = now_;
      bytes_ += now_->delta_bytes();
      news_list_ = AllOf(now_);
      type_.base = now_;
      for (const ResourcePtr& resource : now_->resources()) {
        type_.to_check.erase(resource->name());
        const auto named = type_.names.find(resource->name());
        if (named != type_.names.end()) type_.NoteSent(named->second, resource);
      }
      return;
    }
    for (const ResourcePtr& resource : now_->resources()) type_.to_check.insert(resource->name());
    for (const auto& [name, had] : type_.since_base) type_.to_check.insert(name);
  }

  // A name may be asked for by name, by a glob and with everything; it is answered once. False: the
  // answer does not fit into this response any more.
  bool Check(const std::string& name) {
    if (const auto glob = type_.globs.find(name); glob != type_.globs.end()) {
      if (!FitsWithout(name)) return false;
      CheckGlob(glob->second);
      return true;
    }
    const auto found = type_.names.find(name);
    NameState* const named = found == type_.names.end() ? nullptr : &found->second;
    GlobState* const its_glob = type_.GlobWith(name);
    const ResourcePtr* const resource = now_->Find(name);
    // A refresh is for those who ask for what is there.
    const bool is_asked_for = named != nullptr || its_glob != nullptr || type_.is_wildcard;
    if (resource == nullptr || !is_asked_for) type_.to_refresh.erase(name);
    if (resource != nullptr) return Offer(*resource, named, its_glob);
    if (!FitsWithout(name)) return false;
    Withdraw(name, named, its_glob);
    return true;
  }

  bool Fits(size_t bytes) const {
    return !SaysSomething() || bytes_ + bytes <= given_.options.split_bytes;
  }

  // That there is nothing of this name, and why.
  bool FitsWithout(const std::string& name) const {
    return Fits(2 * type_.AsAsked(name).size() + kMostErrorText + kErrorBytes);
  }

  bool Append(const ResourcePtr& resource) {
    const size_t bytes = resource->delta_field().size() + kTtlBytes;
    if (!Fits(bytes)) return false;
    bytes_ += bytes;
    type_.to_refresh.erase(resource->name());
    response_.resources.push_back(resource);
    return true;
  }

  // It was told of the resource, and may be waiting for it again.
  bool Refresh(const ResourcePtr& resource) {
    if (!type_.to_refresh.contains(resource->name())) return true;
    const ResourcePtr taken = type_.AsTaken(resource);
    if (taken != nullptr) return Append(taken);
    type_.to_refresh.erase(resource->name());
    return true;
  }

  bool Offer(const ResourcePtr& resource, NameState* named, GlobState* glob) {
    const std::string& name = resource->name();
    bool is_news = false;
    bool is_owed = false;
    if (named != nullptr) {
      is_news |= !IsSame(named->sent, resource);
      is_owed |= named->is_due;
    }
    if (type_.is_wildcard) is_news |= type_.HadInWildcard(name) != resource->hash();
    if (glob != nullptr) {
      const auto had = glob->sent.find(name);
      is_news |= had == glob->sent.end() || had->second != resource->hash();
    }
    if (!is_news && !is_owed) return Refresh(resource);

    if (!Append(resource)) return false;
    if (is_news) {
      news_.push_back(resource);
      if (named == nullptr) NoteOffered(resource, glob);
    }
    if (named != nullptr) type_.NoteSent(*named, resource);
    if (type_.is_wildcard) type_.since_base[name] = resource->hash();
    type_.in_doubt.erase(name);
    if (glob != nullptr) {
      glob->sent.insert_or_assign(name, resource->hash());
      type_.NoteError(*glob, name, 0);
      glob->was_told_empty = false;
    }
    return true;
  }

  // What was not asked for by name: only the hash of what the client has is known, if it is that.
  void NoteOffered(const ResourcePtr& resource, GlobState* glob) {
    const std::string& name = resource->name();
    std::optional<ContentHash> before = type_.HadInWildcard(name);
    if (glob != nullptr) {
      const auto had = glob->sent.find(name);
      if (had != glob->sent.end() && had->second != ContentHash()) before = had->second;
    }
    if (!before.has_value()) {
      type_.ledger.Offered(resource, nullptr);
      return;
    }
    const ResourcePtr* const had = type_.base == nullptr ? nullptr : type_.base->Find(name);
    if (had != nullptr && (*had)->hash() == *before) {
      type_.ledger.Offered(resource, *had);
    } else {
      type_.ledger.Offered(resource, *before);
    }
  }

  void Withdraw(const std::string& name, NameState* named, GlobState* glob) {
    const NameError* const configured = now_->FindError(name);
    if (named == nullptr && configured == nullptr) {
      if (!given_.view.is_synced || MayBeThere(name)) return;
    }
    std::optional<NameError> error;
    if (named != nullptr) {
      error = ErrorOf(given_, name, type_);
      if (!error.has_value()) {
        type_.ledger.Silent(name, type_.RunsOf(name, named->sent), given_.now);
        return;
      }
    } else if (configured != nullptr && glob != nullptr) {
      error = *configured;
    }
    const uint64_t key = error.has_value() ? KeyOf(*error) : 0;

    bool client_has_it = type_.HadInWildcard(name).has_value();
    bool complain = named != nullptr && (named->error_sent != key || named->is_due);
    if (glob != nullptr) {
      client_has_it |= glob->sent.contains(name);
      const auto said = glob->errors_sent.find(name);
      complain |= configured != nullptr && (said == glob->errors_sent.end() || said->second != key);
    }
    bool remove = client_has_it || (complain && configured != nullptr && MeansAbsence(*configured));
    bool is_absent = false;
    if (named != nullptr) {
      // What was asked for by name may fail and yet be there: then the client keeps what it has.
      client_has_it |= named->sent != nullptr;
      is_absent = MeansAbsence(*error) || IsSilentlyGone(name, *named);
      remove = is_absent && (named->is_due || !named->was_told_absent);
    }
    remove &= MayBeRemoved(type_.type);
    if (remove && client_has_it && given_.keep_removed) {
      later_.insert(name);  // other types may still refer to it
      return;
    }

    if (remove) {
      Remove(name);
      type_.in_doubt.erase(name);
    }
    const bool has_said = complain && SayError(name, *error);
    if (named != nullptr) {
      if (has_said) type_.NoteError(*named, key);
      named->was_told_absent |= remove;
      if (named->error_sent == key || named->was_told_absent) {
        type_.NoteWithdrawn(name, *named, !is_absent, given_.now);
      } else {
        type_.ledger.Silent(name, type_.RunsOf(name, named->sent), given_.now);
        named->sent = nullptr;
      }
      named->is_due = false;
    } else if (has_said) {
      NoteComplaint(name, glob, !MeansAbsence(*error));
    }
    if (type_.is_wildcard) type_.since_base[name] = std::nullopt;
    if (glob != nullptr) {
      glob->sent.erase(name);
      if (configured == nullptr || has_said) {
        type_.NoteError(*glob, name, configured == nullptr ? 0 : key);
      }
      if (glob->sent.empty()) CheckGlob(*glob);
    }
  }

  // The client came with it, and nobody knows whether it is gone.
  bool MayBeThere(const std::string& name) const {
    return type_.in_doubt.contains(name) && !given_.view.KnowsAbsence(type_.type, name);
  }

  // Of a member of a glob.
  void NoteComplaint(const std::string& name, GlobState* glob, bool keeps) {
    HeldPtr runs;
    if (const auto had = glob->sent.find(name); had != glob->sent.end()) {
      runs = std::make_shared<const Held>(Held{had->second.Hex(), nullptr});
    }
    type_.ledger.Withdrawn(name, std::move(runs), keeps, given_.now);
  }

  void Remove(const std::string& name) {
    const std::string& asked = type_.AsAsked(name);
    bytes_ += asked.size() + kNameBytes;
    response_.removed.push_back(asked);
  }

  bool CanSayError(const std::string& name) const {
    return given_.options.tp3 != Tp3Mode::kOff &&
           CanBeNamedInAnError(type_.AsAsked(name), type_.type);
  }

  // The client has something that is served no more, and cannot be told the error in its place: so
  // it is told what it would learn without any.
  bool IsSilentlyGone(const std::string& name, const NameState& named) const {
    if (CanSayError(name) || !given_.view.is_synced || now_->FindError(name) == nullptr) {
      return false;
    }
    if (named.sent != nullptr || named.was_told_absent) return true;
    return IsAllKnown() && type_.RunsOf(name, nullptr) != nullptr;
  }

  // False: errors are not for this client, or not for this name.
  bool SayError(const std::string& name, const NameError& error) {
    if (!CanSayError(name)) return false;
    const std::string& asked = type_.AsAsked(name);
    bytes_ += asked.size() + error.message.size() + kErrorBytes;
    response_.errors.emplace_back(asked, error);
    return true;
  }

  // A glob that was asked for, became empty, or failed as a whole (R1.98, R2.38).
  void CheckGlob(GlobState& glob) {
    std::optional<NameError> error;
    if (const NameError* const configured = now_->FindError(glob.text)) error = *configured;
    const bool is_empty = glob.sent.empty() && !HasMembers(glob);
    // Nobody knows whether it is empty.
    if (is_empty && !error.has_value() && !IsAllKnown()) {
      error = ErrorOf(given_, glob.text, type_);
    }
    const auto said = glob.errors_sent.find(glob.text);
    const uint64_t key = error.has_value() ? KeyOf(*error) : 0;
    if (key == 0) {
      type_.NoteError(glob, glob.text, 0);
    } else if ((said == glob.errors_sent.end() || said->second != key) &&
               SayError(glob.text, *error)) {
      type_.NoteError(glob, glob.text, key);
    }
    // One that failed need not be empty.
    const bool is_known_empty =
        is_empty && (error.has_value() ? MeansAbsence(*error) : given_.view.is_synced);
    if (!is_known_empty || glob.was_told_empty) return;
    glob.was_told_empty = true;
    Remove(glob.text);
  }

  // Members that are still to be looked at: of a glob that was sent none, all that there are. Not a
  // look at the whole directory, which may be big where one name of it changed. A client may ask
  // for very many globs of a directory.
  bool HasMembers(const GlobState& glob) {
    const absl::string_view directory = DirectoryOf(glob.text);
    const auto [known, is_new] = globs_with_members_.try_emplace(std::string(directory));
    if (is_new) {
      for (auto name = type_.to_check.lower_bound(std::string(directory));
           name != type_.to_check.end() && absl::StartsWith(*name, directory); ++name) {
        if (now_->Find(*name) != nullptr) known->second.insert(GlobOf(*name));
      }
    }
    return known->second.contains(glob.text);
  }

  const PlanInput& given_;
  TypeState& type_;
  const TypeViewPtr& now_;
  SendResponse response_;
  std::vector<ResourcePtr> news_;
  ResourceList news_list_;  // null: news_
  TypeViewPtr had_;         // of news_list_
  std::set<std::string> later_;
  std::map<std::string, absl::flat_hash_set<std::string>> globs_with_members_;  // by directory
  size_t bytes_ = 0;
};

}  // namespace

Plan PlanDelta(const PlanInput& given, TypeState& type) { return DeltaPlan(given, type).Make(); }

}  // namespace holdfast
