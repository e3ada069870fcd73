//! Flags as kubectl reads them: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-it`.
//!
//! Follows github.com/spf13/pflag, which kubectl uses.

use super::error::{CliError, Result};
use std::collections::BTreeMap;

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// `--flag`, `--flag=false`.
    Bool,
    /// A value, always.
    Value,
    /// A value only behind `=`; without one, this.
    Optional(&'static str),
    /// A whole number.
    Int,
    /// A duration such as `30s`.
    Duration,
}

/// One flag of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlagSpec {
    /// Without the dashes.
    pub name: &'static str,
    /// One letter, or none.
    pub short: Option<char>,
    /// What it takes.
    pub takes: Takes,
}

/// Flags that every command has.
const GLOBAL: &str = "namespace,n= context= cluster= user= kubeconfig= as= as-group= request-timeout= server,s= \
     token= v,v# warnings-as-errors cache-dir= certificate-authority= client-certificate= client-key= \
     insecure-skip-tls-verify tls-server-name= username= password= match-server-version disable-compression \
     kuberc= as-uid= profile= profile-output= help,h log-flush-frequency= vmodule=";

/// Reads a flag table: names separated by spaces; `,x` gives the short form, then `=` a value, `#` a number, `%` a
/// duration, `?word` a value that may be left out, nothing a switch.
pub(crate) fn specs(table: &'static str) -> impl Iterator<Item = FlagSpec> {
    own(table).chain(own(GLOBAL))
}

fn own(table: &'static str) -> impl Iterator<Item = FlagSpec> {
    table.split_whitespace().map(|word| {
        let end = word.find(['=', '#', '%', '?']).unwrap_or(word.len());
        let (names, kind) = word.split_at_checked(end).unwrap_or((word, ""));
        let (name, short) = match names.split_once(',') {
            Some((name, short)) => (name, short.chars().next()),
            None => (names, None),
        };
        let takes = match kind.chars().next() {
            None => Takes::Bool,
            Some('#') => Takes::Int,
            Some('%') => Takes::Duration,
            Some('?') => Takes::Optional(kind.get(1..).unwrap_or("")),
            Some(_) => Takes::Value,
        };
        FlagSpec { name, short, takes }
    })
}

/// The flags of one command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    values: BTreeMap<&'static str, Vec<String>>,
    /// How many arguments stand before `--`, where that is given.
    dash: Option<usize>,
    /// Names in the order in which they were given, each as often.
    order: Vec<&'static str>,
}

impl Flags {
    /// The last value given.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).and_then(|values| values.last()).map(String::as_str)
    }

    /// The last value given, or this one.
    pub fn get_or<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        self.get(name).unwrap_or(default)
    }

    /// All values given.
    pub fn all(&self, name: &str) -> &[String] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    /// All values given, split at commas.
    pub fn list(&self, name: &str) -> Vec<&str> {
        self.all(name).iter().flat_map(|value| value.split(',')).filter(|value| !value.is_empty()).collect()
    }

    /// Whether a switch is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.switch(name, false)
    }

    /// Whether a switch is on, with its default.
    pub fn switch(&self, name: &str, default: bool) -> bool {
        self.get(name).map_or(default, |value| parse_bool(value).unwrap_or(default))
    }

    /// Whether the flag was given at all.
    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// How many of this many arguments stand before `--`: all where that is not given.
    pub fn before_dash(&self, arguments: usize) -> usize {
        self.dash.unwrap_or(arguments)
    }

    /// Names and values in the order in which they were given.
    pub fn in_order(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let mut used: BTreeMap<&str, usize> = BTreeMap::new();
        self.order.iter().map(move |name| {
            let index = used.entry(name).or_default();
            let value = self.all(name).get(*index).map_or("", String::as_str);
            *index = index.saturating_add(1);
            (*name, value)
        })
    }

    /// A whole number.
    pub fn int(&self, name: &str) -> Option<i64> {
        self.get(name)?.parse().ok()
    }
}

/// Sorts the words of a command into flags and arguments.
///
/// # Errors
/// In kubectl's words: an unknown flag, a flag without its value, a value of the wrong kind.
pub(crate) fn parse(words: &[String], table: &'static str, command: &str) -> Result<(Flags, Vec<String>)> {
    read(words, specs(table).collect(), command)
}

/// Like [`parse`], for programs that lack kubectl's general flags.
pub(crate) fn parse_only(words: &[String], table: &'static str, command: &str) -> Result<(Flags, Vec<String>)> {
    read(words, own(table).collect(), command)
}

fn read(words: &[String], known: Vec<FlagSpec>, command: &str) -> Result<(Flags, Vec<String>)> {
    let fail = |message: String| CliError::Flag { message, command: command.into() };
    let mut flags = Flags::default();
    let mut arguments = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            flags.dash = Some(arguments.len());
            arguments.extend(words.by_ref().cloned());
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, given) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (long, None),
            };
            if name.is_empty() || name.starts_with('-') {
                return Err(fail(format!("bad flag syntax: {word}")));
            }
            let Some(spec) = known.iter().find(|spec| spec.name == name.replace('_', "-")) else {
                return Err(fail(format!("unknown flag: --{name}")));
            };
            let value = match (given, spec.takes) {
                (Some(value), _) => value,
                (None, Takes::Bool) => "true".into(),
                (None, Takes::Optional(default)) => default.into(),
                (None, _) => words.next().cloned().ok_or_else(|| fail(format!("flag needs an argument: --{name}")))?,
            };
            set(&mut flags, *spec, value).map_err(fail)?;
        } else if word.len() > 1 && word.starts_with('-') {
            shorthands(word, &known, &mut words, &mut flags).map_err(fail)?;
        } else {
            arguments.push(word.clone());
        }
    }
    Ok((flags, arguments))
}

