#!/usr/bin/env bash
# Runs what a release would bring to this machine: the program of its archive and, outside Windows, the installer.
#
#   smoke.sh 0.1.0 x86_64-unknown-linux-gnu dist
set -euo pipefail
version=$1 target=$2
dist=$(cd "$3" && pwd)
work=$(mktemp -d)
server=''
cleanup() {
    [ -z "$server" ] || kill "$server"
    rm -rf "$work"
}
trap cleanup EXIT

try() {
    local program=$1 place=$2
    [ "$("$program" --version)" = "aos $version" ]
    mkdir "$place"
    "$program" -C "$place" new smoke --no-git --compact >/dev/null
    "$program" -C "$place/aos-smoke" check --compact
}

export AOS_HOME=$work/state
top=aos-v$version-$target
tar -xzf "$dist/$top.tar.gz" -C "$work"
case $target in
*-windows-*) try "$work/$top/aos.exe" "$work/unpacked" ;;
*)
    try "$work/$top/aos" "$work/unpacked"
    mkdir -p "$work/site/download"
    ln -s "$dist" "$work/site/download/v$version"
    # The shell of the background job opens the file; this one may look for it first.
    : >"$work/server.log"
    python3 -u -m http.server --bind 127.0.0.1 --directory "$work/site" 0 >"$work/server.log" 2>&1 &
    server=$!
    port=''
    for _ in {1..100}; do
        port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$work/server.log")
        [ -z "$port" ] || break
        sleep 0.1
    done
    sh "$dist/install.sh" --version "$version" --dir "$work/bin" --release-url "http://127.0.0.1:$port"
    try "$work/bin/aos" "$work/installed"
    ;;
esac
echo "smoke: $top runs"
