// The files of a directory that `full_resources.py write DIR` filled.
#pragma once

#include <string>
#include <vector>

namespace holdfast {

struct CaseFile {
  std::string type;       // "cluster"
  std::string name;       // "eds_full"
  std::string file_name;  // "cluster.eds_full.bin"
  std::string bytes;
};

// All that the index lists, in its order. Nothing if there is no index or a file of it is missing.
std::vector<CaseFile> ReadCaseFiles(const std::string& directory);

}  // namespace holdfast
