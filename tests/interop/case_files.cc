#include "tests/interop/case_files.h"

#include <fstream>
#include <iterator>

namespace holdfast {

std::vector<CaseFile> ReadCaseFiles(const std::string& directory) {
  std::vector<CaseFile> cases;
  std::ifstream index(directory + "/index.txt");
  CaseFile next;
  while (index >> next.type >> next.name >> next.file_name) {
    std::ifstream file(directory + "/" + next.file_name, std::ios::binary);
    if (!file) return {};
    next.bytes.assign(std::istreambuf_iterator<char>(file), {});
    cases.push_back(next);
  }
  return cases;
}

}  // namespace holdfast
