//! Templates that use no code can still count for years and fill the memory; rendering them ends.

use crate::sandbox::Sandbox;

const HEAD: &str = "name = \"loop\"\nversion = \"1.0.0\"\n";

fn message(sandbox: &Sandbox, body: &str) -> String {
    sandbox.write("web/template.toml", HEAD);
    sandbox.write("web/files/a.tera", body);
    let error = sandbox.aos(&["template", "check", "./web"]).error("E_VALIDATION", 2);
    error["details"]["faults"][0]["message"].as_str().expect("a message").to_owned()
}

#[test]
fn a_template_that_counts_without_an_end_is_refused() {
    let body = "{% for i in range(end=3000) %}{% for j in range(end=3000) %}\
                {% for k in range(end=3000) %}{% endfor %}{% endfor %}{% endfor %}x";
    let sandbox = Sandbox::new();
    let message = message(&sandbox, body);
    assert!(message.contains("longer than 10 seconds"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_template_that_fills_the_memory_is_refused() {
    let body = "{% set x = \"aaaaaaaaaaaaaaaa\" %}{% for i in range(end=40) %}\
                {% set_global x = x ~ x %}{% endfor %}{= x | length =}";
    let sandbox = Sandbox::new();
    let message = message(&sandbox, body);
    assert!(message.contains("bytes of memory"), "{message}");
    sandbox.aos(&["new", "shop", "--template", "./web", "--no-git"]).error("E_VALIDATION", 2);
    assert!(!sandbox.work().join("shop").exists());
}
