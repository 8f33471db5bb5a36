import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type FieldName,
  fieldNames,
  findIssues,
  type FormValues,
  readForm,
  SaveBody,
  normaliseForm,
  toWire,
} from '#contract/application.ts'
import { hasNic, previousPassport } from '#contract/documents.ts'
import type { IssueCode } from '#contract/issues.ts'
import { isHome } from '#contract/place.ts'
import { startForm } from '#screens/form/form-start.ts'
import { type VerifiedContact, verifiedFields } from '#screens/form/verified-contact.ts'
import { checkForm } from '#server/features/applications/check-form.ts'
import { today } from '#support/data/form-cases/form-case.ts'
import { isFullRun } from '#support/test-tier.ts'
import {
  type FormFixture,
  openFormFixture,
  verifiedEmail,
  verifiedPhone,
} from '#support/fixtures/form-fixture.ts'
import { generateForm } from '#support/data/generated-forms.ts'
import { createRandom } from '#support/data/random.ts'

/** Another run of the dice: FORM_SEED=… npx vitest run … */
const seed = Number(process.env['FORM_SEED'] ?? 20_260_615)
const count = isFullRun ? 20_000 : 8_000
/** Over HTTP they take minutes: every day some of them come that way, all in the long run. */
const countOverHttp = isFullRun ? count : 250
const timeoutMs = isFullRun ? 1_200_000 : 60_000

const knownByPhone: VerifiedContact = { msisdn: verifiedPhone, email: '' }
const knownByEmail: VerifiedContact = { msisdn: '', email: verifiedEmail }
const knownByNeither: VerifiedContact = { msisdn: '', email: '' }
const knownByBoth: VerifiedContact = { msisdn: '33612345678', email: verifiedEmail }

type Fault = [field: string, code: string]
type Judged = { form: FormValues; faults: Fault[] }

describe('the browser and the server judge any form alike', () => {
  let fixture: FormFixture
  const judged: Judged[] = []

  beforeAll(async () => {
    fixture = await openFormFixture()
  })
  afterAll(async () => {
    expect(fixture.server.warnings).toEqual([])
    await fixture.close()
  })

  it(
    `D12 ${countOverHttp} of them, submitted over HTTP`,
    async () => {
      for (const { given, proven, mark } of generate(countOverHttp, [knownByPhone, knownByEmail])) {
        const { form, faults } = judgeInBrowser(given, proven)
        const applicant = proven === knownByPhone ? fixture.phoneApplicant : fixture.emailApplicant
        const verdict = await applicant.submit(form)
        expect(verdict, mark).toEqual(faults.length === 0 ? { kind: 'saved' } : { kind: 'refused', faults })
        judged.push({ form, faults })
      }
    },
    timeoutMs,
  )

  // One sign-in proves one contact, so these two do not come by HTTP: the handler's own function judges them.
  it(
    `PER14 ${count} of them, where sign-in proved both contacts or neither; what is stored is what was meant`,
    () => {
      for (const { given, proven, mark } of generate(count, [knownByNeither, knownByBoth])) {
        const { form, faults } = judgeInBrowser(given, proven)
        const checked = checkForm(readBody(form), { caller: proven, today })
        if (checked.kind === 'form') expect([[], checked.values], mark).toEqual([faults, normaliseForm(form)])
        else expect(checked.issues.map(toFault), mark).toEqual(faults)
        judged.push({ form, faults })
      }
    },
    timeoutMs,
  )

  it('were complete and faulty, in each branch of the form', () => {
    const complete = judged.filter(({ faults }) => faults.length === 0)
    expect(complete.length).toBeGreaterThan(judged.length * 0.05)
    expect(complete.length).toBeLessThan(judged.length * 0.7)
    for (const [name, isIn] of branches) {
      for (const taken of [true, false]) {
        const within = judged.filter(({ form }) => isIn(form) === taken)
        const whole = within.filter(({ faults }) => faults.length === 0)
        expect([name, taken, whole.length > 0, within.length > whole.length]).toEqual([
          name,
          taken,
          true,
          true,
        ])
      }
    }
  })

  it('had every fault that a form can have, and one in every field', () => {
    const faults = judged.flatMap(each => each.faults)
    expect([...new Set(faults.map(([, code]) => code))].toSorted()).toEqual(codesOfTheForm.toSorted())
    const faultless = fieldNames.filter(name => !faults.some(([field]) => field === name))
    expect(faultless).toEqual(['dateOfBirthUnknown', 'reprDateOfBirthUnknown'])
  })
})

/** The same forms each time, spread over the ways in which sign-in knows somebody. */
function* generate(most: number, known: readonly VerifiedContact[]) {
  const random = createRandom(seed)
  for (let index = 0; index < most; index += 1) {
    const given = generateForm(random)
    yield { given, proven: random.pick(known), mark: `form ${index} of FORM_SEED=${seed}` }
  }
}

/** As the form screen opens what was kept on the device, and finds what is wrong with it. */
function judgeInBrowser(storedForm: FormValues, verifiedContact: VerifiedContact): Judged {
  const form = startForm({ draft: readForm(storedForm), stored: undefined, verifiedContact })
  const issues = findIssues(form, { today, verified: verifiedFields(verifiedContact) })
  return { form, faults: issues.map(toFault) }
}

/** The bytes that the browser sends, read as the route reads them. */
function readBody(form: FormValues) {
  const sent = JSON.stringify({ ...toWire(normaliseForm(form)), additionalData: '', draft: false })
  const parsed: unknown = JSON.parse(Buffer.from(sent).toString())
  return SaveBody.parse(parsed)
}

function toFault({ field, code }: { field: FieldName; code: IssueCode }): Fault {
  return [field, code]
}

const branches: [string, (form: FormValues) => boolean][] = [
  ['born at home', form => isHome(form.placeOfBirth)],
  ['living at home', form => isHome(form.resAddressCountry)],
  ['a birth date that is unknown', form => form.dateOfBirthUnknown],
  ['another occupation', form => form.occupation === '33'],
  ['a phone at home', form => form.dialCode === '237'],
  ['with a card', form => hasNic(form.selectNic)],
  ['with an old card', form => form.selectNic === '3'],
  ['a first passport', form => previousPassport(form.reason) === 'none'],
  ['an additional passport', form => previousPassport(form.reason) === 'optional'],
  ['a representative', form => form.addReprData === 'YES'],
  ['a representative born at home', form => form.addReprData === 'YES' && isHome(form.reprPlaceOfBirth)],
  ['a representative with a card', form => form.addReprData === 'YES' && form.reprNicNumber !== ''],
  [
    'a representative of unknown birth date',
    form => form.addReprData === 'YES' && form.reprDateOfBirthUnknown,
  ],
  [
    'a representative of another occupation',
    form => form.addReprData === 'YES' && form.reprOccupation === '33',
  ],
]

const codesOfTheForm: IssueCode[] = [
  'required',
  'not-valid',
  'too-long-8',
  'too-long-12',
  'too-long-26',
  'too-long-50',
  'too-long-80',
  'too-long-100',
  'digits-only',
  'phone-home',
  'phone-international',
  'email-invalid',
  'expiry-before-issuance',
  'issuance-after-expiry',
  'expiry-past',
  'date-incomplete',
  'date-impossible',
  'date-not-numbers',
  'year-four-digits',
  'date-too-early',
  'date-in-future',
  'not-in-list',
]
