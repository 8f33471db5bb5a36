import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { digestOfForm } from '#contract/save-digest.ts'
import { readStored } from '#contract/stored-form.ts'
import { findOrCreateServerEpoch } from '#server/database/server-epoch.ts'
import { bodyOf, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { type CliFixture, openCliFixture } from './cli-fixture.ts'

let server: TestServer
let cli: CliFixture
let applicant: SignedIn
let created: { id: string; applicationNumber: string }

beforeEach(async () => {
  server = await startTestServer({ offices: 'none' })
  cli = openCliFixture(server.services)
  applicant = await signIn(server)
  created = bodyOf(await applicant.call('createApplication')).data
})
afterEach(async () => {
  cli.close()
  await server.close()
})

async function saveSurname(surname: string) {
  const params = { id: created.id }
  return bodyOf(await applicant.call('saveData', { params, body: { surname, draft: true } })).data
}

const sequenceOf = (applicationNumber: string) => Number(applicationNumber.split('-')[2])

describe('a save (D61)', () => {
  it('is answered with the digest of what the server now has, the version, the state and the epoch', async () => {
    const saved = await saveSurname('Ngo')
    const read = bodyOf(await applicant.call('readData', { params: { id: created.id } })).data
    expect(saved).toEqual({
      version: 1,
      currentState: 'NEW',
      epoch: server.services.epoch,
      digest: await digestOfForm(readStored(read), 1),
    })
    expect(read.epoch).toBe(server.services.epoch)
  })

  it('has another digest for other answers, and for another version', async () => {
    const digests = [await saveSurname('Ngo'), await saveSurname('Ngo'), await saveSurname('Mbock')]
    expect(new Set(digests.map(({ digest }) => digest)).size).toBe(3)
  })
})

describe('npm run office -- after-restore (D62)', () => {
  it('changes the epoch', async () => {
    const before = await findOrCreateServerEpoch(server.services.db)
    expect(before).toBe(bodyOf(await applicant.call('version')).data.epoch)
    expect(await cli.run('after-restore')).toMatchObject({ kind: 'done' })
    expect(await findOrCreateServerEpoch(server.services.db)).not.toBe(before)
  })

  it('uses no version again that was given out after the backup', async () => {
    await saveSurname('Ngo')
    await cli.run('after-restore')
    const again = await signIn(server)
    const { version } = bodyOf(await again.call('readData', { params: { id: created.id } })).data
    expect(version).toBeGreaterThan(100_000)
  })

  it('uses no application number again that was given out after the backup', async () => {
    await cli.run('after-restore')
    const other = await signIn(server, { phone: '237670000009' })
    const next = bodyOf(await other.call('createApplication')).data.applicationNumber
    expect(sequenceOf(next)).toBeGreaterThan(sequenceOf(created.applicationNumber) + 50_000)
  })

  it('ends every session: one that ended after the backup must not live again', async () => {
    await cli.run('after-restore')
    expect(await applicant.call('listApplications')).toMatchObject({ status: 401 })
    expect(await applicant.call('refreshToken')).toMatchObject({ status: 401 })
  })

  it('changes nothing in a dry run', async () => {
    const before = await findOrCreateServerEpoch(server.services.db)
    await cli.run('after-restore', '--dry-run')
    expect(await findOrCreateServerEpoch(server.services.db)).toBe(before)
    expect(await applicant.call('listApplications')).toMatchObject({ status: 200 })
  })
})
