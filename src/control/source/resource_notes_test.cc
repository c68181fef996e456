#include "control/source/resource_notes.h"

#include <gtest/gtest.h>

#include <memory>

#include "xds/type_names.h"

namespace holdfast {
namespace {

ResourceKey Cluster(const char* name) { return {std::string(kClusterTypeName), name}; }

ResourcePtr Served(const ResourceKey& key) {
  return std::make_shared<const Resource>(key.type, key.name, "v1");
}

Problem At(const char* file, int line, const char* field) {
  return {.file = file, .line = line, .column = 3, .field = field, .text = "is bad"};
}

TEST(ResourceNotes, AProblemBelongsToTheElementItIsIn) {
  ConfigFile file{.path = "d/a.yaml", .is_readable = true};
  file.resources = {{Served(Cluster("pay")), {2, 3, "resources[0]"}},
                    {Served(Cluster("web")), {9, 3, "resources[1]"}},
                    // A second document.
                    {Served(Cluster("oslo")), {20, 3, "resources[0]"}}};
  const ResourceNotes notes =
      NotesOf({&file, 1},
              {At("d/a.yaml", 4, "resources[0].lb_policy"), At("d/a.yaml", 9, "resources[1]"),
               At("d/a.yaml", 22, "resources[0].lb_policy"), At("d/a.yaml", 1, "resources[0]"),
               At("d/b.yaml", 4, "resources[0]"), At("d/a.yaml", 0, "")},
              {});
  EXPECT_EQ(notes.problems,
            (std::map<ResourceKey, std::vector<std::string>>{
                {Cluster("pay"), {"d/a.yaml:4:3: error: resources[0].lb_policy: is bad"}},
                {Cluster("web"), {"d/a.yaml:9:3: error: resources[1]: is bad"}},
                {Cluster("oslo"), {"d/a.yaml:22:3: error: resources[0].lb_policy: is bad"}}}));
  EXPECT_TRUE(notes.last_good.empty());
  EXPECT_TRUE(notes.invalid.empty());
}

TEST(ResourceNotes, WhatIsKeptIsTheLastGoodAndWhatIsWithheldIsInvalid) {
  ConfigFile file{.path = "d/a.yaml", .is_readable = true};
  file.invalid = {{Cluster("pay"), {2, 3, "resources[0]"}, "bad"},
                  {Cluster("web"), {5, 3, "resources[1]"}, "bad"}};
  const ConfigFile broken{.path = "d/b.yaml", .is_readable = false};
  const std::vector<ConfigFile> files = {file, broken};
  LastGood good;
  good["a.yaml"].resources[Cluster("pay")] = Served(Cluster("pay"));
  good["a.yaml"].withheld[Cluster("web")] = {13, "bad"};
  good["b.yaml"].resources[Cluster("oslo")] = Served(Cluster("oslo"));
  const ResourceNotes notes = NotesOf(files, {}, good);
  EXPECT_EQ(notes.last_good, (std::set<ResourceKey>{Cluster("oslo"), Cluster("pay")}));
  EXPECT_EQ(notes.invalid, std::set<ResourceKey>{Cluster("web")});
}

}  // namespace
}  // namespace holdfast
