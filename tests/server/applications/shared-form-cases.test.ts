import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  fieldNames,
  type FieldName,
  type FormValues,
  fromWire,
  normaliseForm,
} from '#contract/application.ts'
import { unlistedCases } from '#support/data/form-cases/choice-cases.ts'
import { type FormCase, formOf, named } from '#support/data/form-cases/form-case.ts'
import { formCases } from '#support/data/form-cases/form-cases.ts'
import { type FormApplicant, type FormFixture, openFormFixture } from '#support/fixtures/form-fixture.ts'

describe('the server applies the schema to a submitted form', () => {
  let fixture: FormFixture

  beforeAll(async () => {
    fixture = await openFormFixture()
  })
  afterAll(async () => {
    expect(fixture.server.warnings).toEqual([])
    await fixture.close()
  })

  it.each([...formCases, ...unlistedCases].map(named))('%s', async (_, each) => {
    const applicant = applicantFor(fixture, each)
    const verdict = await applicant.submit(formOf(each))
    if (verdict.kind === 'refused') return expect(Object.fromEntries(verdict.faults)).toEqual(each.faults)
    expect(each.faults).toEqual({})
    expect(verdict).toEqual({ kind: 'saved' })
    return expect(await readBack(applicant)).toEqual(askedOf(applicant, normaliseForm(formOf(each))))
  })
})

/** Chooses the applicant whose form asks for the contact of the case: sign-in verified the other one. */
function applicantFor(fixture: FormFixture, each: FormCase): FormApplicant {
  return 'email' in each.change ? fixture.phoneApplicant : fixture.emailApplicant
}

async function readBack(applicant: FormApplicant): Promise<Partial<FormValues>> {
  return askedOf(applicant, fromWire(await applicant.read()))
}

/** The answers of the form without the verified contact. */
function askedOf({ verified }: FormApplicant, given: Record<string, unknown>): Partial<FormValues> {
  const known: FieldName[] = verified.phoneNumber ? ['dialCode', 'phoneNumber'] : ['email']
  const asked = fieldNames.filter(field => !known.includes(field))
  return Object.fromEntries(asked.map(field => [field, given[field]]))
}
