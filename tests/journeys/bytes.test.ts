import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const built = fileURLToPath(new URL('../../dist/client/', import.meta.url))
const bytesPerKib = 1_024

/** What a phone gets that reads brotli, bytes. */
function travelling(file: string): number {
  return readFileSync(`${built}${file}.br`).length
}

function unpacked(file: string): number {
  return readFileSync(built + file).length
}

/** The files of this release are those that its pages and its worker name; those of older ones lie beside them. */
const worker = readFileSync(`${built}sw.js`, 'utf8')
const painted = readFileSync(`${built}pages/fr/mobile.html`, 'utf8')

function asset(name: string): string {
  const found = readdirSync(`${built}assets`).find(
    file =>
      new RegExp(`^${name}-[\\w-]{8}\\.(?:js|css|json)$`).test(file) && (worker + painted).includes(file),
  )
  if (found === undefined) throw new Error(`The build has no ${name}`)
  return `assets/${found}`
}

const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0)
const shell = 'start sign-in fr wire fr-rest verify style pages workbox-window.prod.es5'.split(' ')

// Held above what there is by a few per cent: what adds to a route has to be asked for here (F14).
describe('the bytes of a release (F14)', () => {
  it.each(['welcome', 'mobile', 'mail', 'password'])('a painted %s page stays under 10 KiB', name => {
    for (const language of ['fr', 'en'])
      expect(travelling(`pages/${language}/${name}.html`)).toBeLessThan(10 * bytesPerKib)
  })

  it.each([
    ['start', 104],
    ['sign-in', 7.5],
    ['wire', 21.5],
    ['form', 67],
    ['later', 16],
    ['style', 8.5],
    ['fr', 4],
    ['fr-rest', 7],
    ['en', 3.5],
    ['en-rest', 6],
    ['verify', 5],
    ['pages', 13],
  ])('%s stays under %d KiB', (name, limit) => {
    expect(travelling(asset(name))).toBeLessThan(limit * bytesPerKib)
  })

  it('a first visit costs no more than 195 KiB with all that the worker keeps', () => {
    const files = [...shell.map(asset), 'pages/fr/mobile.html', 'index.html', 'sw.js']
    // What is left is for headers, icons and small answers.
    expect(sum(files.map(travelling))).toBeLessThan(182 * bytesPerKib)
  })

  it('a sign-in page runs no more script than it needs to come alive', () => {
    const files = ['start', 'sign-in', 'fr'].map(asset)
    expect(sum(files.map(unpacked))).toBeLessThan(415 * bytesPerKib)
  })

  it('the worker keeps neither pdf.js nor the captcha, and the form only once it is asked to', () => {
    const listed = [...worker.matchAll(/\{[^{}]*"url":"([^"]+)"\}/g)].map(([entry, url = '']) => ({
      entry,
      url,
    }))
    expect(listed.length).toBeGreaterThan(5)
    expect(listed.filter(({ url }) => /assets\/pdf|captcha-box|proof-of-work/.test(url))).toEqual([])
    expect(listed.find(({ url }) => url.startsWith('assets/form-'))?.entry).toContain('"part":"form"')
  })
})
