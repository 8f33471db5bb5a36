import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { createPaidApplication, findFreeTime } from '../paid-application.ts'
import { startCliFixture } from './cli-fixture.ts'

const { server, officeCommand } = await startCliFixture()

const why = ['--reason', 'Papers compared at the counter'] as const
const ran = new Set<string>()

/** Runs a command of the runbook and returns its lines. */
async function run(name: string, ...rest: string[]): Promise<string> {
  ran.add(name)
  const { kind, lines } = await officeCommand.run(name, ...rest)
  expect({ kind, lines }).toMatchObject({ kind: 'done' })
  return lines.join('\n')
}

async function pay(phone: string) {
  const owner = await signIn(server, { phone })
  const form = { ...firstPassport, phoneNumber: phone.slice(3) }
  return { owner, ...(await createPaidApplication(server, owner, form)) }
}

/** Begins again with a new number, and confirms the form. */
async function beginAgain(phone: string): Promise<{ applicant: SignedIn; id: string }> {
  const applicant = await signIn(server, { phone })
  const { id } = bodyOf(await applicant.call('createApplication')).data
  bodyOf(await applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) }))
  return { applicant, id }
}

describe('the steps for an applicant who has lost every contact (D122, D45)', () => {
  it('give the money back and end the old application', async () => {
    const { number } = await pay('237672100001')
    expect(await run('application', number, ...why)).toMatch(/^state +PAYMENT_DONE$/m)
    expect(await run('events', number, ...why)).toContain('signed-in')
    expect(await run('end-sessions', number, ...why)).toBe('1 session ended.')
    await run('move', number, 'FAILED', ...why)
    // `--refused`: the application is refused (FAILED), so its payment is due back.
    await run('refunds', '--refused', number, ...why)
    const order = new RegExp(`^(\\S+) +${number} `, 'm').exec(await run('refunds'))?.[1] ?? ''
    await run('refunds', '--done', order)
    expect(await run('refunds')).toBe('No payment is due back.')
  })

  it('let a new application continue without a payment', async () => {
    const { number } = await pay('237672100002')
    await run('move', number, 'FAILED', ...why)
    await run('load-whitelist', officeCommand.file('one.csv', 'contact', '+237672100003'), ...why)
    const { applicant, id } = await beginAgain('237672100003')
    const query = { applicationId: id }
    bodyOf(await applicant.call('startWhitelistPayment', { query }))
    expect(bodyOf(await applicant.call('listApplications')).data).toMatchObject([
      { currentState: 'PAYMENT_DONE' },
    ])
  })

  it('leave a booked appointment in the list of its day', async () => {
    const { owner, applicationId, number } = await pay('237672100004')
    const appointmentDate = await findFreeTime(owner, applicationId)
    const body = { applicationId, officeId: '1', appointmentDate }
    const { id } = bodyOf(await owner.call('createAppointment', { body })).data
    bodyOf(await owner.call('confirmAppointment', { params: { id } }))
    const day = appointmentDate.slice(0, 10)
    expect(await run('application', number, ...why)).toContain(day)
    expect(await run('day-list', '1', day)).toContain(number)
  })

  it('name the commands that these tests ran, and no others', () => {
    const [, section = ''] = readFileSync('docs/runbook.md', 'utf8').split(
      '## An applicant has lost every contact of the account',
    )
    const [steps = ''] = section.split('\n## ')
    const named = [...steps.matchAll(/npm run office -- ([a-z-]+)/g)].map(([, name]) => name)
    expect(new Set(named)).toEqual(ran)
  })
})
