#include "app/tls_files.h"

#include <grpcpp/security/server_credentials.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/outside_text.h"
#include "runtime/text_file.h"

namespace holdfast {
namespace {

// A bundle of all public authorities is a quarter of that.
constexpr size_t kMostPemBytes = size_t{1} << 20;

template <class T, void (*kFree)(T*)>
struct Freer {
  void operator()(T* object) const { kFree(object); }
};
void FreeBio(BIO* bio) { BIO_free(bio); }
using BioPtr = std::unique_ptr<BIO, Freer<BIO, FreeBio>>;
using CertificatePtr = std::unique_ptr<X509, Freer<X509, X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY, EVP_PKEY_free>>;

BioPtr BioOf(const std::string& text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

CertificatePtr FirstCertificate(const std::string& pem) {
  CertificatePtr certificate(PEM_read_bio_X509(BioOf(pem).get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  return certificate;
}

KeyPtr KeyOf(const std::string& pem) {
  // OpenSSL would ask the terminal.
  const auto no_password = [](char*, int, int, void*) { return -1; };
  KeyPtr key(PEM_read_bio_PrivateKey(BioOf(pem).get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  return key;
}

absl::Status Refuse(absl::string_view option, const std::string& path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(option, " ", Quoted(path), ": ", why));
}

absl::StatusOr<std::string> Read(absl::string_view option, const std::string& path) {
  absl::StatusOr<std::string> text = ReadTextFile(path, kMostPemBytes);
  if (text.ok()) return text;
  return absl::Status(text.status().code(), absl::StrCat(option, " ", text.status().message()));
}

absl::StatusOr<std::string> ReadCertificates(absl::string_view option, const std::string& path) {
  absl::StatusOr<std::string> text = Read(option, path);
  if (text.ok() && FirstCertificate(*text) == nullptr) {
    return Refuse(option, path, "there is no certificate in PEM in it");
  }
  return text;
}

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> CredentialsOf(const TlsFiles& files) {
  if (files.certificate.empty()) return grpc::InsecureServerCredentials();
  absl::StatusOr<std::string> certificate = ReadCertificates("--tls-cert", files.certificate);
  if (!certificate.ok()) return certificate.status();
  absl::StatusOr<std::string> key = Read("--tls-key", files.key);
  if (!key.ok()) return key.status();
  const KeyPtr private_key = KeyOf(*key);
  if (private_key == nullptr) {
    return Refuse("--tls-key", files.key, "there is no private key in PEM in it, without password");
  }
  const CertificatePtr leaf = FirstCertificate(*certificate);
  const bool is_pair = X509_check_private_key(leaf.get(), private_key.get()) == 1;
  ERR_clear_error();
  if (!is_pair) {
    return Refuse(
        "--tls-key", files.key,
        absl::StrCat("it is not the key of the certificate in ", Quoted(files.certificate)));
  }
  grpc::SslServerCredentialsOptions options(
      files.client_ca.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                              : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_key_cert_pairs.push_back({*std::move(key), *std::move(certificate)});
  if (!files.client_ca.empty()) {
    absl::StatusOr<std::string> authorities = ReadCertificates("--client-ca", files.client_ca);
    if (!authorities.ok()) return authorities.status();
    options.pem_root_certs = *std::move(authorities);
  }
  return grpc::SslServerCredentials(options);
}

}  // namespace holdfast
