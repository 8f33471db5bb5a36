import type { ParsedFont } from 'fontkit'

/** Stands on paper for each character that the fonts do not have. */
export const replacementCharacter = '\uFFFD'

/**
 * The text as the font can print it: accents composed, controls turned into spaces, invisible
 * format characters left out, and a visible mark where the font has no shape (Arabic, emoji).
 */
export function toPrintable(text: string, font: ParsedFont): string {
  const visible = text
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\p{Cf}\p{Variation_Selector}]/gu, '')
  return Array.from(visible, character => {
    const codePoint = character.codePointAt(0)
    return codePoint !== undefined && font.hasGlyphForCodePoint(codePoint) ? character : replacementCharacter
  }).join('')
}
