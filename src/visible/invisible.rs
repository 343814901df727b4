//! Invisible characters: controls, formats, line separators, fillers, selectors, tags.
//!
//! A table, because no library of the tree knows these properties of a symbol.

/// First and last of each run: general categories Cc, Cf, Zl and Zp, `Default_Ignorable_Code_Point`, and the
/// noncharacters of the basic plane. Joiners, tags and selectors hide whole messages in a name, so an emoji that is
/// joined from others is shown in its parts. Only U+FE0E and U+FE0F stay: one of them follows many ordinary symbols.
const INVISIBLE: [(char, char); 29] = [
    ('\u{0}', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fdd0}', '\u{fdef}'),
    ('\u{fe00}', '\u{fe0d}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{fffe}', '\u{ffff}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// True if `symbol` is invisible, or changes the characters around it.
#[must_use]
pub fn is_invisible(symbol: char) -> bool {
    if symbol.is_ascii() {
        return symbol.is_ascii_control();
    }
    // Every noncharacter above the basic plane ends in FFFE or FFFF.
    let is_nothing = u32::from(symbol) & 0xfffe == 0xfffe;
    let at = INVISIBLE.partition_point(|(first, _)| *first <= symbol);
    is_nothing || at.checked_sub(1).is_some_and(|before| symbol <= INVISIBLE[before].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_knows_the_usual_suspects() {
        assert!(INVISIBLE.iter().all(|(first, last)| first <= last));
        assert!(INVISIBLE.windows(2).all(|pair| pair[0].1 < pair[1].0));
        for symbol in "\0\t\n\r\u{1b}\u{7f}\u{80}\u{9b}\u{9f}\u{ad}\u{61c}\u{200b}\u{200d}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2060}\u{2066}\u{2069}\u{206f}\u{3164}\u{fe00}\u{feff}\u{fff9}\u{fffe}\u{e0001}\u{e0041}\u{e01ef}\u{10ffff}".chars() {
            assert!(is_invisible(symbol), "{symbol:?}");
        }
        for symbol in " ~\u{a0}é…—日本עربي\u{fe0f}\u{fffd}😀".chars() {
            assert!(!is_invisible(symbol), "{symbol:?}");
        }
    }

    #[test]
    fn every_control_is_in_the_table() {
        let controls = (0..=0x9f).filter_map(char::from_u32).filter(|symbol| symbol.is_control());
        assert_eq!(controls.filter(|symbol| is_invisible(*symbol)).count(), 65);
    }
}
