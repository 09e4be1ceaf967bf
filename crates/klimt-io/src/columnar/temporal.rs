//! Days and instants in ISO 8601, to text and back.
//!
//! A text depends on the day or instant alone, not on the unit in which a column counts: a fraction of a second is
//! written only where there is one, and as short as it can be.

/// The seconds of a day.
const DAY: i64 = 86_400;
/// The days of 400 years, after which the calendar repeats.
const ERA: i64 = 146_097;
/// The days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

/// Where the clock of a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// Nowhere: a local time without an offset.
    Local,
    /// At this many minutes east of Greenwich.
    Offset(i32),
}

impl Zone {
    /// The zone of an Arrow timestamp. An instant of a named zone is written in UTC, which says the same: the
    /// offset of a name depends on a database of the system.
    pub fn of(name: Option<&str>) -> Zone {
        match name {
            None | Some("") => Zone::Local,
            Some(name) => Zone::Offset(offset(name.as_bytes()).unwrap_or(0)),
        }
    }
}

/// The minutes of `+02:00`, `+0200` or `+02`.
fn offset(text: &[u8]) -> Option<i32> {
    let sign = match text.first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = match text[1..] {
        [a, b] => ([a, b], *b"00"),
        [a, b, c, d] | [a, b, b':', c, d] => ([a, b], [c, d]),
        _ => return None,
    };
    let (hours, minutes) = (number(&hours)?, number(&minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) as i32)
}

/// Appends a day, counted from 1970-01-01.
pub fn write_date(days: i64, out: &mut Vec<u8>) {
    // A year that starts in March has its leap day last.
    let from_march = days + EPOCH;
    let (era, day_of_era) = (from_march.div_euclid(ERA), from_march.rem_euclid(ERA));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / (ERA - 1)) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    if !(0..=9999).contains(&year) {
        out.push(if year < 0 { b'-' } else { b'+' });
    }
    digits(year.unsigned_abs(), 4, out);
    out.push(b'-');
    digits(month as u64, 2, out);
    out.push(b'-');
    digits(day as u64, 2, out);
}

/// Reads a day; `None` for what is no date as [`write_date`] writes it, but a day that the month does not have may
/// pass for one of the next month.
pub fn read_date(text: &[u8]) -> Option<i64> {
    let (sign, unsigned) = match text.first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let [year @ .., b'-', m1, m2, b'-', d1, d2] = unsigned else { return None };
    if year.len() < 4 {
        return None;
    }
    let (month, day) = (number(&[*m1, *m2])?, number(&[*d1, *d2])?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = sign * number(year)? - i64::from(month <= 2);
    let month_from_march = if month > 2 { month - 3 } else { month + 9 };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * ERA).checked_add(day_of_era - EPOCH)
}

/// Appends an instant that is counted from 1970-01-01T00:00:00 in units of which a second has `per_second`.
pub fn write_timestamp(units: i64, per_second: i64, zone: Zone, out: &mut Vec<u8>) {
    let (seconds, fraction) = (units.div_euclid(per_second), units.rem_euclid(per_second));
    let shift = if let Zone::Offset(minutes) = zone { i64::from(minutes) * 60 } else { 0 };
    // The time of day is shifted, not the instant, which may be the last one that can be counted.
    let of_day = seconds.rem_euclid(DAY) + shift;
    write_date(seconds.div_euclid(DAY) + of_day.div_euclid(DAY), out);
    let of_day = of_day.rem_euclid(DAY) as u64;
    for (mark, value) in [(b'T', of_day / 3600), (b':', of_day / 60 % 60), (b':', of_day % 60)] {
        out.push(mark);
        digits(value, 2, out);
    }
    if fraction != 0 {
        out.push(b'.');
        digits(fraction as u64, per_second.ilog10() as usize, out);
        while out.last() == Some(&b'0') {
            out.pop();
        }
    }
    match zone {
        Zone::Local => {}
        Zone::Offset(0) => out.push(b'Z'),
        Zone::Offset(minutes) => {
            out.push(if minutes < 0 { b'-' } else { b'+' });
            digits(u64::from(minutes.unsigned_abs() / 60), 2, out);
            out.push(b':');
            digits(u64::from(minutes.unsigned_abs() % 60), 2, out);
        }
    }
}

