import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findIssues, fieldNames, readForm } from '#contract/application.ts'
import type { Limit } from '#contract/issues.ts'
import { normaliseName } from '#contract/fields.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { type DifficultText, difficultTexts, formsOfCore } from '#support/data/difficult-texts.ts'
import { isFullRun } from '#support/test-tier.ts'
import { today } from '#support/data/form-cases/form-case.ts'
import { type FormFixture, openFormFixture } from '#support/fixtures/form-fixture.ts'

/** Length limit and treatment of blanks of each text field, copied from the specification, not from the code. */
const fields: Record<string, { limit: Limit; blanks: 'kept' | 'collapsed' | 'trimmed' }> = {
  travelDestination: { limit: 100, blanks: 'kept' },
  reasonForTravel: { limit: 100, blanks: 'kept' },
  languagePref: { limit: 26, blanks: 'kept' },
  givenName: { limit: 100, blanks: 'collapsed' },
  surname: { limit: 100, blanks: 'collapsed' },
  dayOfBirth: { limit: 8, blanks: 'kept' },
  monthOfBirth: { limit: 8, blanks: 'kept' },
  yearOfBirth: { limit: 8, blanks: 'kept' },
  email: { limit: 50, blanks: 'trimmed' },
  otherOccupation: { limit: 26, blanks: 'kept' },
  city: { limit: 26, blanks: 'kept' },
  resAddressCity: { limit: 26, blanks: 'kept' },
  resAddressStreet: { limit: 80, blanks: 'kept' },
  motherGivenName: { limit: 100, blanks: 'collapsed' },
  motherSurname: { limit: 100, blanks: 'collapsed' },
  fatherGivenName: { limit: 100, blanks: 'collapsed' },
  fatherSurname: { limit: 100, blanks: 'collapsed' },
  reprGivenName: { limit: 100, blanks: 'collapsed' },
  reprSurname: { limit: 100, blanks: 'collapsed' },
  reprDayOfBirth: { limit: 8, blanks: 'kept' },
  reprMonthOfBirth: { limit: 8, blanks: 'kept' },
  reprYearOfBirth: { limit: 8, blanks: 'kept' },
  reprOtherOccupation: { limit: 26, blanks: 'kept' },
  reprNicNumber: { limit: 50, blanks: 'kept' },
  reprNicDateOfIssuance: { limit: 50, blanks: 'kept' },
  reprNicDateOfExpiry: { limit: 50, blanks: 'kept' },
  reprNicPlaceOfIssuance: { limit: 100, blanks: 'kept' },
  reprCity: { limit: 26, blanks: 'kept' },
  nicNumber: { limit: 50, blanks: 'kept' },
  nicPlaceOfIssuance: { limit: 100, blanks: 'kept' },
  nicDateOfIssuance: { limit: 50, blanks: 'kept' },
  nicDateOfExpiry: { limit: 50, blanks: 'kept' },
  eppNumber: { limit: 12, blanks: 'kept' },
  eppDateOfIssuance: { limit: 50, blanks: 'kept' },
}

const textFields = fieldNames.filter(name => name in fields)
/** The fields with a choice, a check box or digits. */
const otherFields = fieldNames.filter(name => !(name in fields))

