import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { encode } from 'uqr'
import { signReceipt, verifyAddress, verifyReceipt } from '#server/features/receipt/qr-signature.ts'
import type { ReceiptFields } from '#contract/receipt-code.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')

const fields: ReceiptFields = {
  applicationNumber: 'PP-2026-004172-6',
  name: 'NGONO ÉBÉNÉ Anaïs Cœur-de-Marie Ŋkoŋ',
  yearOfBirth: 1991,
  office: 'Centre national de production des passeports, Yaoundé',
  date: '2026-12-01',
}
const text = signReceipt(fields, privateKey)

describe('the signed text in the QR code of a receipt', () => {
  it('is verified with the public key alone, and returns the signed fields', () => {
    expect(verifyReceipt(text, publicKey)).toEqual({ kind: 'genuine', fields })
    expect(verifyReceipt(text, createPublicKey(privateKey))).toEqual({ kind: 'genuine', fields })
  })

  it('has no date for the general queue', () => {
    const queued = signReceipt({ ...fields, date: null }, privateKey)
    expect(verifyReceipt(queued, publicKey)).toEqual({ kind: 'genuine', fields: { ...fields, date: null } })
  })

  it('contains the readable application number, and only characters that every scanner reads the same way', () => {
    expect(text).toMatch(/^PP1\.PP-2026-004172-6\.[\w-]+\.[\w-]{86}$/)
  })

  it('is read when the scanner adds a line break', () => {
    expect(verifyReceipt(`${text}\r\n`, publicKey).kind).toBe('genuine')
  })

  it('is read from the address that a phone’s camera opens; the text is after the #, in the part that browsers do not send to the server (F7)', () => {
    const address = verifyAddress('https://portal.example.cm', text)
    expect(address).toBe(`https://portal.example.cm/verify#${text}`)
    expect(verifyReceipt(address, publicKey)).toEqual({ kind: 'genuine', fields })
    expect(verifyReceipt(`${address}A`, publicKey).kind).toBe('unreadable')
  })

  it('fits QR version 15 at error correction M without the address, also with very long names', () => {
    for (const words of ['Ŋ'.repeat(300), '"\\'.repeat(300), '𞤀'.repeat(300), '\u0001'.repeat(300)]) {
      const longest = { ...fields, applicationNumber: 'X'.repeat(64), name: words, office: words }
      const code = signReceipt(longest, privateKey)
      expect(encode(code, { ecc: 'M' }).version).toBeLessThanOrEqual(15)
      const verdict = verifyReceipt(code, publicKey)
      expect(verdict).toMatchObject({ kind: 'genuine', fields: { name: expect.stringMatching(/…$/u) } })
    }
  })

  it('is never genuine after one random change (1,000 changes)', () => {
    const random = randomFrom(20_260_721)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_. '
    const verdicts = Array.from({ length: 1_000 }, () => {
      const at = random(text.length)
      const mutations = [
        text.slice(0, at) + otherThan(text.charAt(at), alphabet, random) + text.slice(at + 1),
        text.slice(0, at) + text.slice(at + 1),
        text.slice(0, at) + alphabet.charAt(random(64)) + text.slice(at),
        text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2),
      ].filter(mutated => mutated.trim() !== text)
      return verifyReceipt(mutations[random(mutations.length)] ?? '', publicKey).kind
    })
    expect(verdicts).toHaveLength(1_000)
    expect(verdicts).not.toContain('genuine')
    expect(verdicts).toContain('forged')
    expect(verdicts).toContain('unreadable')
  })

  it('has one valid spelling: the last character has bits that the signature does not use, and they must be zero', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const kinds = Array.from(alphabet, last => verifyReceipt(text.slice(0, -1) + last, publicKey).kind)
    expect(kinds.filter(kind => kind === 'genuine')).toHaveLength(1)
  })

  it('is forged when another key signed it, or when parts of two receipts are joined', () => {
    const other = generateKeyPairSync('ed25519')
    expect(verifyReceipt(text, other.publicKey)).toEqual({ kind: 'forged' })
    const second = signReceipt({ ...fields, name: 'MBALLA Jean' }, privateKey)
    const joined = [...text.split('.').slice(0, 3), ...second.split('.').slice(3)].join('.')
    expect(verifyReceipt(joined, publicKey)).toEqual({ kind: 'forged' })
  })

  it('is unreadable, and throws no error, when it has another format, also with a correct signature', () => {
    const details = Buffer.from('{"name":1}').toString('base64url')
    const strangers = [
      '',
      '.',
      '....',
      'https://example.org',
      text.replace('PP1', 'PP2'),
      `${text}.`,
      text.slice(0, 80),
    ]
    for (const stranger of [
      ...strangers,
      signed(`PP1.PO-1.${details}`),
      signed('PP1..'),
      signed('PP1.PO-1.AB'),
    ]) {
      expect(verifyReceipt(stranger, publicKey)).toEqual({ kind: 'unreadable' })
    }
  })
})

function signed(claim: string): string {
  return `${claim}.${sign(null, Buffer.from(claim), privateKey).toString('base64url')}`
}

function otherThan(character: string, alphabet: string, random: (below: number) => number): string {
  const others = alphabet.replace(character, '')
  return others.charAt(random(others.length))
}

/** Returns pseudo-random numbers that are the same in every run (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
