import { createPublicKey, createPrivateKey, sign, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { migrate } from '#server/database/migrate.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import { configOf } from '#support/servers/services-on.ts'
import { openTestDatabase } from '#support/servers/test-databases.ts'

describe('the keys of the server', () => {
  it('are the same in calls at the same time, and in a later call', async () => {
    const { db, close } = await openTestDatabase('pglite')
    await migrate(db)
    const config = configOf({})
    const together = await Promise.all([
      loadSecrets(db, config),
      loadSecrets(db, config),
      loadSecrets(db, config),
    ])
    const later = await loadSecrets(db, config)
    await close()
    for (const secrets of together) expect(secrets).toEqual(later)
    const keys = [later.tokenKey, later.codeKey, later.draftKey, later.captchaKey].map(key =>
      Buffer.from(key).toString('hex'),
    )
    expect(new Set(keys).size).toBe(4)
    expect(keys.every(key => key.length === 64)).toBe(true)
    const signature = sign(null, Buffer.from('x'), createPrivateKey(later.receiptPrivateKey))
    expect(verify(null, Buffer.from('x'), createPublicKey(later.receiptPublicKey), signature)).toBe(true)
  })

  it('have the key that the operator sets, and the database does not store this key', async () => {
    const { db, close } = await openTestDatabase('pglite')
    await migrate(db)
    const given = 'ab'.repeat(32)
    const secrets = await loadSecrets(db, configOf({ TOKEN_KEY: given }))
    const secretRows = await db.selectFrom('secret').select('name').execute()
    await close()
    expect(Buffer.from(secrets.tokenKey).toString('hex')).toBe(given)
    const storedNames = secretRows.map(row => row.name)
    expect(storedNames).toContain('codeKey')
    expect(storedNames).not.toContain('tokenKey')
  })
})
