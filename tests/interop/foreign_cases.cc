#include "tests/interop/foreign_cases.h"

#include <cstdlib>

#include "tests/interop/case_files.h"

namespace holdfast {
namespace {

CasesByType ReadCases() {
  CasesByType cases;
  const char* const directory = std::getenv("HOLDFAST_FOREIGN_DIR");
  if (directory == nullptr) return cases;
  for (const CaseFile& file : ReadCaseFiles(directory)) cases[file.type][file.name] = file.bytes;
  return cases;
}

}  // namespace

const CasesByType& AllForeignCases() {
  static const CasesByType& cases = *new CasesByType(ReadCases());
  if (cases.empty()) {
    ADD_FAILURE() << "HOLDFAST_FOREIGN_DIR names no directory that `full_resources.py write DIR` "
                     "filled; the ctest test interop.foreign_bytes fills one and runs this program";
  }
  return cases;
}

std::map<std::string, std::string> ForeignCases(const std::string& type,
                                                const std::set<std::string>& expected) {
  const CasesByType& all = AllForeignCases();
  const auto found = all.find(type);
  const std::map<std::string, std::string> cases =
      found == all.end() ? std::map<std::string, std::string>() : found->second;
  for (const auto& [name, bytes] : cases) {
    EXPECT_TRUE(expected.contains(name)) << type << "." << name << ": a case, but not expected";
  }
  for (const std::string& name : expected) {
    EXPECT_TRUE(cases.contains(name)) << type << "." << name << ": expected, but no case";
  }
  return cases;
}

std::string ForeignCase(const std::string& type, const std::string& name) {
  const CasesByType& all = AllForeignCases();
  const auto cases = all.find(type);
  if (cases != all.end() && cases->second.contains(name)) return cases->second.at(name);
  ADD_FAILURE() << type << "." << name << ": no case";
  return "";
}

}  // namespace holdfast
