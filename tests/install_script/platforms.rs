//! Which archive is for this machine, and on which machines there is none.

use crate::scene::Scene;

/// The archive that the script looks for in the list of the newest release.
fn wanted(scene: &Scene) -> String {
    let list: String = ["aarch64", "x86_64"]
        .iter()
        .flat_map(|machine| {
            ["apple-darwin", "unknown-linux-gnu", "unknown-linux-musl"]
                .map(|rest| format!("{:064}  aos-v9.8.7-{machine}-{rest}.tar.gz\n", 0))
        })
        .collect();
    for path in ["/latest/download/checksums.txt", "/download/v9.8.7/checksums.txt"] {
        scene.server.set(path, crate::server::Reply::Bytes(list.clone().into_bytes()));
    }
    let bundle = crate::server::Reply::Bytes(b"{}".to_vec());
    scene.server.set("/download/v9.8.7/checksums.txt.sigstore.json", bundle);
    // The archive itself is not there.
    let answer = scene.refused(&[], 3, "aos-v9.8.7-");
    let name = answer.stderr.split("aos-v9.8.7-").nth(1).unwrap();
    name.split(".tar.gz").next().unwrap().to_owned()
}

#[test]
fn macs_get_the_build_of_their_processor_even_under_rosetta() {
    let scene = Scene::new();
    scene.pretend("Darwin", "arm64");
    assert_eq!(wanted(&scene), "aarch64-apple-darwin");
    scene.pretend("Darwin", "x86_64");
    assert_eq!(wanted(&scene), "x86_64-apple-darwin");
    scene.shim("sysctl", "echo 1");
    assert_eq!(wanted(&scene), "aarch64-apple-darwin");
    scene.shim("sysctl", "echo 0");
    assert_eq!(wanted(&scene), "x86_64-apple-darwin");
}

#[test]
fn a_linux_without_a_recent_glibc_gets_the_static_build() {
    let scene = Scene::new();
    for (says, is_gnu) in [
        ("exit 1", false),
        ("echo", false),
        ("echo glibc 2.17", false),
        ("echo glibc 2.28", true),
        ("echo glibc 2.41.9000", true),
        ("echo musl 1.2.5", false),
        ("echo glibc 2.x", false),
    ] {
        scene.shim("getconf", &format!("case $1 in LONG_BIT) echo 64 ;; *) {says} ;; esac"));
        // A machine that has no loader of glibc never gets the build that needs one.
        let has_loader = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
            .iter()
            .any(|loader| std::path::Path::new(loader).exists());
        let libc = if is_gnu && has_loader { "gnu" } else { "musl" };
        for (machine, name) in [("x86_64", "x86_64"), ("arm64", "aarch64"), ("aarch64", "aarch64")]
        {
            scene.pretend("Linux", machine);
            assert_eq!(wanted(&scene), format!("{name}-unknown-linux-{libc}"), "{says}");
        }
    }
    scene.without("getconf");
    scene.pretend("Linux", "amd64");
    assert_eq!(wanted(&scene), "x86_64-unknown-linux-musl");
}

#[test]
fn machines_without_a_release_are_told_what_to_do() {
    for (system, machine, words) in [
        ("FreeBSD", "amd64", "no release of aos for FreeBSD"),
        ("Linux", "i686", "no release of aos for Linux on i686"),
        ("Linux", "armv7l", "no release of aos for Linux on armv7l"),
        ("Linux", "riscv64", "no release"),
        ("SunOS", "i86pc", "no release"),
        ("MINGW64_NT-10.0", "x86_64", "on Windows: npm install"),
    ] {
        let scene = Scene::new();
        scene.pretend(system, machine);
        scene.refused(&[], 4, words);
        assert!(scene.server.asked().is_empty());
    }
    let scene = Scene::new();
    scene.shim("getconf", "echo 32");
    scene.refused(&[], 4, "32-bit x86_64");
}

#[test]
fn a_program_that_is_needed_and_missing_is_named() {
    for program in ["curl", "tar", "gzip", "awk", "mktemp"] {
        let scene = Scene::new();
        scene.without(program);
        scene.refused(&[], 4, &format!("`{program}` is needed"));
    }
}
