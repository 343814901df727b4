"""What a release consists of: its targets and the names of its assets. The one place; everything else asks here."""

REPOSITORY = "https://github.com/ArgentAIOS/aos"

# Target triple, and where an npm package for it may be installed: name, os, cpu, libc.
TARGETS = {
    "aarch64-apple-darwin": ("darwin-arm64", "darwin", "arm64", None),
    "aarch64-unknown-linux-gnu": ("linux-arm64-gnu", "linux", "arm64", "glibc"),
    "aarch64-unknown-linux-musl": ("linux-arm64-musl", "linux", "arm64", "musl"),
    "x86_64-apple-darwin": ("darwin-x64", "darwin", "x64", None),
    "x86_64-pc-windows-msvc": ("win32-x64", "win32", "x64", None),
    "x86_64-unknown-linux-gnu": ("linux-x64-gnu", "linux", "x64", "glibc"),
    "x86_64-unknown-linux-musl": ("linux-x64-musl", "linux", "x64", "musl"),
}

CHECKSUMS = "checksums.txt"
BUNDLE = "checksums.txt.sigstore.json"


def directory(version, target):
    """The one directory inside an archive."""
    return f"aos-v{version}-{target}"


def archive(version, target):
    return f"{directory(version, target)}.tar.gz"


def program(target):
    return "aos.exe" if "-windows-" in target else "aos"


def signed_assets(version):
    """Names that checksums.txt lists, in its order."""
    others = ["CHANGELOG.md", "aos.rb", f"aos-v{version}.cdx.json", "install.sh"]
    return sorted(others + [archive(version, target) for target in TARGETS])


def assets(version):
    """Names of everything on the release page."""
    return sorted([*signed_assets(version), CHECKSUMS, BUNDLE])


if __name__ == "__main__":
    print("\n".join(TARGETS))