/// Reads an instant that [`write_timestamp`] has written for a column of this unit and zone.
pub fn read_timestamp(text: &[u8], per_second: i64, zone: Zone) -> Option<i64> {
    let at = memchr::memchr(b'T', text)?;
    let (date, rest) = (&text[..at], &text[at + 1..]);
    let [h1, h2, b':', m1, m2, b':', s1, s2, tail @ ..] = rest else { return None };
    let of_day = number(&[*h1, *h2])? * 3600 + number(&[*m1, *m2])? * 60 + number(&[*s1, *s2])?;
    let tail = match zone {
        Zone::Local => tail,
        Zone::Offset(0) => tail.strip_suffix(b"Z")?,
        Zone::Offset(_) => tail.get(..tail.len().checked_sub(6)?)?,
    };
    let fraction = match tail {
        [] => 0,
        [b'.', fraction @ ..] => {
            let left = (per_second.ilog10() as usize).checked_sub(fraction.len())?;
            number(fraction)? * 10i64.pow(left as u32)
        }
        _ => return None,
    };
    let shift = if let Zone::Offset(minutes) = zone { i64::from(minutes) * 60 } else { 0 };
    let seconds = i128::from(read_date(date)?) * i128::from(DAY) + i128::from(of_day - shift);
    i64::try_from(seconds * i128::from(per_second) + i128::from(fraction)).ok()
}

/// Appends a number with at least this many digits.
fn digits(value: u64, width: usize, out: &mut Vec<u8>) {
    let mut spelling = itoa::Buffer::new();
    let text = spelling.format(value).as_bytes();
    out.extend(std::iter::repeat_n(b'0', width.saturating_sub(text.len())));
    out.extend_from_slice(text);
}

fn number(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > 12 || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(text.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn date(days: i64) -> String {
        let mut out = Vec::new();
        write_date(days, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn timestamp(units: i64, per_second: i64, zone: Zone) -> String {
        let mut out = Vec::new();
        write_timestamp(units, per_second, zone, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn days_around_leap_years_and_the_epoch() {
        for (days, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (19_782, "2024-02-29"),
            (19_783, "2024-03-01"),
            (11_016, "2000-02-29"),
            (-25_508, "1900-03-01"),
            (-25_509, "1900-02-28"),
            (2_932_896, "9999-12-31"),
            (2_932_897, "+10000-01-01"),
            (-719_528, "0000-01-01"),
            (-719_529, "-0001-12-31"),
        ] {
            assert_eq!(date(days), text);
            assert_eq!(read_date(text.as_bytes()), Some(days), "{text}");
        }
        for bad in
            ["", "2024", "2024-1-1", "24-01-01", "2024-13-01", "2024-00-10", "2024-01-32", "x024-01-01"]
        {
            assert_eq!(read_date(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn instants_carry_the_offset_of_their_zone() {
        let units = 1_706_695_200_250;
        assert_eq!(timestamp(units, 1000, Zone::of(None)), "2024-01-31T10:00:00.25");
        assert_eq!(timestamp(units, 1000, Zone::of(Some("UTC"))), "2024-01-31T10:00:00.25Z");
        assert_eq!(timestamp(units, 1000, Zone::of(Some("Europe/Vienna"))), "2024-01-31T10:00:00.25Z");
        assert_eq!(timestamp(units, 1000, Zone::of(Some("+01:30"))), "2024-01-31T11:30:00.25+01:30");
        assert_eq!(timestamp(units, 1000, Zone::of(Some("-1100"))), "2024-01-30T23:00:00.25-11:00");
        assert_eq!(timestamp(-1, 1, Zone::Local), "1969-12-31T23:59:59");
        assert_eq!(read_timestamp(b"2024-01-31T10:00:00.25", 1, Zone::Local), None, "a fraction of a second");
        assert_eq!(read_timestamp(b"2024-01-31T10:00:00", 1, Zone::Offset(0)), None, "no offset");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(units in any::<i64>(), digits in 0u32..4, minutes in -1439..1440, local in any::<bool>()) {
            let per_second = 10i64.pow(digits * 3);
            let zone = if local { Zone::Local } else { Zone::Offset(minutes) };
            let text = timestamp(units, per_second, zone);
            prop_assert_eq!(read_timestamp(text.as_bytes(), per_second, zone), Some(units), "{}", text);
        }
    }
}
