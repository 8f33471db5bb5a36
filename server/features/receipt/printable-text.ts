import type { ParsedFont } from 'fontkit'

/** Stands on paper for each character that the fonts do not have. */
export const replacementCharacter = '□'

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * The text as the font can print it: accents composed, controls turned into spaces, invisible format characters
 * left out, and one visible mark for what a reader takes for one character and the font has no shape for (Arabic,
 * Chinese, emoji). A letter whose accent alone is missing keeps the letter, with the mark behind it.
 */
export function toPrintable(text: string, font: ParsedFont): string {
  const composed = text.normalize('NFC').replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  return Array.from(graphemes.segment(composed), ({ segment }) => printGrapheme(segment, font)).join('')
}

function printGrapheme(grapheme: string, font: ParsedFont): string {
  const visible = Array.from(grapheme.replaceAll(/[\p{Cf}\p{Variation_Selector}]/gu, ''))
  const printed = visible.filter(character => hasShape(character, font))
  if (printed.length === visible.length) return visible.join('')
  const [base = ''] = visible
  return hasShape(base, font) ? `${printed.join('')}${replacementCharacter}` : replacementCharacter
}

function hasShape(character: string, font: ParsedFont): boolean {
  const codePoint = character.codePointAt(0)
  return codePoint !== undefined && font.hasGlyphForCodePoint(codePoint)
}