/// `-n value`, `-nvalue`, `-n=value`, `-it`.
fn shorthands(
    word: &str,
    known: &[FlagSpec],
    words: &mut std::slice::Iter<'_, String>,
    flags: &mut Flags,
) -> std::result::Result<(), String> {
    let letters = word.char_indices().skip(1);
    for (at, letter) in letters {
        let rest = word.get(at + letter.len_utf8()..).unwrap_or("");
        let shown = word.get(at..).unwrap_or("");
        let Some(spec) = known.iter().find(|spec| spec.short == Some(letter)) else {
            return Err(format!("unknown shorthand flag: {letter:?} in -{shown}"));
        };
        let value = match spec.takes {
            _ if rest.len() > 1 && rest.starts_with('=') => Some(rest.get(1..).unwrap_or("").to_owned()),
            Takes::Bool => None,
            Takes::Optional(default) if rest.is_empty() => Some(default.into()),
            Takes::Optional(_) => None,
            _ if !rest.is_empty() => Some(rest.to_owned()),
            _ => Some(words.next().cloned().ok_or_else(|| format!("flag needs an argument: {letter:?} in -{shown}"))?),
        };
        match value {
            Some(value) => return set(flags, *spec, value),
            None => {
                let value = if let Takes::Optional(default) = spec.takes { default } else { "true" };
                set(flags, *spec, value.into())?;
            }
        }
    }
    Ok(())
}

fn set(flags: &mut Flags, spec: FlagSpec, value: String) -> std::result::Result<(), String> {
    let shown = match spec.short {
        Some(short) => format!("\"-{short}, --{}\"", spec.name),
        None => format!("\"--{}\"", spec.name),
    };
    let problem = match spec.takes {
        Takes::Bool if parse_bool(&value).is_none() => Some(format!("strconv.ParseBool: parsing {value:?}")),
        Takes::Int if value.parse::<i64>().is_err() => Some(format!("strconv.ParseInt: parsing {value:?}")),
        Takes::Duration if super::age::parse_duration(&value).is_none() => {
            let digits = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit() || b == b'.');
            let what = if digits { "missing unit in duration" } else { "invalid duration" };
            return Err(format!("invalid argument {value:?} for {shown} flag: time: {what} {value:?}"));
        }
        _ => None,
    };
    if let Some(problem) = problem {
        return Err(format!("invalid argument {value:?} for {shown} flag: {problem}: invalid syntax"));
    }
    flags.values.entry(spec.name).or_default().push(value);
    flags.order.push(spec.name);
    Ok(())
}

fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "output,o= watch,w selector,l= dry-run?unchanged timeout% replicas# all-namespaces,A";

    fn read(line: &str) -> Result<(Flags, Vec<String>)> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        parse(&words, TABLE, "kubectl get")
    }

    fn complaint(line: &str) -> String {
        read(line).unwrap_err().render().0
    }

    #[test]
    fn flags_stand_anywhere_in_every_form() {
        let (flags, arguments) = read("ds -owide -n x --selector=a=b --dry-run -wA y --timeout 3s").unwrap();
        assert_eq!(arguments, ["ds", "y"]);
        assert_eq!((flags.get("output"), flags.get("namespace")), (Some("wide"), Some("x")));
        assert_eq!((flags.get("selector"), flags.get("dry-run")), (Some("a=b"), Some("unchanged")));
        assert!(flags.is_on("watch") && flags.is_on("all-namespaces") && !flags.has("replicas"));
        let (flags, arguments) = read("-o=json --watch=false -- --nope").unwrap();
        assert_eq!((flags.get("output"), flags.is_on("watch")), (Some("json"), false));
        assert_eq!(arguments, ["--nope"]);
    }

    #[test]
    fn complaints_are_pflags() {
        let help = "\nSee 'kubectl get --help' for usage.\n";
        for (line, message) in [
            ("--nope", "error: unknown flag: --nope"),
            ("-x", "error: unknown shorthand flag: 'x' in -x"),
            ("-o", "error: flag needs an argument: 'o' in -o"),
            ("--output", "error: flag needs an argument: --output"),
            (
                "--watch=maybe",
                "error: invalid argument \"maybe\" for \"-w, --watch\" flag: strconv.ParseBool: parsing \"maybe\": invalid syntax",
            ),
            (
                "--replicas=x",
                "error: invalid argument \"x\" for \"--replicas\" flag: strconv.ParseInt: parsing \"x\": invalid syntax",
            ),
            (
                "--timeout=5",
                "error: invalid argument \"5\" for \"--timeout\" flag: time: missing unit in duration \"5\"",
            ),
        ] {
            assert_eq!(complaint(line), format!("{message}{help}"));
        }
    }
}
