//! Commands of connectors: declared in connector.json, carried out by a handler, stated in conform.toml, and tested.

mod facts;
mod handler;
mod manifest;
mod paging;

use crate::workflows::add::name::CommandName;
use crate::workflows::add::seam::{
    Blueprint, CommandEditor, Desk, EditError, Edited, InputShape, NewCode, Sources,
};

use facts::Facts;
use manifest::Manifest;
use paging::ProjectPaging;

/// Words that a connector has beside its commands.
const RESERVED: [&str; 4] = ["capabilities", "config", "doctor", "health"];
const HARNESS: &str = "agent-harness";

pub struct HarnessEditor;

impl CommandEditor for HarnessEditor {
    fn add(&self, sources: Sources<'_>, blueprint: &Blueprint) -> Result<Edited, EditError> {
        let mut desk = Desk::of(sources);
        free(&blueprint.name)?;
        let package = package(sources)?;
        let mut manifest = Manifest::read(&desk)?;
        let fields = manifest.add(blueprint)?;
        manifest.store(&mut desk);
        let paging = ProjectPaging::of(&desk, &package);
        let facts = Facts::of(blueprint, &fields, paging.as_ref());
        handler::add(&mut desk, &package, blueprint, &fields, &facts)?;
        facts.add(&mut desk)?;
        facts.test(&mut desk, blueprint)?;
        if blueprint.shape == InputShape::List && facts.is_paged_as_project {
            desk.edited.notes.push(
                "the list is paged as `PAGING` in api.py says; correct conform.toml if your API pages this one in another way"
                    .to_owned(),
            );
        } else if blueprint.shape == InputShape::List {
            desk.edited.notes.push(
                "the list is paged by `cursor` and `next_cursor`; correct `paging` and conform.toml when your API pages in another way"
                    .to_owned(),
            );
        }
        Ok(desk.edited)
    }

    fn rename(
        &self,
        sources: Sources<'_>,
        old: &CommandName,
        new: &CommandName,
    ) -> Result<Edited, EditError> {
        let mut desk = Desk::of(sources);
        free(new)?;
        let package = package(sources)?;
        let mut manifest = Manifest::read(&desk)?;
        let old = manifest.known(old)?;
        manifest.copy(&old, &new.id())?;
        manifest.store(&mut desk);
        handler::alias(&mut desk, &package, &old, new)?;
        facts::copy(&mut desk, &old, &new.id());
        desk.edited.notes.push(format!(
            "`{old}` stays in connector.json as the former name of `{}`; `aos remove {old}` removes it",
            new.id()
        ));
        Ok(desk.edited)
    }

    fn remove(&self, sources: Sources<'_>, name: &CommandName) -> Result<Edited, EditError> {
        let mut desk = Desk::of(sources);
        let package = package(sources)?;
        let mut manifest = Manifest::read(&desk)?;
        let id = manifest.known(name)?;
        let lost = manifest.remove(&id)?;
        manifest.store(&mut desk);
        desk.edited.lost.push(format!("the command `{id}`: workflows that call it stop working"));
        desk.edited.lost.extend(lost);
        handler::remove(&mut desk, &package, &id)?;
        facts::remove(&mut desk, &id);
        let test = facts::test_path(&id.replace(['.', '-'], "_"));
        if desk.text(&test).is_some() {
            desk.delete(&test);
            desk.edited.lost.push(format!("the file `{test}`"));
        }
        Ok(desk.edited)
    }

    fn add_code(&self, _sources: Sources<'_>, _code: &NewCode) -> Result<Edited, EditError> {
        Err(EditError::Data {
            what: "a connector can use only the error codes of the contract".to_owned(),
            hint: "add a rule to `FAILURES` in api.py, which maps an error of your API to a code of the contract; nothing was changed",
        })
    }

    fn next(&self, _sources: Sources<'_>) -> Vec<String> {
        ["pytest", "aos check", "aos conform"].map(str::to_owned).to_vec()
    }
}

fn free(name: &CommandName) -> Result<(), EditError> {
    if RESERVED.contains(&name.group.as_str()) {
        return Err(EditError::Reserved(name.group.clone()));
    }
    Ok(())
}

/// The directory of the package that holds `commands`.
fn package(sources: Sources<'_>) -> Result<String, EditError> {
    let runtime = sources.record.runtime.as_ref();
    let path = runtime.and_then(|runtime| runtime.path.as_str().strip_suffix("/_runtime"));
    path.map(str::to_owned).ok_or_else(|| {
        EditError::Refused(
            "commands can be added to connectors whose runtime is `connector`, but aos.toml does not name it"
                .to_owned(),
        )
    })
}
