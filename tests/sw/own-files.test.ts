import { describe, expect, it } from 'vitest'
import { isOwnFile } from '../../sw/own-files.ts'

const shell = '<!doctype html><div id="root"></div>'
const captive = '<!doctype html><p>Sign in to the Wi-Fi</p>'

describe('isOwnFile (D34)', () => {
  it.each([
    ['/assets/index-12345678.js', 'text/javascript; charset=utf-8', 'run()', true],
    ['/assets/index-12345678.js', 'text/html', captive, false],
    ['/assets/style-12345678.css', 'text/html; charset=utf-8', captive, false],
    ['/index.html', 'text/html; charset=utf-8', shell, true],
    ['/index.html', 'text/html', captive, false],
  ])('for %s with content type %s and body %s returns %s', async (path, type, text, own) => {
    const response = new Response(text, { headers: { 'content-type': type } })
    expect(await isOwnFile(new URL(path, 'https://portal.example'), response)).toBe(own)
  })

  it('returns false for an error response', async () => {
    const response = new Response('', { status: 503, headers: { 'content-type': 'text/javascript' } })
    expect(await isOwnFile(new URL('https://portal.example/assets/a.js'), response)).toBe(false)
  })
})
