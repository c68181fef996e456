// What a choice costs the heap: nothing, where it can be so.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/routing/route_table.h"
#include "channel/routing/routes_test.h"

namespace {

int64_t allocations = 0;

}  // namespace

// The whole program counts; one test looks. Not inlined, or the compiler sees a new that is freed.
[[gnu::noinline]] void* operator new(size_t size) {
  ++allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace holdfast {
namespace {

TEST(RouteHeap, IsNotTouchedByCommonTables) {
  const CallMetadata metadata = {{"x", "1"}, {"y", "2"}};
  const std::string path = "/acme.payments.v1.PaymentService/ChargeTheCustomerOnce";
  std::vector<RouteMatch> many;
  for (int i = 0; i < 1'000; ++i) many.push_back(Path(absl::StrCat("/acme.Service", i, "/Call")));
  many.push_back(WithHeader(Prefix("/acme."), "x", "2"));
  many.push_back(Prefix("/"));
  for (const std::vector<RouteMatch>& matches :
       {std::vector{Prefix("")}, std::vector{Prefix("/")}, std::vector{Path(path)}, many,
        std::vector{WithHeader(Prefix("/"), "x", "1")}}) {
    const RouteTable table(Numbered(matches), absl::Seconds(5));
    const int64_t before = allocations;
    const RouteChoice choice = table.Choose({path, metadata}, [](uint32_t) { return 0u; });
    EXPECT_EQ(allocations - before, 0) << matches.size();
    EXPECT_FALSE(choice.failure.has_value()) << *choice.failure;
  }
}

}  // namespace
}  // namespace holdfast
