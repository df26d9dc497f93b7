//! Letters and digits in another dress, which a person simply reads: bold, in a circle, raised, wide.

/// Where a row of 26 letters begins.
const ALPHABETS: [u32; 7] = [0x249c, 0x24b6, 0x24d0, 0x1f110, 0x1f130, 0x1f150, 0x1f170];
/// Where a row of the digits from one on begins.
const FROM_ONE: [u32; 7] = [0x2460, 0x2474, 0x2488, 0x24f5, 0x2776, 0x2780, 0x278a];
/// The rest, each with what it is.
const SINGLE: [(&str, &str); 5] = [
    ("⓪⓿⁰ⁱ⁴⁵⁶⁷⁸⁹⁻ⁿ₀₁₂₃₄₅₆₇₈₉₋¹²³", "000i456789-n0123456789-123"),
    ("ₐₑₒₓₕₖₗₘₙₚₛₜᵢᵣᵤᵥⱼ", "aeoxhklmnpstiruvj"),
    ("ᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", "abcdefghjklmoprstuvwxyz"),
    // Those that the rows of mathematical letters leave out.
    ("ℊℋℌℍℎℐℑℒℓℕℙℚℛℜℝℤℨ\u{212a}ℬℭℯℰℱℳℴ", "ghhhhiillnpqrrrzzkbceefmo"),
    ("ⅅⅆⅇⅈⅉ", "ddeij"),
];

/// The letter or digit that it is, in small letters.
pub(super) fn plain(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let number = c as u32;
    let nth = |first: u8, place: u32| char::from(first + u8::try_from(place).unwrap_or(0));
    let within = |rows: &[u32], length: u32| rows.iter().map(|row| number.wrapping_sub(*row)).find(|at| *at < length);
    match number {
        0xff01..=0xff5e => nth(b'!', number - 0xff01).to_ascii_lowercase(),
        0x1d400..=0x1d6a3 => nth(b'a', (number - 0x1d400) % 26),
        0x1d7ce..=0x1d7ff => nth(b'0', (number - 0x1d7ce) % 10),
        _ => {
            let letter = within(&ALPHABETS, 26).map(|place| nth(b'a', place));
            let digit = || within(&FROM_ONE, 9).map(|place| nth(b'1', place));
            let single =
                || SINGLE.iter().flat_map(|(all, are)| all.chars().zip(are.chars())).find(|(one, _)| *one == c);
            letter.or_else(digit).or_else(|| single().map(|(_, is)| is)).unwrap_or(c)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_reads() {
        for (drawn, read) in [
            ("𝐀𝒷𝔠𝚣𝟎𝟡𝟿", "abcz099"),
            ("①⑨⓪ⓐ⒵Ⓚ🅰🄱", "190azkab"),
            ("ˢᵏ₀₉¹²³⁴⁻", "sk091234-"),
            ("ｓＫ９－", "sk9-"),
            ("ℋℓℴK", "hlok"),
            ("aZ09-я字é…", "az09-я字é…"),
        ] {
            assert_eq!(drawn.chars().map(plain).collect::<String>(), read, "{drawn}");
        }
        assert!(SINGLE.iter().all(|(all, are)| all.chars().count() == are.chars().count()));
    }
}
