#!/bin/sh
# Installs a release of aos into a directory of yours: verified first, by one rename, without sudo.
#
#   curl -fsSL https://github.com/ArgentAIOS/aos/releases/latest/download/install.sh | sh
#   sh install.sh --version 0.1.0 --dir ~/bin
#
# Exit codes are those of aos: 1 integrity or disk, 2 usage, 3 not found, 4 configuration, 7 network, 8 timeout.
# Nothing runs before the last line, so half a download of this script does nothing.

usage() {
    cat <<USAGE
Install aos, verified, into a directory of yours

Usage: install.sh [OPTIONS]

Options:
  --version VERSION    Version to install, or latest    [env: AOS_VERSION, default: latest]
  --dir DIR            Directory to install into        [env: AOS_INSTALL_DIR, default: ~/.local/bin]
  --release-url URL    Where releases are: https, or http on this machine
                                                        [env: AOS_RELEASE_URL, default: $repository/releases]
  --allow-downgrade    Replace a newer aos with an older one
  --require-signature  Fail when the signature cannot be checked here
                                                        [env: AOS_REQUIRE_SIGNATURE=1]
  --help               Print this help
USAGE
}

say() {
    printf '%s\n' "$*"
}

note() {
    printf '%s\n' "$*" >&2
}

# fail EXIT MESSAGE FIX
fail() {
    printf 'install.sh: %s\n  fix: %s\n' "$2" "$3" >&2
    exit "$1"
}

has() {
    command -v "$1" >/dev/null 2>&1
}

# Removes what this run left behind, on every way out. `child` is a download or a program that still runs.
cleanup() {
    if [ -n "$child" ]; then
        kill "$child" 2>/dev/null
    fi
    if [ -n "$staged" ]; then
        rm -f "$staged"
    fi
    if [ -n "$temporary" ]; then
        rm -rf "$temporary"
    fi
}

# Runs a program of somebody else: no input, a limit in time where the system has `timeout`.
bounded() {
    if has timeout; then
        timeout 60 "$@" </dev/null
    else
        "$@" </dev/null
    fi
}

parse_options() {
    version=${AOS_VERSION:-latest}
    directory=${AOS_INSTALL_DIR:-}
    release_url=${AOS_RELEASE_URL:-$repository/releases}
    require_signature=${AOS_REQUIRE_SIGNATURE:-0}
    allow_downgrade=0
    while [ $# -gt 0 ]; do
        option=$1
        case $option in
        --help | -h)
            usage
            exit 0
            ;;
        --require-signature)
            require_signature=1
            shift
            continue
            ;;
        --allow-downgrade)
            allow_downgrade=1
            shift
            continue
            ;;
        --version=* | --dir=* | --release-url=*)
            value=${option#*=}
            option=${option%%=*}
            shift
            ;;
        --version | --dir | --release-url)
            [ $# -gt 1 ] || fail 2 "\`$option\` needs a value" "see install.sh --help"
            value=$2
            shift 2
            ;;
        *) fail 2 "the option \`$option\` does not exist" "see install.sh --help" ;;
        esac
        case $option in
        --version) version=$value ;;
        --dir) directory=$value ;;
        *) release_url=$value ;;
        esac
    done
    if [ -z "$directory" ]; then
        [ -n "${HOME:-}" ] || fail 4 "HOME is not set, so there is no default directory" "set one with --dir DIR"
        directory=$HOME/.local/bin
    fi
}

# What goes into a URL, a path or an identity is checked here and nowhere else.
validate_options() {
    version=${version#v}
    if [ "$version" != latest ]; then
        is_version "$version" ||
            fail 2 "\`$version\` is not a version" "write it as MAJOR.MINOR.PATCH, for example 0.1.0"
    fi
    case $require_signature in
    0 | 1) ;;
    *) fail 2 "AOS_REQUIRE_SIGNATURE is neither 0 nor 1" "set it to 1, or unset it" ;;
    esac
    release_url=${release_url%/}
    case $release_url in
    *[!]0-9A-Za-z.:/_~%+[-]*) bad_url ;;
    esac
    case $release_url in
    https://?*)
        schemes='=https' redirects=5
        proxy_exceptions=${NO_PROXY:-${no_proxy:-}}
        ;;
    http://*) only_here "${release_url#http://}" || bad_url ;;
    *) bad_url ;;
    esac
    case $directory in
    *'
