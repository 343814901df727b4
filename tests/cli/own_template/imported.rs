//! `aos template import`: cookiecutter and copier, as far as they use no code.

use std::path::Path;

use crate::disk;
use crate::sandbox::Sandbox;

/// The parts that were left out, one text for each.
fn left(data: &serde_json::Value) -> Vec<String> {
    let list = data["left_out"].as_array().expect("a list");
    list.iter()
        .map(|left| {
            format!(
                "{}: {}",
                left["what"].as_str().expect("a text"),
                left["reason"].as_str().expect("a text")
            )
        })
        .collect()
}

fn has(lines: &[String], part: &str) {
    assert!(lines.iter().any(|line| line.contains(part)), "{part}: {lines:#?}");
}

fn read(project: &Path, path: &str) -> String {
    disk::read(&project.join(path))
}

#[test]
fn a_cookiecutter_template_becomes_one_of_ours_without_its_code() {
    let sandbox = Sandbox::new();
    for (path, text) in [
        (
            "cc/cookiecutter.json",
            "{\"project_name\": \"My Project\", \"project_slug\": \"{{ cookiecutter.project_name.lower() }}\", \"pkg\": \"{{ cookiecutter.project_slug }}\", \"author\": \"Ann\", \"email\": \"{{ cookiecutter.author|lower }}@x.example\", \"license\": [\"MIT\", \"none\"], \"use_docs\": true, \"_extensions\": [\"x.y\"], \"_copy_without_render\": [\"*.html\"]}",
        ),
        ("cc/hooks/post_gen_project.py", "import os\n"),
        ("cc/README.md", "about the template\n"),
        (
            "cc/{{cookiecutter.project_slug}}/README.md",
            "# {{ cookiecutter.project_name }}\n{% if cookiecutter.use_docs %}docs\n{% endif %}{{ cookiecutter.email }} {= \n",
        ),
        (
            "cc/{{cookiecutter.project_slug}}/src/{{cookiecutter.pkg}}/main.py",
            "print('{{ cookiecutter.project_slug }}')\n",
        ),
        ("cc/{{cookiecutter.project_slug}}/page.html", "{{ kept }}\n"),
        ("cc/{{cookiecutter.project_slug}}/code.txt", "\n{{ cookiecutter.author.upper() }}\n"),
        (
            "cc/{{cookiecutter.project_slug}}/{% if cookiecutter.use_docs %}docs{% endif %}/index.md",
            "docs\n",
        ),
    ] {
        sandbox.write(path, text);
    }
    let data = sandbox.aos(&["template", "import", "./cc", "--to", "./web"]).data();
    let lines = left(&data);
    for part in [
        "hooks/post_gen_project.py: a hook is code",
        "code.txt: it calls",
        "`_extensions`",
        "1 file beside",
    ] {
        has(&lines, part);
    }
    assert_eq!(
        data["questions"],
        serde_json::json!(["project_name", "author", "email", "license", "use_docs"])
    );
    sandbox.aos(&["template", "check", "./web"]).data();
    sandbox
        .aos(&["new", "shop-two", "--template", "./web", "--no-git", "--set", "use_docs=no"])
        .data();
    let project = sandbox.work().join("shop-two");
    assert_eq!(read(&project, "README.md"), "# My Project\nann@x.example {= \n");
    assert_eq!(read(&project, "src/shop_two/main.py"), "print('shop-two')\n");
    assert_eq!(read(&project, "page.html"), "{{ kept }}\n");
    assert!(!project.join("docs").exists() && !project.join("code.txt").exists());
}

