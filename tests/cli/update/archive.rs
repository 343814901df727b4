//! Unpacking: an archive is one directory of plain files, its program starts here and says the version it should.

use tar::EntryType;

use super::setup::{Entry, NEWER, Release, Setup, entries, file, gzip, program, row, top, tree};

const REFUSED: super::setup::Row =
    super::setup::Row { stage: "replace", code: "E_INTEGRITY", exit: 1 };

fn with(more: Vec<Entry>) -> Vec<u8> {
    let mut all = entries(NEWER, &program(NEWER));
    all.extend(more);
    gzip(&tree(&all))
}

fn publish(setup: &Setup, archive: Vec<u8>) {
    setup.publish(&Release::new(NEWER).archive(archive));
}

#[test]
fn an_archive_without_its_program_is_refused() {
    let setup = Setup::empty();
    let top = top(NEWER);
    let path = format!("{top}/aos");
    let special = |kind| Entry { path: path.clone(), kind, bytes: Vec::new() };
    let nested = file(&format!("{top}/bin/aos"), &program(NEWER));
    for (name, all) in [
        ("empty", vec![]),
        ("no program", vec![file(&format!("{top}/README.md"), b"x")]),
        ("elsewhere", vec![nested]),
        ("not below the top", vec![file("aos", &program(NEWER))]),
        ("other top", vec![file("aos-v9.9.9-x/aos", &program(NEWER))]),
        ("directory", vec![special(EntryType::Directory)]),
        ("symbolic link", vec![special(EntryType::Symlink)]),
        ("hard link", vec![special(EntryType::Link)]),
        ("device", vec![special(EntryType::Char)]),
        ("pipe", vec![special(EntryType::Fifo)]),
        ("twice", vec![file(&path, &program(NEWER)), file(&path, b"evil")]),
        (
            "twice but for case",
            vec![file(&path, &program(NEWER)), file(&format!("{top}/AOS"), b"evil")],
        ),
    ] {
        publish(&setup, gzip(&tree(&all)));
        let error = setup.fails(REFUSED, &[]);
        assert_eq!(error["details"]["cause"], "bad_archive", "{name}");
    }
}

#[test]
fn an_entry_that_leads_out_of_the_archive_is_refused() {
    let setup = Setup::empty();
    let top = top(NEWER);
    let mut link = file(&format!("{top}/link"), b"");
    link.kind = EntryType::Symlink;
    for path in [
        format!("{top}/../../evil"),
        "../evil".to_owned(),
        "/tmp/aos-evil".to_owned(),
        format!("{top}\\..\\evil"),
        format!("{top}/a\\b"),
        "C:\\evil".to_owned(),
        format!("{top}/C:evil"),
        format!("{top}//evil"),
        format!("{top}/./evil"),
        format!("./{top}/evil"),
        format!("{top}x/evil"),
        format!("{top}/a\nb"),
    ] {
        publish(&setup, with(vec![file(&path, b"evil")]));
        let error = setup.fails(REFUSED, &[]);
        assert_eq!(error["details"]["cause"], "bad_archive", "{path:?}");
        assert!(!std::path::Path::new("/tmp/aos-evil").exists());
    }
    publish(&setup, with(vec![link, file(&format!("{top}/link/evil"), b"evil")]));
    setup.fails(REFUSED, &[]);
}

#[test]
fn a_bomb_is_refused() {
    let setup = Setup::empty();
    let top = top(NEWER);
    let many = (0..1100).map(|number| file(&format!("{top}/{number}"), b"")).collect();
    publish(&setup, with(many));
    setup.fails(REFUSED, &[]);
    // A header that promises a terabyte, and one that promises more than there is.
    for size in [1_u64 << 40, 100_000] {
        let mut header = tar::Header::new_ustar();
        header.set_path(format!("{top}/aos")).expect("a path");
        header.set_size(size);
        header.set_mode(0o755);
        header.set_cksum();
        publish(&setup, gzip(&[header.as_bytes(), &[b'x'; 512][..]].concat()));
        setup.fails(REFUSED, &[]);
    }
    // Endless padding after the end.
    let mut padded = tree(&entries(NEWER, &program(NEWER)));
    padded.resize(padded.len() + 3 * 1024 * 1024, 0);
    publish(&setup, gzip(&padded));
    setup.fails(REFUSED, &[]);
    // 600 MB of zeroes compress to less than one.
    let zeroes = squeezed(&vec![0; 40 * 1024 * 1024]);
    let mut header = tar::Header::new_ustar();
    header.set_path(format!("{top}/zeroes")).expect("a path");
    header.set_size(600 * 1024 * 1024);
    header.set_cksum();
    let mut bomb = gzip(header.as_bytes());
    for _ in 0..15 {
        bomb.extend(&zeroes);
    }
    publish(&setup, bomb);
    setup.fails(REFUSED, &[]);
    // A Skill that would fill the memory.
    publish(
        &setup,
        with(vec![file(&format!("{top}/skills/aos/big"), &vec![b'x'; 5 * 1024 * 1024])]),
    );
    setup.fails(REFUSED, &[]);
}

