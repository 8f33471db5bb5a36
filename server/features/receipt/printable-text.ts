import type { ParsedFont } from 'fontkit'

/** Printed for each character that the fonts do not have. */
export const replacementCharacter = '□'

const invisible = /[\p{Cf}\p{Variation_Selector}]/gu

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * Converts a text to characters that the font can print. Composes accents, replaces control characters with spaces and
 * removes invisible format characters. Prints one `replacementCharacter` for each visible character (grapheme) without
 * a glyph, such as Arabic, Chinese or emoji. When only the accent of a letter has no glyph, the letter is
 * printed before the replacement.
 */
export function toPrintable(text: string, font: ParsedFont): string {
  const composed = text.normalize('NFC').replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  const visible = composed.replaceAll(invisible, '')
  // Graphemes are slow to find, and only a missing glyph needs them.
  if (Array.from(visible).every(character => hasShape(character, font))) return visible
  return Array.from(graphemes.segment(composed), ({ segment }) => printGrapheme(segment, font)).join('')
}

function printGrapheme(grapheme: string, font: ParsedFont): string {
  const visible = Array.from(grapheme.replaceAll(invisible, ''))
  const printed = visible.filter(character => hasShape(character, font))
  if (printed.length === visible.length) return visible.join('')
  const [base = ''] = visible
  return hasShape(base, font) ? `${printed.join('')}${replacementCharacter}` : replacementCharacter
}

function hasShape(character: string, font: ParsedFont): boolean {
  const codePoint = character.codePointAt(0)
  return codePoint !== undefined && font.hasGlyphForCodePoint(codePoint)
}
