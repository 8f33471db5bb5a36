import { describe, expect, it } from 'vitest'
import en from '#i18n/en.json'
import fr from '#i18n/fr.json'

describe('the hints of the catalogues', () => {
  it.each([
    ['fr', fr],
    ['en', en],
  ])('do not repeat the text of an error message in %s (D51)', (_, catalogue) => {
    const texts = Object.entries(catalogue)
    const messages = texts
      .filter(([key]) => key.startsWith('issue.'))
      .map(([, text]) => withoutPunctuation(text))
    const hints = texts.filter(([key]) => key.startsWith('hint.'))
    expect(messages.length).toBeGreaterThan(0)
    expect(hints.length).toBeGreaterThan(0)
    expect(hints.filter(([, text]) => messages.includes(withoutPunctuation(text)))).toEqual([])
  })
})

function withoutPunctuation(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\p{P}\s]+/gu, ' ')
    .trim()
}
