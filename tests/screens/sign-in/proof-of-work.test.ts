import { createChallenge, type Payload, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { describe, expect, it } from 'vitest'
import { solvePuzzle } from '#sign-in/proof-of-work.ts'

const secrets = { hmacSignatureSecret: 'puzzle', hmacKeySignatureSecret: 'solution' }

describe('solvePuzzle (D24)', () => {
  it('returns an answer that the library of the server accepts', async () => {
    const puzzle = await createChallenge({
      algorithm: 'PBKDF2/SHA-256',
      cost: 10,
      counter: 30,
      deriveKey,
      ...secrets,
    })
    const answer = await solvePuzzle(JSON.parse(JSON.stringify(puzzle)))
    const solved: Payload = JSON.parse(Buffer.from(answer ?? '', 'base64').toString())
    expect(solved.solution.counter).toBe(30)
    expect((await verifySolution({ ...solved, deriveKey, ...secrets })).verified).toBe(true)
  })

  it.each([undefined, {}, { parameters: { algorithm: 'PBKDF2/SHA-256' } }])(
    'resolves to undefined for %o, which is not a puzzle',
    async offered => {
      expect(await solvePuzzle(offered)).toBeUndefined()
    },
  )

  it('resolves to undefined for an unknown algorithm', async () => {
    const parameters = { algorithm: 'X', nonce: '00', salt: '00', cost: 1, keyLength: 32, keyPrefix: '00' }
    expect(await solvePuzzle({ parameters })).toBeUndefined()
  })
})
