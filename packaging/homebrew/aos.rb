# The formula of a release: scripts/release/assemble.py puts the version and the digests in place of the marks.
# The builds for Linux are the static ones, which need no library of the system.
class Aos < Formula
  desc "Scaffolds agent-facing tools and keeps them true to a published contract"
  homepage "https://github.com/ArgentAIOS/aos"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "https://github.com/ArgentAIOS/aos/releases/download/v@VERSION@/aos-v@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@aarch64-apple-darwin@"
    end
    on_intel do
      url "https://github.com/ArgentAIOS/aos/releases/download/v@VERSION@/aos-v@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/ArgentAIOS/aos/releases/download/v@VERSION@/aos-v@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "https://github.com/ArgentAIOS/aos/releases/download/v@VERSION@/aos-v@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "aos"
    man1.install Dir["man/*.1"]
    pkgshare.install "skills"
    generate_completions_from_executable(bin/"aos", "completions", "--format", "raw", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match "aos #{version}", shell_output("#{bin}/aos --version")
  end
end
