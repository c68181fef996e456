#!/usr/bin/env bash
# Installs what the build and the tests need: Debian packages, and the foreign peers of the tests.
#
#   tools/setup.sh [fuzz]
#
# Quick and silent when nothing is missing, because every task begins with it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  ca-certificates ccache clang-format cmake g++ git ninja-build pkg-config python3 python3-venv
  libabsl-dev libcli11-dev libcpp-httplib-dev libgmock-dev libgrpc++-dev libgtest-dev
  libprotobuf-dev libre2-dev libxxhash-dev libyaml-cpp-dev openssl protobuf-compiler
  protobuf-compiler-grpc
)
case ${1:-} in
  '') ;;
  fuzz) packages+=(clang-14 libclang-rt-14-dev) ;;
  *) echo "setup [fuzz]" >&2 && exit 64 ;;
esac

missing_packages() {
  # dpkg-query fails when it does not know a name; that name is then missing from its answer.
  local installed
  installed=$(dpkg-query --show --showformat '${db:Status-Abbrev}|${Package}\n' "${packages[@]}" \
    2>/dev/null | sed -n 's/^.i *|//p' || true)
  comm -23 <(printf '%s\n' "${packages[@]}" | sort) <(sort <<<"$installed")
}

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "setup: needs root or sudo for: $*" >&2
    return 77
  fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 \
    -o Acquire::Retries=3 "$@"
}

if ! command -v apt-get >/dev/null; then
  echo "setup: no apt-get here; install what these Debian packages hold: ${packages[*]}" >&2
  exit 69
fi
mapfile -t missing < <(missing_packages)
if ((${#missing[@]})); then
  echo "== setup: installing ${missing[*]}"
  apt update
  apt install --yes --no-install-recommends "${missing[@]}" >/dev/null
fi

# Not the first python3 of PATH: a version manager's may be unable to make a virtual environment.
/usr/bin/python3 -I tools/install_peers.py
exec /usr/bin/python3 -I tools/make_protoset.py