'*) fail 2 "the directory to install into has a line break in its name" "choose another one with --dir DIR" ;;
    /*) ;;
    # A tilde in quotes is still one when it arrives here.
    \~/*) directory=${HOME:-}/${directory#??} ;;
    *) directory=$PWD/$directory ;;
    esac
}

is_version() {
    case $1 in
    *[!0-9A-Za-z.+-]*) return 1 ;;
    [0-9]*.[0-9]*.[0-9]*) return 0 ;;
    *) return 1 ;;
    esac
}

# http is for a release server on this machine: nobody between it and us, and no redirect away from it.
only_here() {
    schemes='=http' redirects=0 proxy_exceptions='localhost,127.0.0.1,::1'
    host=${1%%/*}
    port=${host##*:}
    case $host in
    127.0.0.1 | localhost | '[::1]') return 0 ;;
    "127.0.0.1:$port" | "localhost:$port" | "[::1]:$port") ;;
    *) return 1 ;;
    esac
    case $port in
    '' | *[!0-9]*) return 1 ;;
    *) return 0 ;;
    esac
}

bad_url() {
    fail 2 "the release URL is neither https nor http on this machine" "unset AOS_RELEASE_URL, or write https://HOST/PATH"
}

require_programs() {
    for program in curl tar gzip awk mktemp; do
        has "$program" || fail 4 "\`$program\` is needed, but is not on PATH" "install $program, then run this script again"
    done
    has sha256sum || has shasum || has openssl ||
        fail 4 "no program that computes SHA-256 is on PATH" "install one of sha256sum, shasum and openssl"
}

detect_platform() {
    system=$(uname -s)
    machine=$(uname -m)
    case $machine in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) unsupported ;;
    esac
    case $system in
    Darwin)
        # A shell under Rosetta says x86_64 on a machine that is not.
        if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then
            machine=aarch64
        fi
        platform=$machine-apple-darwin
        ;;
    Linux)
        # A 64-bit kernel may carry a 32-bit system.
        if [ "$(getconf LONG_BIT 2>/dev/null || echo 64)" = 32 ]; then
            machine="32-bit $machine"
            unsupported
        fi
        platform=$machine-unknown-linux-$(libc)
        ;;
    MINGW* | MSYS* | CYGWIN*)
        fail 4 "this script installs on Linux and macOS" "on Windows: npm install -g @argentaios/aos, or see docs/installing.md"
        ;;
    *) unsupported ;;
    esac
}

unsupported() {
    fail 4 "there is no release of aos for $system on $machine" \
        "build it: cargo install --locked --git $repository aos"
}

# The static build runs everywhere; the other one only where its loader and glibc 2.28 or newer are for certain.
libc() {
    glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || glibc=''
    loader=''
    for candidate in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1; do
        if [ -e "$candidate" ]; then
            loader=$candidate
        fi
    done
    case $glibc in
    'glibc 2.'*) minor=${glibc#glibc 2.} ;;
    *) minor='' ;;
    esac
    minor=${minor%%.*}
    case $minor in
    '' | *[!0-9]*) minor=0 ;;
    esac
    if [ -n "$loader" ] && [ "$minor" -ge 28 ]; then
        echo gnu
    else
        echo musl
    fi
}

# Whatever can be known to fail is found before the first download.
prepare_directory() {
    mkdir -p "$directory" 2>/dev/null
    [ -d "$directory" ] ||
        fail 4 "\`$directory\` cannot be created" "choose a directory that you own with --dir DIR; this script never uses sudo"
    [ -w "$directory" ] ||
        fail 4 "\`$directory\` cannot be written" "choose a directory that you own with --dir DIR; this script never uses sudo"
    directory=$(cd "$directory" && pwd -P) || fail 4 "\`$directory\` cannot be entered" "choose another one with --dir DIR"
    target=$directory/aos
    refuse_managed
}

# A program that a package manager put there is that manager's to replace; one that is not aos is nobody's.
refuse_managed() {
    [ -e "$target" ] || [ -L "$target" ] || return 0
    [ ! -d "$target" ] || fail 4 "\`$target\` is a directory" "move it away, or choose another directory with --dir DIR"
    place=$(resolved "$target")
    case $place in
    */node_modules/*) managed npm "npm install -g @argentaios/aos@latest" ;;
    */Cellar/* | */Caskroom/* | */linuxbrew/*) managed Homebrew "brew upgrade aos" ;;
    /nix/store/*) managed Nix "the way it was installed" ;;
    /snap/*) managed snap "snap refresh aos" ;;
    esac
    cargo_home=${CARGO_HOME:-${HOME:-}/.cargo}
    if [ -f "$cargo_home/.crates.toml" ] && [ "$directory" = "$(cd "$cargo_home/bin" 2>/dev/null && pwd -P)" ] &&
        grep -q '^"aos ' "$cargo_home/.crates.toml"; then
        managed cargo "cargo install --locked --git $repository aos"
    fi
    [ ! -L "$target" ] ||
        fail 4 "\`$target\` is a link to \`$place\`" "remove the link, or choose another directory with --dir DIR"
    if [ "$(head -c 2 "$target" 2>/dev/null)" = '#!' ] && grep -q node_modules "$target"; then
        managed npm "npm install -g @argentaios/aos@latest"
    fi
    if [ -z "$(version_of "$target")" ]; then
        fail 4 "\`$target\` exists, but is not aos" \
            "move it away, or choose another directory with --dir DIR"
    fi
}

managed() {
    fail 4 "\`$target\` belongs to $1" "update it with: $2; or choose another directory with --dir DIR"
}

# Follows links without `readlink -f`, which older systems lack; a circle ends after 40 steps.
resolved() {
    current=$1
    steps=0
    while [ -L "$current" ] && [ "$steps" -lt 40 ]; do
        next=$(readlink "$current") || break
        case $next in
        /*) current=$next ;;
        *) current=${current%/*}/$next ;;
        esac
        steps=$((steps + 1))
    done
    parent=$(cd "${current%/*}/" 2>/dev/null && pwd -P) || parent=${current%/*}
    printf '%s/%s\n' "$parent" "${current##*/}"
}

