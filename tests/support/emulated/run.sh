#!/usr/bin/env bash
# Run tests on an emulated 64-bit ARM processor. Python comes from Debian's packages for arm64, the
# other packages are wheels by name; both are put into .arm, once. Nothing is installed.
#
#     tests/support/emulated/run.sh [arguments of pytest]
#
# PROCESSES=1 uses one core instead of two.
set -euo pipefail
cd "$(dirname "$0")/../../.."

skip() { echo "test-arm is skipped: $1"; exit 0; }

HERE=$PWD/tests/support/emulated
ARM=$PWD/.arm
VERSIONS="3.11 3.12 3.13 3.14"  # a release of Debian has one of them
EMULATOR=$(command -v qemu-aarch64-static || command -v qemu-aarch64) \
  || skip "there is no qemu-aarch64; Debian's package is qemu-user-static."
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null \
  || skip "there is no apt-get, which fetches Python for arm64."

packages() {  # Python and its libraries, unpacked into $ARM/system
  rm -rf "$ARM"/{system,lists,cache,version}
  mkdir -p "$ARM"/{system,lists/partial,cache/archives/partial}
  : > "$ARM/status"
  local options=(-o "Dir::State=$ARM" -o "Dir::State::lists=$ARM/lists" -o "Dir::State::status=$ARM/status"
    -o "Dir::Cache=$ARM/cache" -o APT::Architecture=arm64 -o APT::Architectures=arm64
    -o Debug::NoLocking=1 -o APT::Install-Recommends=0 -o "APT::Sandbox::User=$(id -un)")
  apt-get "${options[@]}" -qq update || return 1
  local package version
  for version in $VERSIONS; do
    if apt-get "${options[@]}" -qq -y --download-only install "python$version" libstdc++6 >/dev/null 2>&1; then
      echo "$version" > "$ARM/version"
      break
    fi
  done
  [ -s "$ARM/version" ] || return 1
  for package in "$ARM"/cache/archives/*.deb; do dpkg-deb -x "$package" "$ARM/system" || return 1; done
  rm -rf "$ARM"/{lists,cache}
}

wheels() {  # what armdyn and these tests import, in the versions that all tests are run with
  rm -rf "$ARM/site"
  local version=$(cat "$ARM/version")
  "${PYTHON:-.venv/bin/python}" -m pip install --quiet --disable-pip-version-check -c constraints.txt \
    --target "$ARM/site" --only-binary=:all: --python-version "$version" --implementation cp \
    --abi "cp${version/./}" --abi abi3 --abi none --platform manylinux_2_28_aarch64 \
    --platform manylinux_2_27_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 \
    numpy scipy llvmlite defusedxml tomli-w typer rich pytest pytest-xdist hypothesis mpmath \
    2> "$ARM/pip.log" || { cat "$ARM/pip.log"; return 1; }
}

if [ ! -e "$ARM/ready" ] || [ constraints.txt -nt "$ARM/ready" ] || [ "$HERE/run.sh" -nt "$ARM/ready" ]; then
  echo "Setting up .arm: a minute or two, this once."
  mkdir -p "$ARM"
  packages || skip "Debian's packages of Python for arm64 cannot be fetched or unpacked."
  wheels || skip "the wheels for arm64 cannot be fetched."
  touch "$ARM/ready"
fi
VERSION=$(cat "$ARM/version")

# Tests start further interpreters by sys.executable, which must be something that this kernel starts.
cat > "$ARM/python" <<END
#!/bin/sh
PYTHONPATH="\${PYTHONPATH:+\$PYTHONPATH:}$HERE/modules:$ARM/site:$PWD/src" \
  exec "$EMULATOR" -L "$ARM/system" "$ARM/system/usr/bin/python$VERSION" "\$@"
END
chmod +x "$ARM/python"
"$ARM/python" -c 'import platform; assert platform.machine() == "aarch64"' \
  || skip "Python for arm64 does not start in the emulator."
export ARMDYN_EMULATED="$ARM/python"
exec "$ARM/python" -m pytest -p no:cacheprovider -n "${PROCESSES:-2}" "$@"
