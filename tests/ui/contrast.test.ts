import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('../../src/ui/tokens.css', import.meta.url), 'utf8')
const light = readColours(css.slice(0, css.indexOf('@media')))
const dark = { ...light, ...readColours(css.slice(css.indexOf('prefers-color-scheme: dark'))) }

const texts = [
  ['ink', 'paper'],
  ['ink', 'ground'],
  ['ink', 'sunken'],
  ['ink', 'accent-soft'],
  ['ink', 'warm-soft'],
  ['ink', 'danger-soft'],
  ['ink-soft', 'paper'],
  ['ink-soft', 'ground'],
  ['ink-soft', 'sunken'],
  ['accent', 'paper'],
  ['accent', 'ground'],
  ['accent', 'sunken'],
  ['accent', 'accent-soft'],
  ['accent-deep', 'accent-soft'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-deep'],
  ['danger', 'paper'],
  ['danger', 'danger-soft'],
  ['on-danger', 'danger'],
  ['on-danger', 'danger-deep'],
  ['warm-ink', 'warm-soft'],
  ['warm-ink', 'paper'],
  ['on-band', 'band'],
  ['on-band-soft', 'band'],
] as const

const edges = [
  ['line-strong', 'paper'],
  ['line-strong', 'ground'],
  ['focus', 'paper'],
  ['focus', 'ground'],
  ['focus', 'sunken'],
  ['warm', 'band'],
] as const

describe('the colours of the dark scheme', () => {
  it('differ from those of the light scheme', () => {
    expect(dark).not.toEqual(light)
  })
})

describe.each([
  ['light', light],
  ['dark', dark],
])('the colours of the %s scheme', (_mode, colours) => {
  it.each(texts)('give the text colour %s a contrast of at least 4.5:1 on %s', (ink, ground) => {
    expect(contrast(colours[ink], colours[ground])).toBeGreaterThanOrEqual(4.5)
  })

  it.each(edges)('give the border or outline colour %s a contrast of at least 3:1 on %s', (edge, ground) => {
    expect(contrast(colours[edge], colours[ground])).toBeGreaterThanOrEqual(3)
  })
})

function readColours(text: string): Record<string, string> {
  const found = text.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)
  return Object.fromEntries([...found].map(([, name = '', colour = '']) => [name, colour]))
}

function contrast(one: string | undefined, other: string | undefined): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour = ''): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
