import { describe, expect, it } from 'vitest'
import { bodyOf, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { startCliFixture } from './cli-fixture.ts'

const { server, officeCommand } = await startCliFixture()

const why = ['--reason', 'Phone stolen'] as const

async function isSignedIn(applicant: SignedIn): Promise<boolean> {
  const answers = [await applicant.call('listApplications'), await applicant.call('refreshToken')]
  const kinds = new Set(answers.map(({ kind }) => kind))
  expect(kinds.size).toBe(1)
  return kinds.has('ok')
}

const nobodyNamed =
  'This is neither the number of an application here nor a contact: a phone number needs its country code, such as +237671234567.'

describe('end-sessions (D45)', () => {
  it('ends the sessions of one applicant at once, by an application number or a contact', async () => {
    const owner = await signIn(server, { phone: '237671000001' })
    const other = await signIn(server, { email: 'other@example.cm' })
    const { applicationNumber: number } = bodyOf(await owner.call('createApplication')).data
    expect((await officeCommand.run('end-sessions', number, ...why)).lines).toEqual(['1 session ended.'])
    expect([await isSignedIn(owner), await isSignedIn(other)]).toEqual([false, true])
    expect((await officeCommand.run('end-sessions', 'Other@example.cm', ...why)).lines).toEqual([
      '1 session ended.',
    ])
    expect(await isSignedIn(other)).toBe(false)
    const { db } = server.services
    const { rows } = await db.executeQuery(
      db.selectFrom('operator_record').select(['command', 'about', 'reason']).orderBy('id').compile(),
    )
    expect(rows).toEqual([
      { command: 'end-sessions', about: [number], reason: why[1] },
      { command: 'end-sessions', about: ['o****@example.cm'], reason: why[1] },
    ])
  })

  it.each([
    ['+7 8 912 345 67 89', { phone: '79123456789' }],
    ['awa@xn--exampl-gva.cm', { email: 'awa@exampl\u00e9.cm' }],
  ])('finds the applicant by the contact %s, as the sign-in reads it (D109)', async (typed, contact) => {
    await signIn(server, contact)
    expect((await officeCommand.run('end-sessions', typed, ...why)).lines).toEqual(['1 session ended.'])
  })

  it('ends all sessions with --all, and none in a dry run', async () => {
    const people = [
      await signIn(server, { phone: '237671000002' }),
      await signIn(server, { phone: '237671000003' }),
    ]
    expect((await officeCommand.run('end-sessions', '--all', ...why, '--dry-run')).kind).toBe('done')
    for (const each of people) expect(await isSignedIn(each)).toBe(true)
    expect((await officeCommand.run('end-sessions', '--all', ...why)).lines).toEqual(['2 sessions ended.'])
    for (const each of people) expect(await isSignedIn(each)).toBe(false)
  })

  it.each([
    [['PP-2026-000000-0'], nobodyNamed],
    [['671999999'], nobodyNamed],
    [['+237671999999'], 'No account has this contact.'],
    [['PP-1', '--all'], 'Give one application or contact, or --all.'],
    [[], 'Give one application or contact, or --all.'],
  ])('refuses %j', async (typed, fault) => {
    expect(await officeCommand.run('end-sessions', ...typed, ...why)).toMatchObject({
      kind: 'refused',
      lines: [fault],
    })
  })

  it('needs a reason', async () => {
    const applicant = await signIn(server, { phone: '237671000004' })
    const { kind, lines } = await officeCommand.run('end-sessions', '--all')
    expect({ kind, first: lines[0] }).toEqual({
      kind: 'usage-error',
      first: 'Give the reason with --reason TEXT.',
    })
    expect(await isSignedIn(applicant)).toBe(true)
  })
})
