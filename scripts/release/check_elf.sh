#!/usr/bin/env bash
# Says whether a program for Linux needs only what its users have: nothing at all for musl, glibc 2.28 for gnu.
#
#   check_elf.sh target/x86_64-unknown-linux-gnu/release/aos x86_64-unknown-linux-gnu
set -euo pipefail
export LC_ALL=C
program=$1 target=$2

fail() {
    echo "check_elf: $program: $1" >&2
    exit 1
}

machine=$(readelf --file-header --wide "$program" | sed -n 's/^ *Machine: *//p')
case $target:$machine in
x86_64-*:*X86-64* | aarch64-*:AArch64) ;;
*) fail "is for $machine, not for $target" ;;
esac

libraries=$(readelf --dynamic --wide "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
interpreter=$(readelf --program-headers --wide "$program" | sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
case $target in
*-musl)
    [ -z "$libraries$interpreter" ] || fail "is not static: it needs $interpreter $libraries"
    ;;
*-gnu)
    [ -n "$interpreter" ] || fail "is static, and a build for glibc should not be"
    for library in $libraries; do
        case $library in
        libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | libgcc_s.so.1 | ld-linux-*) ;;
        *) fail "needs $library" ;;
        esac
    done
    newest=$(readelf --version-info --wide "$program" | grep -o 'GLIBC_2[0-9.]*' | sort --unique --version-sort | tail -n 1)
    [ "$(printf '%s\n' "$newest" GLIBC_2.28 | sort --version-sort | tail -n 1)" = GLIBC_2.28 ] || fail "needs $newest"
    ;;
*) fail "$target is not a target for Linux" ;;
esac
echo "$program: $target, ${newest:-static}"
