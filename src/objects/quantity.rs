use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An amount of a resource (`100m`, `1.5`, `64Mi`, `1e3`), exact to 10⁻⁹.
///
/// Follows kubernetes apimachinery pkg/api/resource Quantity, v1.36: the canonical text keeps the family of suffixes
/// it was written with and has no fraction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quantity {
    /// Value × 10⁹.
    nano: i128,
    format: QuantityFormat,
}

/// The family of suffixes that a quantity is written with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuantityFormat {
    /// `m`, `k`, `M`, `G`…
    #[default]
    DecimalSi,
    /// `Ki`, `Mi`, `Gi`…
    BinarySi,
    /// `1e3`.
    DecimalExponent,
}

/// Why a text is no quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityError {
    /// The number is missing or malformed. Kubernetes: "quantities must match the regular expression …".
    Format,
    /// The suffix is not one of the known ones. Kubernetes: "unable to parse quantity's suffix".
    Suffix,
}

const NANO: i128 = 1_000_000_000;
/// Kubernetes caps quantities at 2⁶³ − 1.
const MAX: i128 = i64::MAX as i128 * NANO;
const BINARY: [(&str, u32); 6] = [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];
const DECIMAL: [(&str, i32); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];

impl Quantity {
    /// A whole number of units.
    pub const fn from_units(units: i64) -> Self {
        Self { nano: units as i128 * NANO, format: QuantityFormat::DecimalSi }
    }

    /// Thousandths of a unit: milliCPU for `cpu`.
    pub const fn from_milli(milli: i64) -> Self {
        Self { nano: milli as i128 * 1_000_000, format: QuantityFormat::DecimalSi }
    }

    /// A number of bytes, written with binary suffixes.
    pub const fn from_bytes(bytes: i64) -> Self {
        Self { nano: bytes as i128 * NANO, format: QuantityFormat::BinarySi }
    }

    /// Reads a quantity as the API server does; fractions below 10⁻⁹ round away from zero.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let negative = text.starts_with('-');
        let number_length = unsigned.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let (number, suffix) = unsigned.split_at_checked(number_length).ok_or(QuantityError::Format)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return Err(QuantityError::Format);
        }
        if !is_suffix_shaped(suffix) {
            return Err(QuantityError::Format);
        }
        let (format, exponent, shift) = read_suffix(suffix)?;
        let nano = scale(whole, fraction, exponent, shift);
        Ok(Self { nano: if negative { -nano } else { nano }, format })
    }

    /// Value in thousandths, rounded up; capped to the range of `i64`.
    pub fn milli_value(self) -> i64 {
        clamp(div_up(self.nano, 1_000_000))
    }

    /// Value in whole units (bytes, pods), rounded up; capped to the range of `i64`.
    pub fn value(self) -> i64 {
        clamp(div_up(self.nano, NANO))
    }

    /// Value × 10⁹.
    pub fn nano_value(self) -> i128 {
        self.nano
    }

    /// Whether the quantity is below zero.
    pub fn is_negative(self) -> bool {
        self.nano < 0
    }

    /// Whether the quantity is zero.
    pub fn is_zero(self) -> bool {
        self.nano == 0
    }

    /// The sum; the family of suffixes is that of the first that is not zero. Saturates.
    pub fn plus(self, other: Self) -> Self {
        let format = if self.is_zero() { other.format } else { self.format };
        Self { nano: self.nano.saturating_add(other.nano), format }
    }

    /// The family of suffixes that the quantity is written with.
    pub fn format(self) -> QuantityFormat {
        self.format
    }
}

fn div_up(value: i128, by: i128) -> i128 {
    value.div_euclid(by) + i128::from(value.rem_euclid(by) != 0)
}

fn clamp(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

/// Letters that suffixes are made of, a sign, digits: `[eEinumkKMGTP]*[-+]?[0-9]*`. Other letters (`MB`) are not even
/// the shape of a quantity, whatever suffix they were meant as.
fn is_suffix_shaped(suffix: &str) -> bool {
    let rest = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    let digits = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    digits.bytes().all(|b| b.is_ascii_digit())
}

/// Family, power of ten and power of two that a suffix stands for.
fn read_suffix(suffix: &str) -> Result<(QuantityFormat, i32, u32), QuantityError> {
    if let Some((_, shift)) = BINARY.iter().find(|(name, _)| *name == suffix) {
        return Ok((QuantityFormat::BinarySi, 0, *shift));
    }
    if let Some((_, exponent)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Ok((QuantityFormat::DecimalSi, *exponent, 0));
    }
    let exponent = suffix.strip_prefix(['e', 'E']).ok_or(QuantityError::Suffix)?;
    let exponent: i32 = exponent.parse().map_err(|_| QuantityError::Suffix)?;
    Ok((QuantityFormat::DecimalExponent, exponent, 0))
}

/// The number in units of 10⁻⁹, rounded up, capped at [`MAX`].
fn scale(whole: &str, fraction: &str, exponent: i32, shift: u32) -> i128 {
    let whole = whole.trim_start_matches('0');
    // More digits than this cannot stay below the cap whatever the suffix; fewer keep the product within i128.
    let digits: String = whole.chars().chain(fraction.chars()).collect();
    let power = i64::from(exponent) + 9 - i64::try_from(fraction.len()).unwrap_or(i64::MAX);
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return 0;
    }
    let magnitude = i64::try_from(significant.len()).unwrap_or(i64::MAX).saturating_add(power);
    if magnitude > 30 {
        return MAX;
    }
    if magnitude < -20 {
        return 1;
    }
    let mut kept = significant;
    let mut rest_is_zero = true;
    let mut power = power;
    if power < 0 {
        let cut = usize::try_from(-power).unwrap_or(usize::MAX).min(significant.len());
        // Keep 20 guard digits for the binary shift; what lies beyond only rounds up.
        let guard = if shift > 0 { cut.min(20) } else { 0 };
        let (head, tail) = significant.split_at(significant.len() - (cut - guard));
        rest_is_zero = tail.bytes().all(|b| b == b'0');
        kept = head;
        power += i64::try_from(cut - guard).unwrap_or(0);
    }
    let mut value: i128 = if kept.is_empty() { 0 } else { kept.parse().unwrap_or(i128::MAX) };
    value = value.checked_mul(1i128 << shift.min(62)).unwrap_or(i128::MAX);
    if power >= 0 {
        let factor = 10i128.checked_pow(u32::try_from(power).unwrap_or(u32::MAX)).unwrap_or(i128::MAX);
        value = value.checked_mul(factor).unwrap_or(i128::MAX);
    } else {
        let divisor = 10i128.checked_pow(u32::try_from(-power).unwrap_or(u32::MAX)).unwrap_or(i128::MAX);
        value = div_up(value, divisor);
    }
    value.saturating_add(i128::from(!rest_is_zero)).min(MAX)
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nano == other.nano
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.nano.cmp(&other.nano)
    }
}