# The version that a program says it is, or nothing when it is not aos.
version_of() {
    answer=$(bounded "$1" --version 2>/dev/null) || return 0
    case $answer in
    'aos '*) answer=${answer#aos } ;;
    *) return 0 ;;
    esac
    if is_version "$answer"; then
        printf '%s\n' "$answer"
    fi
}

# fetch URL FILE BYTES WHAT: one file, bounded in size and time, three tries where trying again can help.
fetch() {
    attempt=1
    while :; do
        fetch_once "$1" "$2" "$3"
        case $result:$status in
        0:200) return 0 ;;
        6:* | 7:* | 18:* | 28:* | 52:* | 56:* | 92:* | *:408 | *:429 | *:5[0-9][0-9])
            [ "$attempt" -lt 3 ] || break
            ;;
        *) break ;;
        esac
        sleep "$attempt"
        attempt=$((attempt + 1))
    done
    fetch_failed "$1" "$4" "$3"
}

fetch_once() {
    rm -f "$2"
    # The limits are curl's own, and that of the system where curl cannot know the size: 512-byte blocks.
    (
        ulimit -f "$(($3 / 512 + 1))" 2>/dev/null
        exec curl --fail --silent --location --proto "$schemes" --proto-redir "$schemes" --max-redirs "$redirects" \
            --noproxy "$proxy_exceptions" --globoff --connect-timeout 20 --max-time 900 \
            --speed-limit 1024 --speed-time 30 --max-filesize "$3" \
            --output "$2" --write-out '%{http_code}' --url "$1" </dev/null >"$temporary/status" 2>/dev/null
    ) &
    child=$!
    # In the background, because a shell hears signals while it waits, not while a program runs.
    wait "$child"
    result=$?
    child=''
    status=$(cat "$temporary/status" 2>/dev/null)
    if [ "$result" -eq 0 ] && [ "$(wc -c <"$2" 2>/dev/null || echo 0)" -gt "$3" ]; then
        result=63
    fi
}

