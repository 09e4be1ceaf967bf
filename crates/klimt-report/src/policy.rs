//! The policy of a page: it may load and run itself, and nothing else.

/// The SHA-256 hash of the style, as browsers compare it.
const STYLE_HASH: &str = "sha256-rW8oUspRqKdxmOpVZf0UFj4YHIRrVEA48maU4qJeTYE=";
/// The SHA-256 hash of the script.
const SCRIPT_HASH: &str = "sha256-QdLakxcc3czlxmf3rf95JqWdI+CW7VGNMtKOYTXHUEQ=";

/// The Content-Security-Policy of pages: no network, no pictures, no frames, no forms; only the one style and the one
/// script that they carry, by their hashes.
pub(crate) fn content() -> String {
    format!(
        "default-src 'none'; style-src '{STYLE_HASH}'; script-src '{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{SCRIPT, STYLE};

    /// SHA-256 as it is defined (FIPS 180-4).
    fn sha256(text: &[u8]) -> Vec<u8> {
        let primes = (2u64..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0)).take(64);
        let primes: Vec<u64> = primes.collect();
        let root = |prime: u64, power: f64| ((prime as f64).powf(power).fract() * 2f64.powi(32)) as u32;
        let mut state: Vec<u32> = primes[..8].iter().map(|prime| root(*prime, 0.5)).collect();
        // Cube roots need more digits than powf gives for some primes: they are found in whole numbers.
        let constants: Vec<u32> = primes.iter().map(|prime| cube_root_fraction(*prime)).collect();
        let mut message = text.to_vec();
        message.push(0x80);
        while message.len() % 64 != 56 {
            message.push(0);
        }
        message.extend((text.len() as u64 * 8).to_be_bytes());
        for block in message.chunks(64) {
            let mut w: Vec<u32> =
                block.chunks(4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]])).collect();
            for t in 16..64 {
                let (x, y) = (w[t - 15], w[t - 2]);
                let s0 = x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3);
                let s1 = y.rotate_right(17) ^ y.rotate_right(19) ^ (y >> 10);
                w.push(w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1));
            }
            let mut v = state.clone();
            for t in 0..64 {
                let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
                let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
                let one = [s1, choice, constants[t], w[t]].iter().fold(v[7], |sum, n| sum.wrapping_add(*n));
                let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
                let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
                v.rotate_right(1);
                v[4] = v[4].wrapping_add(one);
                v[0] = one.wrapping_add(s0).wrapping_add(majority);
            }
            state.iter_mut().zip(v).for_each(|(s, v)| *s = s.wrapping_add(v));
        }
        state.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    fn cube_root_fraction(prime: u64) -> u32 {
        let (mut low, mut high) = (0u128, 8u128 << 32);
        while high - low > 1 {
            let middle = (low + high) / 2;
            if middle * middle * middle <= u128::from(prime) << 96 { low = middle } else { high = middle }
        }
        low as u32
    }

    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for chunk in bytes.chunks(3) {
            let bits = chunk
                .iter()
                .enumerate()
                .fold(0u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
            for at in 0..4 {
                let letter = LETTERS[(bits >> (18 - 6 * at)) as usize & 63] as char;
                text.push(if at <= chunk.len() { letter } else { '=' });
            }
        }
        text
    }

    #[test]
    fn the_hashes_are_those_of_what_pages_carry() {
        assert_eq!(base64(&sha256(b"abc")), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
        for (text, hash) in [(STYLE, STYLE_HASH), (SCRIPT, SCRIPT_HASH)] {
            assert_eq!(
                format!("sha256-{}", base64(&sha256(text.as_bytes()))),
                hash,
                "write the new hash into policy.rs"
            );
        }
    }
}
