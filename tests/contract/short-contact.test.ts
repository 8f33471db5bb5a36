import { expect, it } from 'vitest'
import { showShortened, shortenContact } from '#contract/short-contact.ts'

it.each([
  ['phone', '237671234567', '+237 6 ••• 67'],
  ['phone', '33612345678', '+3361 ••• 78'],
  ['phone', '1234', '••• 34'],
  ['email', 'awa@example.cm', 'a•••@example.cm'],
] as const)('a contact on a screen that other people may see has no middle: %s %s', (kind, value, shown) => {
  // No line ends inside a number (D134).
  expect(showShortened(shortenContact({ kind, value }))).toBe(shown.replaceAll(' ', '\u00a0'))
})