# fetch_failed URL WHAT BYTES
fetch_failed() {
    again='run this script again'
    case $result:$status in
    *:404)
        fail 3 "$2 is not at \`$1\`" "check the version; $release_url lists what exists"
        ;;
    *:403 | *:429) fail 7 "the server refuses or limits downloads (HTTP $status)" "wait some minutes, then $again" ;;
    *:401) fail 4 "the server requires credentials (HTTP 401)" "choose a public release server" ;;
    *:408 | *:5[0-9][0-9]) fail 7 "the server failed (HTTP $status)" "$again" ;;
    5:* | 97:*) fail 4 "the proxy cannot be used" "check the proxy variables of this shell, then $again" ;;
    6:* | 7:*) fail 7 "the server of \`$1\` cannot be reached" "check the network, then $again" ;;
    28:*) fail 8 "$2 took too long" "$again" ;;
    35:*) fail 7 "cannot make a TLS connection to the server of \`$1\`" "check the network or the proxy, then $again" ;;
    51:* | 60:* | 77:*)
        fail 4 "the TLS certificate of the server is not trusted" "install ca-certificates, or set CURL_CA_BUNDLE for your proxy"
        ;;
    63:* | 15[0-9]:*) fail 1 "$2 is larger than $3 bytes" "do not install it; report it at $repository/issues" ;;
    1:* | 47:*) fail 1 "the server redirects to an address that is not allowed" "do not install it; report it at $repository/issues" ;;
    23:*) fail 1 "$2 cannot be stored in \`$temporary\`" "free some space, or set TMPDIR, then $again" ;;
    *) fail 7 "$2 cannot be downloaded (curl $result, HTTP $status)" "$again" ;;
    esac
}

# Where a page came in place of a file, the fault is one of the network between.
refuse_page() {
    if [ "$(head -c 1 "$1")" = '<' ]; then
        fail 7 "the server sent a web page instead of $2" "sign in to the network or fix the proxy, then run this script again"
    fi
}

sha256() {
    if has sha256sum; then
        digest=$(sha256sum <"$1")
    elif has shasum; then
        digest=$(shasum -a 256 <"$1")
    else
        digest=$(openssl dgst -sha256 -r <"$1")
    fi
    printf '%s\n' "${digest%% *}"
}

# Reads a whole list of digests or none of it, and prints the digest of the one file asked for.
#   0 found, 10 a line that is none, 11 a name twice, 12 not listed
digest_in() {
    awk -v wanted="$2" '
        { sub(/\r$/, "") }
        $0 == "" { next }
        {
            digest = substr($0, 1, 64); mark = substr($0, 65, 2); name = substr($0, 67)
            if (length(digest) != 64 || digest ~ /[^0-9a-fA-F]/) { bad = 10; exit }
            if ((mark != "  " && mark != " *") || name == "" || name ~ /[^0-9A-Za-z._+-]/) { bad = 10; exit }
            if (name in seen) { bad = 11; exit }
            seen[name] = tolower(digest)
        }
        END {
            if (bad) exit bad
            if (!(wanted in seen)) exit 12
            print seen[wanted]
        }' "$1"
}

