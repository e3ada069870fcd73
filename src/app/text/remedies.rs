//! What to do about a refusal, in plain words.

use super::Words;
use crate::app::phrase::fill;
use crate::app::remedies::Advice;

impl Words {
    /// What to do, in one or two sentences.
    pub fn advice(&self, advice: &Advice) -> String {
        match advice {
            Advice::DidYouMean(name) | Advice::WriteName(name) | Advice::WriteQuantity(name) => {
                fill(self.remedy_did_you_mean, &[("name", name)])
            }
            Advice::UseVersion(version) => fill(self.remedy_use_version, &[("version", version)]),
            Advice::VersionRemoved(release, version) => {
                fill(self.remedy_version_removed, &[("release", release), ("version", version)])
            }
            Advice::AddSelector => self.remedy_selector.into(),
            Advice::MatchLabels => self.remedy_labels.into(),
            Advice::KeepSelector(command) => fill(self.remedy_keep_selector, &[("command", command)]),
            Advice::OneBudget => self.remedy_budgets.into(),
            Advice::OnlyValue(value) => fill(self.remedy_only_value, &[("value", value)]),
            Advice::RemoveField => self.remedy_remove_field.into(),
            Advice::Quote => self.remedy_quote.into(),
            Advice::Unquote => self.remedy_unquote.into(),
            Advice::PutInList => self.remedy_put_in_list.into(),
            Advice::BelongsIn(field) => fill(self.remedy_belongs_in, &[("field", field)]),
            Advice::CreateNamespace(name) => fill(self.remedy_create_namespace, &[("name", name)]),
            Advice::SetLimit => self.remedy_set_limit.into(),
            Advice::OperatorExists => self.remedy_operator_exists.into(),
            Advice::UseMatchLabels => self.remedy_match_labels.into(),
        }
    }
}
