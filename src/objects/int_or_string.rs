use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A number or a percentage (`maxUnavailable: 2`, `maxUnavailable: "25%"`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntOrString {
    /// A whole number.
    Int(i64),
    /// A text, which is only meaningful as a percentage.
    String(String),
}

impl IntOrString {
    /// The number, or the percentage of `total`, rounded up. `None` for a text that is no percentage.
    ///
    /// Follows kubernetes apimachinery pkg/util/intstr GetScaledValueFromIntOrPercent, v1.36.
    pub fn scaled_up(&self, total: i64) -> Option<i64> {
        match self {
            Self::Int(n) => Some(*n),
            Self::String(text) => {
                let percent: i64 = text.strip_suffix('%')?.parse().ok()?;
                let hundredths = percent.checked_mul(total)?;
                Some(hundredths.div_euclid(100) + i64::from(hundredths.rem_euclid(100) != 0))
            }
        }
    }
}

impl Default for IntOrString {
    fn default() -> Self {
        Self::Int(0)
    }
}

impl std::fmt::Display for IntOrString {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(n) => write!(f, "{n}"),
            Self::String(text) => f.write_str(text),
        }
    }
}

impl Serialize for IntOrString {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(n) => serializer.serialize_i64(*n),
            Self::String(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for IntOrString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::Number(n) => {
                n.as_i64().map(Self::Int).ok_or_else(|| de::Error::custom("expected a whole number or a text"))
            }
            serde_json::Value::String(text) => Ok(Self::String(text)),
            _ => Err(de::Error::custom("expected a whole number or a text")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::IntOrString::{Int, String as Text};

    #[test]
    fn percentages_round_up() {
        assert_eq!(Text("10%".into()).scaled_up(3), Some(1));
        assert_eq!(Text("34%".into()).scaled_up(3), Some(2));
        assert_eq!(Text("100%".into()).scaled_up(7), Some(7));
        assert_eq!(Text("50%".into()).scaled_up(0), Some(0));
        assert_eq!(Int(4).scaled_up(100), Some(4));
        assert_eq!(Text("1".into()).scaled_up(10), None);
        assert_eq!(Text("9223372036854775807%".into()).scaled_up(10), None);
    }
}