# The version of a release is in the names of its archives: one for this platform, or none.
version_in() {
    awk -v platform="$platform" '
        { sub(/\r$/, "") }
        {
            name = substr($0, 67); tail = "-" platform ".tar.gz"
            start = length(name) - length(tail)
            if (substr(name, 1, 5) == "aos-v" && start > 5 && substr(name, start + 1) == tail) {
                count++; found = substr(name, 6, start - 5)
            }
        }
        END { if (count == 1) print found }' "$1"
}

find_version() {
    [ "$version" = latest ] || return 0
    fetch "$release_url/latest/download/checksums.txt" "$temporary/latest" "$limit_small" "the list of the newest release"
    refuse_page "$temporary/latest" "the list of the newest release"
    version=$(version_in "$temporary/latest")
    is_version "$version" ||
        fail 3 "the newest release has no archive for $platform" "build it: cargo install --locked --git $repository aos"
}

# A "latest" that is older than the aos here was moved back by somebody. A version that was asked for is meant.
refuse_older() {
    if [ "$asked" != latest ] || [ "$allow_downgrade" = 1 ] || [ ! -e "$target" ]; then
        return 0
    fi
    present=$(version_of "$target")
    if is_older "$version" "$present"; then
        fail 4 "the newest release is $version, but \`$target\` is $present" \
            "to install it anyway, give --allow-downgrade or --version $version; if you did not expect this, report it at $repository/issues"
    fi
}

# is_older VERSION OTHER, by the rules of Semantic Versioning.
is_older() {
    awk -v one="$1" -v other="$2" '
        function compare(left, right,    l, r, count, i, a, b) {
            count = split(left, l, "."); i = split(right, r, ".")
            if (i > count) count = i
            for (i = 1; i <= count; i++) {
                if (!(i in l)) return -1
                if (!(i in r)) return 1
                a = l[i] ~ /^[0-9]+$/; b = r[i] ~ /^[0-9]+$/
                if (a && b) { if (l[i] + 0 != r[i] + 0) return l[i] + 0 < r[i] + 0 ? -1 : 1 }
                else if (a != b) return a ? -1 : 1
                else if (l[i] "" != r[i] "") return l[i] "" < r[i] "" ? -1 : 1
            }
            return 0
        }
        BEGIN {
            sub(/\+.*/, "", one); sub(/\+.*/, "", other)
            at = index(one, "-"); pre_one = at ? substr(one, at + 1) : ""; if (at) one = substr(one, 1, at - 1)
            at = index(other, "-"); pre_other = at ? substr(other, at + 1) : ""; if (at) other = substr(other, 1, at - 1)
            result = compare(one, other)
            if (result == 0 && pre_one != pre_other) {
                if (pre_one == "") result = 1
                else if (pre_other == "") result = -1
                else result = compare(pre_one, pre_other)
            }
            exit (result < 0 ? 0 : 1)
        }'
}

download_list() {
    base=$release_url/download/v$version
    say "aos $version for $platform"
    fetch "$base/checksums.txt" "$temporary/checksums.txt" "$limit_small" "checksums.txt of version $version"
    refuse_page "$temporary/checksums.txt" checksums.txt
    listed=$(digest_in "$temporary/checksums.txt" "$archive")
    case $? in
    0) ;;
    10) integrity "checksums.txt has a line that is no digest and file name" ;;
    11) integrity "checksums.txt names a file twice" ;;
    *) fail 3 "version $version has no archive for $platform" "choose another version, or build it: cargo install --locked --git $repository aos" ;;
    esac
}

integrity() {
    fail 1 "$1" "do not install this release and do not retry; report it at $repository/issues"
}