/// The canonical text: no fraction, the largest suffix that allows it.
impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.nano == 0 {
            return f.write_str("0");
        }
        // A binary quantity with a fraction of a byte, or below 1024, falls back to decimal suffixes.
        if self.format == QuantityFormat::BinarySi && self.nano % NANO == 0 {
            let units = self.nano / NANO;
            if units.abs() >= 1024 {
                let fitting = BINARY.iter().rev().find(|(_, shift)| units % (1i128 << shift) == 0);
                return match fitting {
                    Some((suffix, shift)) => write!(f, "{}{suffix}", units >> shift),
                    None => write!(f, "{units}"),
                };
            }
        }
        let mut mantissa = self.nano;
        let mut exponent = -9;
        while mantissa % 1000 == 0 && exponent < 18 {
            mantissa /= 1000;
            exponent += 3;
        }
        if self.format == QuantityFormat::DecimalExponent {
            return if exponent == 0 { write!(f, "{mantissa}") } else { write!(f, "{mantissa}e{exponent}") };
        }
        let suffix = DECIMAL.iter().find(|(_, e)| *e == exponent).map_or("", |(suffix, _)| suffix);
        write!(f, "{mantissa}{suffix}")
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => text,
            serde_json::Value::Number(number) => number.to_string(),
            _ => return Err(de::Error::custom("a quantity is a number or a text")),
        };
        Self::parse(text.trim()).map_err(|_| de::Error::custom(format!("{text:?} is not a quantity")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_print_canonically() {
        for (text, canonical, milli) in [
            ("100m", "100m", 100),
            ("0.5", "500m", 500),
            ("1000m", "1", 1000),
            ("1.5Gi", "1536Mi", 1_610_612_736_000),
            ("1024Mi", "1Gi", 1_073_741_824_000),
            ("1000Ki", "1000Ki", 1_024_000_000),
            ("512", "512", 512_000),
            ("1e3", "1e3", 1_000_000),
            ("12e6", "12e6", 12_000_000_000),
            ("0", "0", 0),
            ("0.1m", "100u", 1),
            ("-5", "-5", -5000),
            ("100Ki", "100Ki", 102_400_000),
            ("0.5Ki", "512", 512_000),
            ("1.1Ki", "1126400m", 1_126_400),
            ("4E", "4E", 4_000_000_000_000_000_000),
        ] {
            let quantity = Quantity::parse(text).unwrap();
            assert_eq!(quantity.to_string(), canonical, "{text}");
            if milli < 4_000_000_000_000_000_000 {
                assert_eq!(quantity.milli_value(), milli, "{text}");
            }
        }
    }

    #[test]
    fn what_is_no_quantity_is_told_apart() {
        for text in ["", "-", "abc", "1.2.3", " 1", "1 ", ".", "é", "1mb", "64MB", "10g", "1e3.5", "1Gi5."] {
            assert_eq!(Quantity::parse(text), Err(QuantityError::Format), "{text:?}");
        }
        for text in ["1K", "1e", "1mm", "1Kim", "1MG"] {
            assert_eq!(Quantity::parse(text), Err(QuantityError::Suffix), "{text:?}");
        }
    }

    #[test]
    fn huge_numbers_are_capped_and_tiny_ones_round_up() {
        assert_eq!(Quantity::parse(&"9".repeat(5000)).unwrap().value(), i64::MAX);
        assert_eq!(Quantity::parse("1e999999999").unwrap().value(), i64::MAX);
        assert_eq!(Quantity::parse("8Ei").unwrap().value(), i64::MAX);
        assert_eq!(Quantity::parse("1e-999999999").unwrap().nano_value(), 1);
        assert_eq!(Quantity::parse("0.0000000001").unwrap().nano_value(), 1);
        assert_eq!(Quantity::parse(&format!("0.{}1Gi", "0".repeat(400))).unwrap().nano_value(), 1);
    }
}
