import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { applicationNumber } from '#server/features/applications/application-number.ts'
import { signReceipt, verifyAddress, verifyReceipt } from '#server/features/receipt/qr-signature.ts'
import { checkCode } from '#screens/verify/check-code.ts'
import * as golden from '#support/data/applicants.ts'
import { isFullRun } from '#support/test-tier.ts'
import { createRandom } from '#support/data/random.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const key = publicKey.export({ format: 'jwk' }).x ?? ''

const changedCodes = isFullRun ? 1_000 : 200

const people = Object.values(golden).filter(form => typeof form === 'object' && 'surname' in form)
const codes = people.map((form, index) => ({
  fields: {
    applicationNumber: applicationNumber('2026', index),
    name: `${form.surname} ${form.givenName}`.trim(),
    yearOfBirth: Number(form.yearOfBirth),
    office: 'Ambassade du Cameroun – Vatican',
    date: index % 2 === 0 ? '2026-12-01' : null,
  },
}))

function fieldsOf(index: number) {
  const code = codes[index % codes.length]
  if (!code) throw new Error('no applicant')
  return code.fields
}

describe('checkCode (F7)', () => {
  it('accepts the code of each golden applicant and reads the same fields as the server', async () => {
    expect(codes.length).toBeGreaterThan(5)
    for (const { fields } of codes) {
      const code = signReceipt(fields, privateKey)
      expect(await checkCode(code, key)).toEqual({ kind: 'genuine', fields })
      expect(await checkCode(verifyAddress('https://portal.example.cm', code), key)).toEqual(
        verifyReceipt(code, publicKey),
      )
    }
  })

  it(`refuses a code with one changed character, as the server does (${changedCodes} codes)`, async () => {
    const random = createRandom(7)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'
    const verdicts: string[] = []
    for (let count = 0; count < changedCodes; count += 1) {
      const code = signReceipt(fieldsOf(count), privateKey)
      const at = random.integerBelow(code.length)
      const other = alphabet.replace(code.charAt(at), '')
      const changed = code.slice(0, at) + other.charAt(random.integerBelow(other.length)) + code.slice(at + 1)
      const verdict = await checkCode(changed, key)
      expect(verdict).toEqual(verifyReceipt(changed, publicKey))
      verdicts.push(verdict.kind)
    }
    expect(verdicts).not.toContain('genuine')
    expect(new Set(verdicts)).toEqual(new Set(['forged', 'unreadable']))
  })

  it('refuses a code of another key, and an invalid key', async () => {
    const code = signReceipt(fieldsOf(0), privateKey)
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? ''
    expect(await checkCode(code, other)).toEqual({ kind: 'forged' })
    for (const broken of ['', 'AA', 'nonsense!', 'A'.repeat(43)])
      expect((await checkCode(code, broken)).kind).not.toBe('genuine')
  })

  it('finds a text with a right signature unreadable when its content is not that of a receipt', async () => {
    const claim = 'PP1.PO-1.AAAA'
    const text = `${claim}.${sign(null, Buffer.from(claim), privateKey).toString('base64url')}`
    expect(await checkCode(text, key)).toEqual({ kind: 'unreadable' })
  })
})