# Who signed the list. The program that this release brings could say anything about itself, so it is not asked:
# cosign is, or an aos that was here before.
verify_signature() {
    bundle=$temporary/checksums.txt.sigstore.json
    fetch_once "$base/checksums.txt.sigstore.json" "$bundle" "$limit_small"
    case $result:$status in
    0:200) ;;
    *:404) integrity "the release is not signed" ;;
    *) fetch "$base/checksums.txt.sigstore.json" "$bundle" "$limit_small" "the signature of version $version" ;;
    esac
    refuse_page "$bundle" "the signature"
    identity=$repository/.github/workflows/release.yml@refs/tags/v$version
    earlier=$(earlier_aos)
    if has cosign && cosign verify-blob --help 2>/dev/null </dev/null | grep -q new-bundle-format; then
        verified_by cosign cosign verify-blob --new-bundle-format --bundle "$bundle" \
            --certificate-identity "$identity" --certificate-oidc-issuer "$issuer" "$temporary/checksums.txt"
    elif [ -n "$earlier" ]; then
        verified_by "$earlier" "$earlier" verify "$temporary/checksums.txt" --bundle "$bundle" \
            --certificate-identity "$identity" --certificate-oidc-issuer "$issuer" --format text
    elif [ "$require_signature" = 1 ]; then
        fail 4 "no program on this machine can check the signature" "install cosign 2.4 or newer, then run this script again"
    else
        note "signature: NOT checked, because neither cosign nor an earlier aos was found (the new aos cannot verify itself); docs/installing.md explains how to check it"
    fi
}

# verified_by NAME COMMAND...
verified_by() {
    verifier=$1
    shift
    bounded "$@" >"$temporary/verdict" 2>&1 &
    child=$!
    wait "$child"
    result=$?
    child=''
    if [ "$result" -eq 0 ]; then
        say "signature: verified with $verifier: $identity"
    else
        tail -n 5 "$temporary/verdict" | tr -cd '[:print:]\n' >&2
        integrity "$verifier refuses the signature of version $version"
    fi
}

# An aos that was installed before this run, by whatever means.
earlier_aos() {
    for candidate in "$target" "$(command -v aos 2>/dev/null)"; do
        if [ -f "$candidate" ] && [ -x "$candidate" ] && [ -n "$(version_of "$candidate")" ]; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
}

download_archive() {
    fetch "$base/$archive" "$temporary/$archive" "$limit_archive" "$archive"
    actual=$(sha256 "$temporary/$archive")
    if [ "$actual" != "$listed" ]; then
        refuse_page "$temporary/$archive" "$archive"
        integrity "$archive has the SHA-256 $actual, and checksums.txt says $listed"
    fi
    say "checksum: $actual"
}

