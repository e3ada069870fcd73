//! The manifests that are open in tabs.

use crate::app::message::FileId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// An open file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its identity.
    pub id: FileId,
    /// Its name, unique among the open files.
    pub name: Rc<str>,
    /// Its text as the person sees it.
    pub text: Rc<str>,
    /// Its text when it was applied last; `None`: never.
    pub applied: Option<Rc<str>>,
}

impl File {
    /// Whether Apply may change something: the text is not the one that was applied last.
    pub fn is_edited(&self) -> bool {
        self.applied.as_deref() != Some(&*self.text) && !self.text.trim().is_empty()
    }
}

/// All open files; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    list: Vec<File>,
    shown: FileId,
    next: FileId,
    closed: Vec<File>,
}

impl Files {
    /// One file.
    pub fn new(name: &str, text: &str) -> Self {
        let mut files = Self { list: Vec::new(), shown: 0, next: 0, closed: Vec::new() };
        files.add(name, text);
        files
    }

    /// All of them, in the order of the tabs.
    pub fn list(&self) -> &[File] {
        &self.list
    }

    /// The file that is shown.
    pub fn shown(&self) -> Option<&File> {
        self.get(self.shown)
    }

    /// Identity of the shown file.
    pub fn shown_id(&self) -> FileId {
        self.shown
    }

    /// A file.
    pub fn get(&self, id: FileId) -> Option<&File> {
        self.list.iter().find(|file| file.id == id)
    }

    /// The file of this name.
    pub fn named(&self, name: &str) -> Option<&File> {
        self.list.iter().find(|file| *file.name == *name)
    }

    fn get_mut(&mut self, id: FileId) -> Option<&mut File> {
        self.list.iter_mut().find(|file| file.id == id)
    }

    /// The texts by name, as commands read them.
    pub fn by_name(&self) -> BTreeMap<String, String> {
        self.list.iter().map(|file| (file.name.to_string(), file.text.to_string())).collect()
    }

    /// Opens a file behind the others and shows it. A taken name gets a number.
    pub fn add(&mut self, name: &str, text: &str) -> FileId {
        let id = self.next;
        self.next = self.next.saturating_add(1);
        let name = self.free_name(name, None);
        self.list.push(File { id, name, text: text.into(), applied: None });
        self.shown = id;
        id
    }

    /// Shows a file.
    pub fn show(&mut self, id: FileId) {
        if self.get(id).is_some() {
            self.shown = id;
        }
    }

    /// Takes a changed text.
    pub fn edit(&mut self, id: FileId, text: Rc<str>) {
        if let Some(file) = self.get_mut(id) {
            file.text = text;
        }
    }

    /// Notes that a file was applied as it is.
    pub fn applied(&mut self, id: FileId) {
        if let Some(file) = self.get_mut(id) {
            file.applied = Some(file.text.clone());
        }
    }

    /// Takes every file as never applied, for a new cluster.
    pub fn forget_applied(&mut self) {
        self.list.iter_mut().for_each(|file| file.applied = None);
    }

    /// Gives a file another name; an empty one is ignored, a taken one gets a number.
    pub fn rename(&mut self, id: FileId, name: &str) {
        let name: String = name.trim().chars().filter(|c| !c.is_control() && !"'\"\\/ ".contains(*c)).collect();
        if name.is_empty() {
            return;
        }
        let name = self.free_name(&name, Some(id));
        if let Some(file) = self.get_mut(id) {
            file.name = name;
        }
    }

    /// Closes a file; the last one stays. It can be brought back.
    pub fn close(&mut self, id: FileId) {
        let Some(at) = self.list.iter().position(|file| file.id == id) else { return };
        if self.list.len() == 1 {
            return;
        }
        self.closed.push(self.list.remove(at));
        if self.shown == id {
            let neighbour = self.list.get(at).or_else(|| self.list.last());
            self.shown = neighbour.map_or(0, |file| file.id);
        }
    }

    /// Brings back the file that was closed last. Returns whether there was one.
    pub fn reopen(&mut self) -> bool {
        let Some(file) = self.closed.pop() else { return false };
        let id = self.add(&file.name, &file.text);
        if let Some(reopened) = self.get_mut(id) {
            reopened.applied = file.applied;
        }
        true
    }

    fn free_name(&self, wanted: &str, except: Option<FileId>) -> Rc<str> {
        let is_free = |name: &str| !self.list.iter().any(|file| *file.name == *name && Some(file.id) != except);
        if is_free(wanted) {
            return wanted.into();
        }
        let (stem, ending) = wanted.rsplit_once('.').map_or((wanted, String::new()), |(a, b)| (a, format!(".{b}")));
        let mut numbered = (2..).map(|n: u32| format!("{stem}-{n}{ending}"));
        numbered.find(|name| is_free(name)).unwrap_or_else(|| wanted.into()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &Files) -> Vec<&str> {
        files.list().iter().map(|file| &*file.name).collect()
    }

    #[test]
    fn names_stay_unique() {
        let mut files = Files::new("a.yaml", "");
        files.add("a.yaml", "");
        let third = files.add("b", "");
        files.rename(third, "a.yaml");
        assert_eq!(names(&files), ["a.yaml", "a-2.yaml", "a-3.yaml"]);
        files.rename(third, "  ");
        files.rename(third, "it's/x.yaml");
        assert_eq!(names(&files), ["a.yaml", "a-2.yaml", "itsx.yaml"]);
    }

    #[test]
    fn a_closed_file_comes_back_and_the_last_one_stays() {
        let mut files = Files::new("a", "text");
        let b = files.add("b", "kept");
        files.close(b);
        assert_eq!((names(&files), &*files.shown().unwrap().name), (vec!["a"], "a"));
        files.close(files.shown_id());
        assert_eq!(names(&files), ["a"]);
        assert!(files.reopen());
        assert_eq!(&*files.shown().unwrap().text, "kept");
        assert!(!files.reopen());
    }

    #[test]
    fn a_file_is_edited_until_it_is_applied() {
        let mut files = Files::new("a", "x");
        let id = files.shown_id();
        assert!(files.shown().unwrap().is_edited());
        files.applied(id);
        assert!(!files.shown().unwrap().is_edited());
        files.edit(id, "y".into());
        assert!(files.shown().unwrap().is_edited());
        files.edit(id, " \n".into());
        assert!(!files.shown().unwrap().is_edited());
    }
}
