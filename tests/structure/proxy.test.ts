import { describe, expect, it } from 'vitest'
import { readText } from './source-tree.ts'

const shipped = readText('docs/packaging/nginx.conf')

describe('the shipped proxy', () => {
  it('speaks TLS 1.2 and 1.3 only, with ciphers that have forward secrecy and authenticated encryption', () => {
    expect(valuesOf('ssl_protocols')).toEqual(['TLSv1.2 TLSv1.3'])
    const [ciphers = ''] = valuesOf('ssl_ciphers')
    expect(ciphers.split(':').filter(name => !/^ECDHE-\w+-(?:AES\d+-GCM|CHACHA20)-\w+$/.test(name))).toEqual(
      [],
    )
  })

  it('sets each header that the server trusts, in place of the value that a client sends', () => {
    expect(valuesOf('proxy_set_header').toSorted()).toEqual([
      'Connection ""',
      'Host $host',
      'X-Forwarded-For $remote_addr',
      'X-Forwarded-Host $host',
      'X-Forwarded-Proto $scheme',
      'X-Request-Id $request_id',
    ])
  })

  it('hides the probes', () => {
    expect(shipped).toContain('location ~ ^/(health|ready)$ { return 404; }')
  })
})

describe('the proxy at port 80', () => {
  it('redirects pages to https, and answers calls and webhooks with 404', () => {
    const [plain = ''] = /server \{\n {2}listen 80;[^]*?\n\}/.exec(shipped) ?? []
    expect(plain).toContain('location ~ ^/(api|hooks)/ { return 404; }')
    expect(plain).toContain('location / { return 301 https://$host$request_uri; }')
    expect(plain).not.toContain('proxy_pass')
  })
})

function valuesOf(setting: string): string[] {
  return [...shipped.matchAll(new RegExp(`^\\s*${setting} ([^;]*);`, 'gm'))].map(([, value = '']) => value)
}
