import { describe, expect, it } from 'vitest'
import en from '#i18n/en.json'
import fr from '#i18n/fr.json'

describe('a hint', () => {
  it.each([
    ['fr', fr],
    ['en', en],
  ])('never says what the message beside it says already, in %s (D51)', (_, catalogue) => {
    const texts = Object.entries(catalogue)
    const messages = texts.filter(([key]) => key.startsWith('issue.')).map(([, text]) => bare(text))
    const hints = texts.filter(([key]) => key.startsWith('hint.'))
    expect(hints.length).toBeGreaterThan(0)
    expect(hints.filter(([, text]) => messages.includes(bare(text)))).toEqual([])
  })
})

function bare(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\p{P}\s]+/gu, ' ')
    .trim()
}