# An archive of a release is plain files in one directory. Names come first, and nothing is unpacked but one file,
# to standard output: there is no name that could lead anywhere else.
look_into_archive() {
    gzip -t "$temporary/$archive" 2>/dev/null || integrity "$archive is damaged"
    (
        ulimit -f "$((limit_small / 512))" 2>/dev/null
        tar -tzf "$temporary/$archive" >"$temporary/names" 2>/dev/null &&
            tar -tvzf "$temporary/$archive" 2>/dev/null | cut -c1 >"$temporary/kinds"
    ) || integrity "$archive is damaged"
    odd=$(awk -v top="$top" '
        NR > 1000 { print "more than 1000 entries"; exit }
        {
            path = $0; sub(/\/$/, "", path)
            if (path in seen) { print path; exit }
            seen[path] = 1
            if (path == top || path == top "/aos" || path == top "/README.md" || path == top "/LICENSE") next
            if (path == top "/CHANGELOG.md" || path == top "/skills" || path == top "/skills/aos" || path == top "/man") next
            if (index(path, top "/man/") == 1 && substr(path, length(top) + 6) ~ /^aos[a-z-]*\.1$/) next
            if (index(path, top "/skills/aos/") == 1 && path !~ /(^|\/)\.\.?(\/|$)|\/\/|[^0-9A-Za-z._\/-]/) next
            print path; exit
        }' "$temporary/names")
    [ -z "$odd" ] || integrity "$archive has an entry that no release of aos has: $(printf '%s' "$odd" | tr -cd '[:print:]' | cut -c1-100)"
    if grep -q '[^-d]' "$temporary/kinds"; then
        integrity "$archive has an entry that is neither a file nor a directory"
    fi
    grep -qxF "$top/aos" "$temporary/names" || integrity "$archive has no program"
}

# Beside the target, so that the last step is one rename: the old program or the new one, never half of one.
stage_program() {
    staged=$directory/.aos.${temporary##*.}.new
    (
        ulimit -f "$((limit_program / 512))" 2>/dev/null
        # Never through a link or into a file that somebody put there.
        set -C
        tar -xzOf "$temporary/$archive" "$top/aos" >"$staged"
    ) 2>/dev/null || fail 1 "the program cannot be written to \`$directory\`" "free some disk space there, then run this script again"
    chmod 755 "$staged" || fail 1 "\`$staged\` cannot be made executable" "choose another directory with --dir DIR"
    if ! answer=$(bounded "$staged" --version 2>&1); then
        fail 4 "the new program does not run here: $(printf '%s' "$answer" | tr -cd '[:print:]' | cut -c1-200)" \
            "if \`$directory\` is mounted without permission to run programs, choose another one with --dir DIR; else report it at $repository/issues"
    fi
    [ "$answer" = "aos $version" ] || integrity "the new program does not say that it is version $version"
}

commit() {
    if [ -f "$target" ] && cmp -s "$staged" "$target"; then
        say "aos $version is in $target already; nothing changed"
        return 0
    fi
    mv -f "$staged" "$target" || fail 1 "\`$target\` cannot be replaced" "check its owner, or choose another directory with --dir DIR"
    staged=''
    say "installed aos $version in $target"
}

say_what_is_next() {
    case :${PATH:-}: in
    *":$directory:"*)
        first=$(command -v aos 2>/dev/null)
        if [ -n "$first" ] && [ "$(resolved "$first")" != "$target" ]; then
            note "note: \`aos\` is still \`$first\`, which comes first on PATH"
        fi
        ;;
    *)
        note "note: \`$directory\` is not on PATH; this adds it, for new shells:"
        case $directory:${SHELL:-} in
        *[!0-9A-Za-z._/-]*:*) note "  add it to PATH in the start file of your shell" ;;
        */fish) note "  fish_add_path '$directory'" ;;
        */zsh) note "  echo 'export PATH=\"$directory:\$PATH\"' >> ~/.zshrc" ;;
        */bash) note "  echo 'export PATH=\"$directory:\$PATH\"' >> ~/.bashrc" ;;
        *) note "  echo 'export PATH=\"$directory:\$PATH\"' >> ~/.profile" ;;
        esac
        ;;
    esac
    say "next: aos doctor; for agents: aos update, which installs the verified Skill"
}

main() {
    set -u
    # Whose releases these are. A mirror changes where bytes come from, never who must have signed them.
    repository='https://github.com/ArgentAIOS/aos'
    issuer='https://token.actions.githubusercontent.com'
    limit_small=1048576 limit_archive=209715200 limit_program=536870912
    child='' staged='' temporary=''
    # Neither a locale nor options of tar and gzip in the environment may change what programs print here.
    LC_ALL=C
    export LC_ALL
    unset CDPATH TAR_OPTIONS GZIP GREP_OPTIONS

    parse_options "$@"
    validate_options
    require_programs
    detect_platform
    prepare_directory

    trap cleanup EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    temporary=$(mktemp -d "${TMPDIR:-/tmp}/aos-install.XXXXXXXX") ||
        fail 1 "there is no directory for temporary files" "set TMPDIR to a directory that can be written"

    asked=$version
    find_version
    refuse_older
    top=aos-v$version-$platform
    archive=$top.tar.gz
    download_list
    verify_signature
    download_archive
    look_into_archive
    stage_program
    commit
    say_what_is_next
}

main "$@"
