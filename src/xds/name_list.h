// Names of resources, as a list that never changes: copies share it. A client repeats all its names
// in every request, and has thousands of them.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holdfast {

class NameList {
 public:
  using value_type = std::string;
  using const_iterator = std::vector<std::string>::const_iterator;
  using iterator = const_iterator;

  NameList() : NameList(std::vector<std::string>()) {}
  NameList(std::initializer_list<std::string> names) : NameList(std::vector<std::string>(names)) {}
  NameList(std::vector<std::string> names)  // NOLINT: a list is a list
      : names_(std::make_shared<const std::vector<std::string>>(std::move(names))) {}

  operator const std::vector<std::string>&() const { return *names_; }  // NOLINT: as above

  const_iterator begin() const { return names_->begin(); }
  const_iterator end() const { return names_->end(); }
  size_t size() const { return names_->size(); }
  bool empty() const { return names_->empty(); }
  const std::string& operator[](size_t index) const { return (*names_)[index]; }

  friend bool operator==(const NameList& a, const NameList& b) {
    return a.names_ == b.names_ || *a.names_ == *b.names_;
  }

 private:
  std::shared_ptr<const std::vector<std::string>> names_;  // never null
};

}  // namespace holdfast