describe.each(['pglite', 'postgresql'] as const)('a difficult text on %s', database => {
  let fixture: FormFixture
  const texts = isFullRun ? difficultTexts : sampleTexts(database)

  beforeAll(async () => {
    fixture = await openFormFixture(database)
  })
  afterAll(async () => {
    expect(fixture.server.warnings).toEqual([])
    await fixture.close()
  })

  it(`is read back as its field stores it, or refused with the name of its field: ${texts.length} in each field (LIM01, D12)`, async () => {
    expect(difficultTexts.length).toBeGreaterThanOrEqual(500)
    for (const { name, write } of texts) {
      const sent = Object.fromEntries(textFields.map(field => [field, write(limitOf(field))]))
      const faults = textFields.flatMap(field => faultOf(field, sent[field] ?? ''))
      const verdict = await fixture.phoneApplicant.send({ ...sent, draft: true })
      if (faults.length === 0) expect(verdict, name).toEqual({ kind: 'saved' })
      else expect(verdict, name).toEqual({ kind: 'refused', faults })

      const fitting = textFields.filter(field => !faults.some(([faulty]) => faulty === field))
      const fits = Object.fromEntries(fitting.map(field => [field, sent[field] ?? '']))
      expect(await fixture.phoneApplicant.send({ ...fits, draft: true }), name).toEqual({ kind: 'saved' })
      const stored = await fixture.phoneApplicant.read()
      for (const field of fitting)
        expect([name, field, stored[field]]).toEqual([name, field, storedText(field, fits[field])])
    }
  })

  it('is read back from additionalData, or refused there (S43)', async () => {
    for (const { name, write } of texts) {
      const written = write(100)
      const additionalData = storedText('additionalData', written)
      const verdict = await fixture.phoneApplicant.send({ additionalData: written, draft: true })
      const code = faultCode(additionalData, 100)
      if (code) expect(verdict, name).toEqual({ kind: 'refused', faults: [['additionalData', code]] })
      else
        expect([name, (await fixture.phoneApplicant.read())['additionalData']]).toEqual([
          name,
          additionalData,
        ])
    }
  })

  // In the next two tests the server refuses each text before it reaches the database.
  const isEngineOfTheRefused = isFullRun || database === 'postgresql'

  it.runIf(isEngineOfTheRefused)(
    'is refused in fields with a choice, a check box or a phone number',
    async () => {
      for (const { name, write } of texts.filter(each => !/^[\w-]*$/.test(each.write(40)))) {
        const sent = Object.fromEntries(otherFields.map(field => [field, write(40)]))
        const verdict = await fixture.emailApplicant.send({ ...sent, draft: true })
        const codes = verdict.kind === 'refused' ? verdict.faults.map(([, code]) => code) : [verdict.kind]
        expect([name, ...new Set(codes)].toSorted(), name).toEqual(
          expect.arrayContaining([name, 'not-in-list', 'not-valid']),
        )
        expect(
          codes.filter(code => !['not-in-list', 'not-valid', 'digits-only'].includes(code)),
          name,
        ).toEqual([])
      }
    },
  )

  it.runIf(isEngineOfTheRefused)(
    'gets the same errors from the server and the browser in a submitted form',
    async () => {
      for (const { name, write } of texts) {
        const written = Object.fromEntries(textFields.map(field => [field, write(limitOf(field))]))
        const form = readForm({ ...minorWithRepresentative, ...written })
        const issues = findIssues(form, { today, verified: fixture.phoneApplicant.verified })
        const faults = issues.map(({ field, code }) => [field, code])
        expect(faults.length, name).toBeGreaterThan(0) // no such text is a date of birth
        expect(await fixture.phoneApplicant.submit(form), name).toEqual({ kind: 'refused', faults })
      }
    },
  )
})

/** Covers every core and every variant, but not every pair: each core as it is on PGlite, and in one variant on PostgreSQL. */
function sampleTexts(database: 'pglite' | 'postgresql'): DifficultText[] {
  return difficultTexts.filter((_, index) => {
    const [core, variant] = [Math.floor(index / formsOfCore), index % formsOfCore]
    return variant === (database === 'pglite' ? 0 : core % formsOfCore)
  })
}

function limitOf(field: string): Limit {
  return fields[field]?.limit ?? 100
}

function faultOf(field: string, text: string): [string, string][] {
  const code = faultCode(storedText(field, text), limitOf(field))
  return code === undefined ? [] : [[field, code]]
}

/** Too long, or a lone surrogate or a null character, which UTF-8 and jsonb cannot contain. */
function faultCode(text: string, limit: Limit): string | undefined {
  if (Array.from(text).length > limit) return `too-long-${limit}`
  const isStorable = Buffer.from(text).toString() === text && !text.includes('\0')
  return isStorable ? undefined : 'not-valid'
}

/**
 * Names lose invisible characters, and their blanks are collapsed (`names.test.ts`); an e-mail address loses the blanks
 * around it (PER03, S75). All fields lose the characters that embed, override or isolate the direction of a text;
 * nothing else changes.
 */
function storedText(field: string, written = ''): string {
  const text = written.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
  const blanks = fields[field]?.blanks
  if (blanks === 'collapsed') return normaliseName(text)
  return blanks === 'trimmed' ? text.trim() : text
}
