//! Texts of one subject in both languages, side by side.

/// Makes a table of texts: a struct with a member for each, and `of(language)`. One text in each language stands in each
/// line, so that none is forgotten.
macro_rules! texts {
    ($(#[$about:meta])* $table:ident { $($name:ident: $english:literal, $french:literal;)* }) => {
        $(#[$about])*
        #[derive(Debug)]
        pub struct $table { $(pub $name: &'static str,)* }

        impl $table {
            const ENGLISH: Self = Self { $($name: $english,)* };
            const FRENCH: Self = Self { $($name: $french,)* };
            #[cfg(test)]
            const PAIRS: &'static [(&'static str, &'static str)] = &[$(($english, $french),)*];

            /// The texts in a language.
            pub const fn of(language: $crate::app::text::Language) -> &'static Self {
                match language {
                    $crate::app::text::Language::En => &Self::ENGLISH,
                    $crate::app::text::Language::Fr => &Self::FRENCH,
                }
            }
        }
    };
}

/// Fails where a translation lacks a text, or a fact of it.
#[cfg(test)]
pub(super) fn assert_same_facts(pairs: &[(&str, &str)]) {
    for (english, french) in pairs {
        let sorted = |text| {
            let mut names = crate::app::phrase::placeholders(text);
            names.sort_unstable();
            names
        };
        assert_eq!(sorted(english), sorted(french), "{english:?} / {french:?}");
        assert!(!english.is_empty() && !french.is_empty());
    }
}