fn squeezed(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn a_damaged_archive_is_refused() {
    let setup = Setup::empty();
    let good = with(vec![]);
    let plain = tree(&entries(NEWER, &program(NEWER)));
    let mut flipped = good.clone();
    let crc = flipped.len() - 8;
    flipped[crc] ^= 1;
    for (name, bytes) in [
        ("not compressed", plain.clone()),
        ("cut", good[..good.len() / 2].to_vec()),
        ("without its checksum", good[..good.len() - 8].to_vec()),
        ("with another checksum", flipped),
        ("followed by garbage", [good.as_slice(), b"garbage"].concat()),
        ("followed by another archive", [good.as_slice(), &gzip(b"more")].concat()),
        ("with something after its end", gzip(&[plain.as_slice(), b"more"].concat())),
        ("a tree that is cut", gzip(&plain[..700])),
        ("a tree that is garbage", gzip(&[b'x'; 2048])),
    ] {
        publish(&setup, bytes);
        let error = setup.fails(REFUSED, &[]);
        assert_eq!(error["details"]["cause"], "bad_archive", "{name}");
    }
}

// Two members of gzip make one archive: that is what the format says.
#[test]
fn an_archive_in_two_pieces_is_whole() {
    let setup = Setup::empty();
    setup.good_npx(NEWER);
    let plain = tree(&entries(NEWER, &program(NEWER)));
    let (first, second) = plain.split_at(600);
    publish(&setup, [gzip(first), gzip(second)].concat());
    assert_eq!(setup.update(&[]).data()["status"], "updated");
}

#[cfg(unix)]
#[test]
fn a_program_that_does_not_start_here_is_refused() {
    let setup = Setup::empty();
    let config = row("replace", "E_CONFIG", 4);
    for (name, bytes) in [
        ("no program at all", &b"hello"[..]),
        ("empty", b""),
        ("another interpreter", b"#!/nowhere/python\n"),
        ("another processor", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xff\xff"),
        ("ends with an error", b"#!/bin/sh\necho 'GLIBC_9.99 not found' >&2\nexit 1\n"),
        ("killed", b"#!/bin/sh\nkill -9 $$\n"),
    ] {
        setup.publish(&Release::of(NEWER, bytes));
        let error = setup.fails(config, &[]);
        assert_eq!(error["details"]["cause"], "does_not_start", "{name}: {error}");
    }
    let hint = setup.fails(config, &[])["details"]["fix"].clone();
    assert!(hint.as_str().is_some_and(|hint| hint.contains("noexec")), "{hint}");
}

// The new program starts, and then prints nothing.
#[cfg(unix)]
#[test]
fn a_program_that_does_not_say_its_version_in_time_is_refused() {
    let setup = Setup::empty();
    let mark = setup.place("still-alive");
    let script = format!("#!/bin/sh\n(sleep 15; : >'{}') &\nsleep 60\n", mark.display());
    setup.publish(&Release::of(NEWER, script.as_bytes()));
    let clock = std::time::Instant::now();
    let error = setup.fails(row("replace", "E_CONFIG", 4), &[]);
    assert_eq!(error["details"]["cause"], "does_not_start");
    assert!(clock.elapsed() < std::time::Duration::from_secs(40), "{:?}", clock.elapsed());
    std::thread::sleep(std::time::Duration::from_secs(7));
    assert!(!mark.exists(), "what it started has survived");
}

#[cfg(unix)]
#[test]
fn a_program_that_reports_another_version_is_an_integrity_fault() {
    let setup = Setup::empty();
    for said in ["1.2.2", "1.2.3-rc.1", "1.2.3 and more", "9.9.9"] {
        setup.publish(&Release::of(NEWER, &program(said)));
        let error = setup.fails(REFUSED, &[]);
        assert_eq!(error["details"]["cause"], "other_version", "{said}");
    }
    setup.publish(&Release::of(NEWER, b"#!/bin/sh\necho other 1.2.3\n"));
    setup.fails(REFUSED, &[]);
}
