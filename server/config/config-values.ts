import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import * as z from 'zod/mini'
import { parseJson } from '#contract/parse-json.ts'

/** The schemas of environment variables. The message of each one continues the variable's name: "takes …". */

export function whole(least: number, most: number, fallback: number): z.ZodMiniType<number>
export function whole(least: number, most: number): z.ZodMiniType<number>
export function whole(least: number, most: number, fallback?: number): z.ZodMiniType<number> {
  const schema = z.pipe(
    z.string().check(
      invalidMessage(`a whole number from ${least} to ${most}`, value => {
        return /^\d+$/.test(value) && Number(value) >= least && Number(value) <= most
      }),
    ),
    z.transform(Number),
  )
  return fallback === undefined ? schema : z.prefault(schema, String(fallback))
}

export function oneOf<const Values extends readonly string[]>(values: Values, fallback: Values[number]) {
  return z.prefault(z.enum(values, { error: () => `takes ${orList(values)}.` }), fallback)
}

export function text(fallback: string) {
  return z.prefault(z.string(), fallback)
}

/** The sender of e-mails: an address, or a name and the address in angle brackets. */
export function sender(fallback: string) {
  const schema = z
    .string()
    .check(
      invalidMessage(
        'an address, such as no-reply@example.cm, or a name and the address in angle brackets',
        value => /^(?:[^<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(value.trim()),
      ),
    )
  return z.prefault(schema, fallback)
}

/**
 * JSON with placeholders in braces, at least those that `needed` names. Only the placeholders that `numeric` names get numbers,
 * so only these may be outside a JSON string.
 */
export function jsonTemplate(
  { needed, numeric }: { needed: readonly string[]; numeric: readonly string[] },
  fallback: string,
) {
  const fillIn = (template: string) =>
    template.replaceAll(/\{(\w+)\}/g, (_, name: string) => (numeric.includes(name) ? '0' : 'text'))
  const schema = z
    .string()
    .check(
      invalidMessage(
        `JSON with ${needed.map(name => `{${name}}`).join(' and ')}`,
        value => needed.every(name => value.includes(`{${name}}`)) && parseJson(fillIn(value)) !== undefined,
      ),
    )
  return z.prefault(schema, fallback)
}

export function secret() {
  return z.string().check(invalidMessage('at least 8 characters', value => value.length >= 8))
}

/** A secret that a person types into a field of the portal, which takes at most 100 characters. */
export function typedSecret() {
  return z
    .string()
    .check(
      invalidMessage(
        '8 to 100 characters without a space at either end',
        value => value.length >= 8 && value.length <= 100 && value.trim() === value,
      ),
    )
}

/** A secret that is part of a URL. */
export function pathKey() {
  return z
    .string()
    .check(invalidMessage('20 to 200 letters, digits, - or _', value => /^[\w-]{20,200}$/.test(value)))
}

/** A comma-separated list of the values. */
export function listed<Value extends string>(values: readonly Value[]) {
  return z.pipe(
    z
      .string()
      .check(
        invalidMessage(`a list with commas of ${values.join(', ')}`, value =>
          entries(value).every(entry => values.some(known => known === entry)),
        ),
      ),
    z.transform(value => values.filter(known => entries(value).includes(known))),
  )
}

/** A comma-separated list of addresses, networks (`10.0.0.0/8`) or the word `loopback`. */
export function trusted() {
  const schema = z.pipe(
    z
      .string()
      .check(
        invalidMessage('addresses or networks with commas between', value => entries(value).every(isNetwork)),
      ),
    z.transform(entries),
  )
  return z.prefault(schema, '')
}

export function url(protocols: readonly string[]) {
  return z.string().check(
    invalidMessage(
      `an address that begins with ${orList(protocols.map(protocol => `${protocol}://`))}`,
      value => {
        return URL.canParse(value) && protocols.includes(new URL(value).protocol.slice(0, -1))
      },
    ),
  )
}

/** A URL without a path: the portal is always at the root of its host. */
export function origin(protocols: readonly string[]) {
  return url(protocols).check(
    invalidMessage(
      'an address without a path: the portal is at the root of its host',
      // The other check tells what is wrong with a text that is no URL.
      value => !URL.canParse(value) || new URL(value).href === `${new URL(value).origin}/`,
    ),
  )
}

/** A comma-separated list of URLs; returns their origins. */
export function urls(protocols: readonly string[]) {
  const schema = z.pipe(
    z
      .string()
      .check(
        invalidMessage(
          `addresses that begin with ${orList(protocols.map(protocol => `${protocol}://`))}, with commas between`,
          value =>
            entries(value).every(
              entry => URL.canParse(entry) && protocols.includes(new URL(entry).protocol.slice(0, -1)),
            ),
        ),
      ),
    z.transform(value => entries(value).map(entry => new URL(entry).origin)),
  )
  return z.prefault(schema, '')
}

/** A key as base64 or base64url, or as at least 64 hexadecimal digits (`decodeKey`). */
export function bytes(least: number) {
  return z.pipe(
    z
      .string()
      .check(
        invalidMessage(
          `a key of at least ${least} bytes, as base64 or hexadecimal`,
          value => decodeKey(value).length >= least,
        ),
      ),
    z.transform(decodeKey),
  )
}

/** Several keys as `bytes` reads one, with commas between. */
export function byteLists(least: number) {
  return z.pipe(
    z
      .string()
      .check(
        invalidMessage(
          `keys of at least ${least} bytes, as base64 or hexadecimal, with commas between`,
          value => decodeKeys(value).every(each => each.length >= least),
        ),
      ),
    z.transform(decodeKeys),
  )
}

function decodeKeys(value: string): Uint8Array[] {
  return value.split(',').map(part => decodeKey(part.trim()))
}

/** An Ed25519 private key: PKCS#8 PEM as it is, or with `\n` for each end of a line, or in base64. */
export function pem() {
  return z.pipe(
    z
      .string()
      .check(
        invalidMessage('an Ed25519 private key as PKCS#8 PEM, or that in base64', value =>
          isEd25519(toPem(value)),
        ),
      ),
    z.transform(toPem),
  )
}

/** Returns the public key of a private or public key, as PEM: the same text for the two keys of a pair. */
export function publicKeyOf(key: string): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
}

/** Public or private Ed25519 keys, each as PEM in base64, with commas between them. */
export function pems() {
  return z.pipe(
    z
      .string()
      .check(
        invalidMessage('Ed25519 keys, public or private, each as PEM in base64, with commas between', value =>
          value.split(',').every(part => isEd25519(toPem(part.trim()), createPublicKey)),
        ),
      ),
    z.transform(value => value.split(',').map(part => toPem(part.trim()))),
  )
}

/** An image of the configuration, and the path under which the server sends it. The path changes with the image. */
export type Emblem = { mediaType: string; bytes: Buffer; path: string }

const emblemPattern = /^data:(image\/(?:svg\+xml|png));base64,([\w+/]+=*)$/
const maxEmblemBytes = 20_480

/** An SVG or PNG image as a data URL in base64. */
export function emblem() {
  return z.pipe(
    z
      .string()
      .check(
        invalidMessage(
          'an SVG or PNG image of at most 20 KiB as a data URL in base64',
          value => emblemPattern.test(value) && toEmblem(value).bytes.length <= maxEmblemBytes,
        ),
      ),
    z.transform(toEmblem),
  )
}

function toEmblem(dataUrl: string): Emblem {
  const [, mediaType = '', encoded = ''] = emblemPattern.exec(dataUrl) ?? []
  const image = Buffer.from(encoded, 'base64')
  const name = createHash('sha256').update(image).digest('base64url').slice(0, 12)
  return {
    mediaType,
    bytes: image,
    path: `/emblem-${name}.${mediaType === 'image/png' ? 'png' : 'svg'}`,
  }
}

function invalidMessage(what: string, holds: (value: string) => boolean) {
  return z.refine<string>(holds, { error: `takes ${what}.` })
}

function entries(value: string): string[] {
  return value
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
}

function isNetwork(value: string): boolean {
  if (value === 'loopback') return true
  const [address = '', prefix, ...rest] = value.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}

/** A text of at least 32 pairs of hexadecimal digits is read as hexadecimal, although it is valid base64 too. */
function decodeKey(value: string): Uint8Array {
  const trimmed = value.trim()
  if (/^(?:[0-9a-f]{2}){32,}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex')
  // Without this check Node.js would skip all other characters, and a sentence would be a key.
  if (!/^[\w+/-]+=*$/.test(trimmed)) return Buffer.alloc(0)
  return Buffer.from(trimmed, trimmed.includes('-') || trimmed.includes('_') ? 'base64url' : 'base64')
}

function toPem(value: string): string {
  const readable = value.includes('-----BEGIN') ? value : Buffer.from(value, 'base64').toString('utf8')
  return readable.replaceAll('\\n', '\n')
}

function isEd25519(value: string, read: (pem: string) => KeyObject = createPrivateKey): boolean {
  try {
    return read(value).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}

function orList(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`
}
