// The decoders of the four resource types. The first byte chooses the type and the context.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/utf8.h"
#include "resources/decode/decode.h"

namespace holdfast {
namespace {

template <class T>
void Check(Decoded<T> (*decode)(absl::string_view, const DecodeContext&), absl::string_view bytes,
           const DecodeContext& context) {
  const Decoded<T> decoded = decode(bytes, context);
  const Decoded<T> again = decode(bytes, context);
  // The same bytes always say the same: a client compares bytes and decodes late because of it.
  HOLDFAST_CHECK(decoded.errors.count() == again.errors.count());
  HOLDFAST_CHECK(decoded.errors.Sorted() == again.errors.Sorted());
  HOLDFAST_CHECK(decoded.not_enforced == again.not_enforced);
  if (decoded.errors.ok()) {
    HOLDFAST_CHECK(decoded.resource == again.resource);
    return;
  }
  // Whatever the input, the text can be put into a NACK.
  const std::string text = decoded.errors.Text();
  HOLDFAST_CHECK(!text.empty() && IsUtf8(text));
  for (const FieldError& error : decoded.errors.Sorted()) HOLDFAST_CHECK(!error.text.empty());
}

}  // namespace
}  // namespace holdfast

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace holdfast;
  if (size == 0) return 0;
  DecodeContext context;
  context.features.trusted_xds_server = (data[0] & 4) != 0;
  if ((data[0] & 8) != 0) context.custom_lb_policies.insert("acme.Policy");
  const absl::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] & 3) {
    case 0:
      Check(DecodeListener, bytes, context);
      break;
    case 1:
      Check(DecodeRouteConfig, bytes, context);
      break;
    case 2:
      Check(DecodeCluster, bytes, context);
      break;
    default:
      Check(DecodeEndpoints, bytes, context);
      break;
  }
  return 0;
}
