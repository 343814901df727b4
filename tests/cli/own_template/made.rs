//! `aos template new` and `aos template from`.

use std::path::Path;

use crate::sandbox::{Sandbox, tree};

#[test]
fn a_new_template_is_in_order_and_makes_a_project() {
    let sandbox = Sandbox::new();
    let preview = sandbox.aos(&["template", "new", "web", "--dry-run"]).data();
    let token = preview["confirm_token"].as_str().expect("a token");
    assert!(!sandbox.work().join("web").exists());
    sandbox.aos(&["template", "new", "web", "--confirm", token]).data();
    sandbox.aos(&["template", "check", "web"]).data();
    sandbox.aos(&["new", "shop", "--template", "./web", "--set", "license=MIT", "--no-git"]).data();
    assert!(sandbox.work().join("shop/LICENSE").is_file());
    sandbox.aos(&["template", "new", "web"]).error("E_VALIDATION", 2);
    sandbox.aos(&["template", "new", "../x"]).error("E_VALIDATION", 2);
    // Directories above it are made, as `aos new` does; what cannot be read does not exist.
    sandbox.aos(&["template", "new", "deep", "--dir", "team/templates"]).data();
    sandbox.aos(&["template", "check", "team/templates/deep"]).data();
    sandbox.aos(&["template", "from", "./nothing", "--to", "y"]).error("E_NOT_FOUND", 3);
    sandbox.aos(&["template", "import", "./nothing", "--to", "y"]).error("E_NOT_FOUND", 3);
    sandbox.write("only/aos.toml", "family = \"harness\"\n");
    let words = ["template", "from", "./only", "--to", "y"];
    let message = sandbox.aos(&words).error("E_VALIDATION", 2)["message"].to_string();
    assert!(
        message.contains("no file that a template can have (aos.toml: aos writes it)"),
        "{message}"
    );
}

fn repository(sandbox: &Sandbox) {
    for (path, text) in [
        ("acme-shop/README.md", "# Acme Shop\n\nacme-shop {= x =} {% y %}\n"),
        ("acme-shop/src/acme_shop/main.py", "class AcmeShopClient:\n    ENV = \"ACME_SHOP_KEY\"\n"),
        ("acme-shop/.gitignore", "ignored.txt\n"),
        ("acme-shop/ignored.txt", "acme-shop\n"),
        ("acme-shop/page.tera", "{{ jinja }} {# x #}\n"),
        ("acme-shop/empty", ""),
        ("acme-shop/windows.txt", "acme-shop\r\nno end"),
        ("acme-shop/dot_x", "left out\n"),
        ("acme-shop/aos.toml", "family = \"harness\"\n"),
    ] {
        sandbox.write(path, text);
    }
    let program = sandbox.write("acme-shop/bin/acme-shop", "#!/bin/sh\n");
    executable(&program);
    std::fs::write(sandbox.work().join("acme-shop/logo.bin"), b"acme-shop\xff\0").expect("a file");
}

#[cfg(unix)]
fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
}

#[cfg(not(unix))]
fn executable(_: &Path) {}

#[test]
fn a_repository_becomes_a_template_that_gives_the_same_files_again() {
    let sandbox = Sandbox::new();
    repository(&sandbox);
    let words = ["template", "from", "./acme-shop", "--to", "./web", "--name", "acme-shop"];
    let data = sandbox.aos(&words).data();
    let left: Vec<_> = data["left_out"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|left| left["what"].clone())
        .collect();
    assert_eq!(left, ["aos.toml", "dot_x"]);
    sandbox.aos(&["template", "check", "./web"]).data();
    let made = |name: &str| {
        let words = ["new", name, "--template", "./web", "--no-git", "--dir", "made"];
        sandbox.aos(&words).data();
        tree(&sandbox.work().join("made").join(name))
    };
    let mut original = tree(&sandbox.work().join("acme-shop"));
    original.retain(|path, _| !["ignored.txt", "dot_x", "aos.toml"].contains(&path.as_str()));
    let mut same = made("acme-shop");
    same.retain(|path, _| path != "aos.toml" && path != ".agent/template.tar.gz");
    assert_eq!(same, original);
    let other = made("my-tool");
    let text = |path: &str| String::from_utf8(other[path].0.clone()).expect("a text");
    assert_eq!(text("README.md"), "# My Tool\n\nmy-tool {= x =} {% y %}\n");
    assert!(text("src/my_tool/main.py").contains("class MyToolClient:\n    ENV = \"MY_TOOL_KEY\""));
    assert!(other["bin/my-tool"].1);
}

#[test]
fn a_submodule_is_left_out_with_its_list_and_with_the_way_to_add_it() {
    let sandbox = Sandbox::new();
    sandbox.write("acme-shop/README.md", "acme-shop\n");
    // A checkout has a file `.git` in a submodule, an older one a directory; a submodule may also be absent.
    sandbox.write("acme-shop/vendor/lib/.git", "gitdir: ../../.git/modules/vendor/lib\n");
    sandbox.write("acme-shop/vendor/lib/acme-shop.txt", "theirs\n");
    sandbox.write("acme-shop/other/.git/HEAD", "ref: refs/heads/main\n");
    sandbox.write("acme-shop/other/acme-shop.txt", "theirs\n");
    sandbox.write(
        "acme-shop/.gitmodules",
        "[submodule \"vendor/lib\"]\n\tpath = vendor/lib\n\turl = https://me:secret@git.example/lib\n",
    );
    let words = ["template", "from", "./acme-shop", "--to", "./web", "--name", "acme-shop"];
    let data = sandbox.aos(&words).data();
    let left = data["left_out"].as_array().expect("a list");
    let names: Vec<_> = left.iter().map(|left| left["what"].as_str().unwrap_or("")).collect();
    assert_eq!(names, [".gitmodules", "other", "vendor/lib"], "{data}");
    assert!(left[0]["reason"].as_str().is_some_and(|text| text.contains("git submodule add")));
    let made = tree(&sandbox.work().join("web"));
    let names: Vec<_> = made.keys().map(String::as_str).collect();
    assert_eq!(names, ["files/README.md.tera", "template.toml"]);
}
