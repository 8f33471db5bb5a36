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

describe('the server judges a submitted form as the schema does', () => {
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

/** Sign-in proves one contact and the form asks for the other: whoever is asked for what the case is about. */
function applicantFor(fixture: FormFixture, each: FormCase): FormApplicant {
  return 'email' in each.change ? fixture.phoneApplicant : fixture.emailApplicant
}

async function readBack(applicant: FormApplicant): Promise<Partial<FormValues>> {
  return askedOf(applicant, fromWire(await applicant.read()))
}

/** The answers of the form that are the applicant's own, not those of sign-in. */
function askedOf({ verified }: FormApplicant, given: Record<string, unknown>): Partial<FormValues> {
  const known: FieldName[] = verified.phoneNumber ? ['dialCode', 'phoneNumber'] : ['email']
  const asked = fieldNames.filter(field => !known.includes(field))
  return Object.fromEntries(asked.map(field => [field, given[field]]))
}
