import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const built = fileURLToPath(new URL('../../dist/client/', import.meta.url))
const bytesPerKib = 1_024

/** Size of a file that a browser with brotli downloads, in bytes. */
function compressedBytes(file: string): number {
  return readFileSync(`${built}${file}.br`).length
}

function uncompressedBytes(file: string): number {
  return readFileSync(built + file).length
}

// `assets` has files of older releases too. Those of this release are named in `worker` or `prerendered`.
const worker = readFileSync(`${built}sw.js`, 'utf8')
const prerendered = readFileSync(`${built}pages/fr/mobile.html`, 'utf8')

function asset(name: string): string {
  const found = readdirSync(`${built}assets`).find(
    file =>
      new RegExp(`^${name}-[\\w-]{8}\\.(?:js|css|json)$`).test(file) && (worker + prerendered).includes(file),
  )
  if (found === undefined) throw new Error(`The build has no ${name}`)
  return `assets/${found}`
}

const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0)
// The main files of a first visit to /mobile, which needs no router before the number can be sent.
const shell = 'start sign-in fr wire style pages workbox-window.prod'.split(' ')

// Some limits are only bytes above the current size. A change that exceeds a limit makes room, or raises the limit
// here with the reason in its commit (F14).
describe('the bytes of a release (F14)', () => {
  it.each(['welcome', 'mobile', 'mail', 'password'])('keep a prerendered %s page under 10 KiB', name => {
    for (const language of ['fr', 'en'])
      expect(compressedBytes(`pages/${language}/${name}.html`)).toBeLessThan(10 * bytesPerKib)
  })

  it.each([
    ['start', 85.2],
    ['router', 25.5],
    ['sign-in', 8.3],
    ['wire', 12.6],
    ['form', 100.5],
    ['rare', 6.3],
    ['later', 22.6],
    ['style', 9.3],
    ['fr', 3.2],
    ['fr-verify', 1],
    ['fr-rest', 11.8],
    ['en', 2.8],
    ['en-verify', 1],
    ['en-rest', 10.3],
    ['verify', 5],
    ['pages', 8.6],
    // Loaded only where the device has voices, and on a kiosk.
    ['tools', 1.9],
  ])('keep %s under %d KiB', (name, limit) => {
    expect(compressedBytes(asset(name))).toBeLessThan(limit * bytesPerKib)
  })

  it('keep the script that checks the browser and records presses under 0.7 KiB', () => {
    expect(compressedBytes('check-browser.js')).toBeLessThan(0.7 * bytesPerKib)
  })

  it('keep the main files of a first visit and the service worker under 144.4 KiB', () => {
    const files = [...[...shell, 'service-worker'].map(asset), 'pages/fr/mobile.html', 'index.html', 'sw.js']
    // `npm run bench` measures about 8 KiB more for the whole visit: headers, icons and small answers.
    expect(sum(files.map(compressedBytes))).toBeLessThan(144.4 * bytesPerKib)
  })

  it('keep the scripts that hydrate a sign-in page under 348 KiB uncompressed', () => {
    const files = [...['start', 'sign-in', 'fr', 'rolldown-runtime'].map(asset), 'check-browser.js']
    expect(sum(files.map(uncompressedBytes))).toBeLessThan(348 * bytesPerKib)
  })

  it('leave the drawings of later screens out of a first visit', () => {
    const files = readdirSync(`${built}assets`).filter(file => worker.includes(file) && file.endsWith('.js'))
    // The path of one of these drawings.
    const withDrawings = files.filter(file =>
      readFileSync(`${built}assets/${file}`, 'utf8').includes('M10 6h22'),
    )
    expect(withDrawings).toEqual([asset('form').slice('assets/'.length)])
  })

  it('halve what the service worker prefetches after the sign-in when the data saver is on (D35)', () => {
    // The list of applications loads these two itself, so they are no cost of the prefetch.
    const atOnce = ['form', 'fr-rest'].map(asset)
    const sizeOf = (part: string) =>
      sum(
        [...worker.matchAll(/\{[^{}]*"url":"([^"]+)"[^{}]*\}/g)]
          .filter(([entry, url = '']) => entry.includes(`"part":"${part}"`) && !atOnce.includes(url))
          .map(([, url = '']) =>
            existsSync(`${built}${url}.br`) ? compressedBytes(url) : uncompressedBytes(url),
          ),
      )
    const withSaver = sizeOf('form')
    expect(withSaver).toBeGreaterThan(0)
    expect(withSaver * 2).toBeLessThanOrEqual(withSaver + sizeOf('later') + sizeOf('en'))
  })

  it('contain no file name of a script in another script, so that a changed chunk does not change the others (D131)', () => {
    const [release = []]: string[][] = JSON.parse(readFileSync(`${built}../releases.json`, 'utf8'))
    const scripts = release.filter(name => name.endsWith('.js'))
    expect(scripts.length).toBeGreaterThan(20)
    for (const name of scripts) {
      const text = readFileSync(`${built}assets/${name}`, 'utf8')
      expect(
        scripts.filter(other => text.includes(other)),
        name,
      ).toEqual([])
    }
    const pages = readFileSync(built + asset('pages'), 'utf8')
    expect(scripts.filter(other => pages.includes(other))).toEqual([])
  })

  it('leave pdf.js and the captcha out of the precache, and cache the form only on request', () => {
    const listed = [...worker.matchAll(/\{[^{}]*"url":"([^"]+)"[^{}]*\}/g)].map(([entry, url = '']) => ({
      entry,
      url,
    }))
    expect(listed.length).toBeGreaterThan(5)
    expect(listed.filter(({ url }) => /assets\/pdf|captcha-box|proof-of-work/.test(url))).toEqual([])
    expect(listed.find(({ url }) => url.startsWith('assets/form-'))?.entry).toContain('"part":"form"')
  })
})

describe('the public files of a release', () => {
  it('have no source map', () => {
    const names = readdirSync(built, { recursive: true, encoding: 'utf8' })
    expect(names.filter(name => name.endsWith('.js')).length).toBeGreaterThan(10)
    expect(names.filter(name => name.includes('.map'))).toEqual([])
    const texts = names.filter(name => /\.(?:m?js|css|html)$/.test(name))
    expect(texts.filter(name => readFileSync(built + name, 'utf8').includes('sourceMappingURL'))).toEqual([])
  })
})