#[test]
fn a_copier_template_becomes_one_of_ours_without_its_code() {
    let sandbox = Sandbox::new();
    let config = "_subdirectory: template\n_tasks:\n  - git init\nproject_name:\n  type: str\n  help: Name\npackage_name:\n  default: \"{{ project_name|lower }}\"\nport: 80\nuse_ci:\n  type: bool\n  default: false\nlicense:\n  choices:\n    The MIT License: MIT\n    None: none\n  default: none\ntoken:\n  secret: true\n  default: x\n";
    for (path, text) in [
        ("cp/copier.yml", config),
        (
            "cp/template/README.md.jinja",
            "# {{ project_name }} on {{ port }}\n{% if license == 'MIT' %}MIT\n{% endif %}",
        ),
        ("cp/template/plain.txt", "{{ not rendered }}\n"),
        ("cp/template/src/{{ package_name }}/app.py.jinja", "APP = \"{{ package_name }}\"\n"),
        ("cp/template/{% if use_ci %}ci.yml{% endif %}", "on: push\n"),
        (
            "cp/template/{{ _copier_conf.answers_file }}.jinja",
            "{{ _copier_answers|to_nice_yaml }}\n",
        ),
        ("cp/template/bad.txt.jinja", "x\n{% for x in y %}{% endfor %}\n"),
    ] {
        sandbox.write(path, text);
    }
    let data = sandbox.aos(&["template", "import", "./cp", "--to", "./web"]).data();
    let lines = left(&data);
    for part in [
        "`_tasks` in copier.yml: it is code",
        "`token` in copier.yml: a secret",
        "bad.txt.jinja: `{% for %}`",
        "answers_file",
    ] {
        has(&lines, part);
    }
    sandbox.aos(&["template", "check", "./web"]).data();
    let words = [
        "new",
        "shop-two",
        "--template",
        "./web",
        "--no-git",
        "--set",
        "use_ci=yes",
        "--set",
        "license=MIT",
        "--set",
        "project_name=Shop",
    ];
    sandbox.aos(&words).data();
    let project = sandbox.work().join("shop-two");
    assert_eq!(read(&project, "README.md"), "# Shop on 80\nMIT\n");
    assert_eq!(read(&project, "plain.txt"), "{{ not rendered }}\n");
    assert_eq!(read(&project, "src/shop_two/app.py"), "APP = \"shop_two\"\n");
    assert!(project.join("ci.yml").is_file());
    sandbox.aos(&["template", "import", "./web", "--to", "./x"]).error("E_NOT_FOUND", 3);
}

#[test]
fn marks_inside_strings_of_jinja_are_text_and_a_free_answer_is_not_a_package() {
    let sandbox = Sandbox::new();
    sandbox.write("cc/cookiecutter.json", "{\"name\": \"Demo\", \"slug\": \"demo\"}");
    let root = "cc/{{cookiecutter.slug}}";
    sandbox
        .write(&format!("{root}/{{{{cookiecutter.name}}}}.txt"), "hello {{ cookiecutter.name }}\n");
    sandbox.write(
        &format!("{root}/ci.yml"),
        "x: ${{ \"{{\" }} github.ref {{ '}}' }} {{ \"%}\" }}{# }} #}\ny: {{ cookiecutter.name | tojson }}\n",
    );
    let data = sandbox.aos(&["template", "import", "./cc", "--to", "./web"]).data();
    assert_eq!(left(&data), Vec::<String>::new());
    // `name` is a variable of aos, so the question has another key.
    let words = ["new", "shop", "--template", "./web", "--no-git", "--set", "name_answer=Demo"];
    sandbox.aos(&words).data();
    let project = sandbox.work().join("shop");
    assert_eq!(read(&project, "ci.yml"), "x: ${{ github.ref }} %}\ny: \"Demo\"\n");
    assert_eq!(read(&project, "Demo.txt"), "hello Demo\n");
}

#[test]
fn a_template_whose_files_all_use_code_is_refused_with_the_reasons_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    for (path, text) in [
        ("cc/cookiecutter.json", "{\"slug\": \"x\", \"_extensions\": [\"x.y\"]}"),
        ("cc/hooks/pre_gen_project.py", "import os\n"),
        ("cc/{{cookiecutter.slug}}/a.txt", "\n{{ cookiecutter.slug.upper() }}\n"),
        ("cc/{{cookiecutter.slug}}/b.txt", "{% for x in y %}{% endfor %}\n"),
        ("co/copier.yml", "name: {type: str}\n"),
        ("co/{{ name.upper() }}.txt.jinja", "x\n"),
        ("none/copier.yml", "_subdirectory: template\nname: {type: str}\n"),
    ] {
        sandbox.write(path, text);
    }
    for (source, parts) in [
        ("cc", &["hooks/pre_gen_project.py: a hook", "a.txt: it calls", "b.txt: "][..]),
        ("co", &["{{ name.upper() }}.txt.jinja: "]),
    ] {
        let run = sandbox.aos(&["template", "import", &format!("./{source}"), "--to", "./web"]);
        let error = run.error("E_VALIDATION", 2);
        let lines = left(&error["details"]);
        for part in parts {
            has(&lines, part);
        }
        let message = error["message"].as_str().expect("a text");
        assert_eq!(message, format!("no file of the template `{source}` can be imported"));
        assert!(!sandbox.work().join("web").exists());
    }
    let none = sandbox.aos(&["template", "import", "./none", "--to", "./web"]);
    let message = none.error("E_VALIDATION", 2)["message"].clone();
    assert_eq!(message, "the template `none` has no files for a project");
    let text = ["template", "import", "./cc", "--to", "./web", "--format", "text"];
    let shown = sandbox.aos(&text).stdout;
    assert!(shown.contains("a.txt:2: it calls"), "{shown}");
}
