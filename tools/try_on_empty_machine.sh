#!/usr/bin/env bash
# What a newcomer sees: an empty Debian 12 with bash, git and apt, a clone of HEAD, and a task.
#
#   tools/try_on_empty_machine.sh [--in FOLDER] [--within SECONDS] [TASK...]
#   tools/try_on_empty_machine.sh demo --fast      # what it does without a TASK
#   tools/try_on_empty_machine.sh test
#
# Needs root, debootstrap and about 3 GB in FOLDER (TMPDIR, /tmp). The mirror is the one that apt uses
# here; proxies, certificates and pip's settings are taken along. With CCACHE_DIR its folder is lent,
# which makes the build quick and changes nothing else.
#
# Everything happens in namespaces of its own: when it ends, however it ends, no process and no mount
# is left, and the folder that it made is removed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
release=bookworm

die() {
  echo "try_on_empty_machine: $1" >&2
  exit "${2:-1}"
}

say() {
  printf '== %4ds  %s\n' "$SECONDS" "$1"
}

# Where apt takes this release from.
mirror() {
  apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    sed -n "s/^$release main //p" | head -n 1
}

# bring_along MACHINE: what this machine needs to reach a mirror and a registry, the other needs, too.
bring_along() {
  local file
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
    [[ ! -e $file ]] || cp --dereference "$file" "$1$file"
  done
  apt-config dump Acquire | grep -iE '^Acquire::(https?|ftp|Check-Valid-Until|Retries)\b' \
    >"$1/etc/apt/apt.conf.d/90host" || true
  find /usr/local/share/ca-certificates -name '*.crt' \
    -exec cp --dereference -t "$1/usr/local/share/ca-certificates" {} + 2>/dev/null || true
}

# inside MACHINE BUNDLE TASK...: with mounts and process ids of its own.
inside() {
  local machine=$1 bundle=$2 variable keep=()
  shift 2
  mount --make-rprivate /
  say "debootstrap: an empty Debian ($release)"
  debootstrap --variant=minbase --include=ca-certificates,git "$release" "$machine" "$(mirror)" \
    >"$machine.log" 2>&1 || { tail -n 20 "$machine.log" && die "debootstrap failed" 69; }
  bring_along "$machine"
  mountpoint -q "$machine/proc" || mount -t proc proc "$machine/proc"
  mount --rbind /dev "$machine/dev"
  cp "$bundle" "$machine/root/holdfast.bundle"
  if [[ -n ${CCACHE_DIR:-} && -d $CCACHE_DIR ]]; then
    mkdir -p "$machine/root/.cache/ccache"
    mount --bind "$CCACHE_DIR" "$machine/root/.cache/ccache"
  fi
  for variable in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    [[ -z ${!variable:-} ]] || keep+=("$variable=${!variable}")
  done
  say "git clone, ./dev $*"
  chroot "$machine" /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${keep[@]}" /bin/bash -c '
      set -euo pipefail
      cd /root
      update-ca-certificates >/dev/null 2>&1
      git clone --quiet holdfast.bundle holdfast 2>/dev/null
      cd holdfast
      exec ./dev "$@"' dev "$@"
}

if [[ ${1:-} == --inside ]]; then
  shift
  inside "$@"
  exit
fi

folder=${TMPDIR:-/tmp} limit=7200
while [[ ${1:-} == --* ]]; do
  case $1 in
    --in) folder=${2:?--in FOLDER} && shift 2 ;;
    --within) limit=${2:?--within SECONDS} && shift 2 ;;
    *) die "no option $1; there are: --in FOLDER, --within SECONDS" 64 ;;
  esac
done
(($#)) || set -- demo --fast
((EUID == 0)) || die "debootstrap and chroot need root" 77
command -v debootstrap >/dev/null || die "no debootstrap here: apt install debootstrap" 69
[[ -n $(mirror) ]] || die "apt on this machine has no sources for $release" 69

work=$(mktemp -d "$folder/holdfast-empty-machine.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
# As another user would clone it: without what is not committed.
git -C "$root" bundle create --quiet "$work/holdfast.bundle" HEAD
code=0
timeout --foreground --signal=KILL "$limit" unshare --mount --pid --fork --kill-child \
  "$root/tools/$(basename "$0")" --inside "$work/machine" "$work/holdfast.bundle" "$@" || code=$?
case $code in
  0) say "./dev $*: fine" ;;
  137) say "./dev $*: FAILED: it did not end within $limit s" ;;
  *) say "./dev $*: FAILED (exit $code)" ;;
esac
exit "$code"
