import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  fieldNames,
  type FieldName,
  type FormValues,
  fromWire,
  normaliseForm,
} from '#contract/application.ts'
import { unlistedIdCases } from '#support/data/form-cases/choice-cases.ts'
import { type FormCase, formOf, titled } from '#support/data/form-cases/form-case.ts'
import { formCases } from '#support/data/form-cases/form-cases.ts'
import { type FormApplicant, type FormFixture, openFormFixture } from '#support/fixtures/form-fixture.ts'

// The same cases run against the rules in tests/contract/form-rules.test.ts.
describe('the server checks a submitted form, and stores it when it is valid', () => {
  let fixture: FormFixture

  beforeAll(async () => {
    fixture = await openFormFixture()
  })
  afterAll(async () => {
    expect(fixture.server.warnings).toEqual([])
    await fixture.close()
  })

  it.each([...formCases, ...unlistedIdCases].map(titled))('%s', async (_, formCase) => {
    const applicant = applicantFor(fixture, formCase)
    const verdict = await applicant.submit(formOf(formCase))
    if (verdict.kind === 'refused') return expect(Object.fromEntries(verdict.faults)).toEqual(formCase.faults)
    expect(formCase.faults).toEqual({})
    expect(verdict).toEqual({ kind: 'saved' })
    return expect(await readBack(applicant)).toEqual(
      withoutVerified(applicant, normaliseForm(formOf(formCase))),
    )
  })
})

/** Chooses the applicant whose form asks for the contact that the case changes, because the other contact is verified. */
function applicantFor(fixture: FormFixture, formCase: FormCase): FormApplicant {
  return 'email' in formCase.change ? fixture.phoneApplicant : fixture.emailApplicant
}

async function readBack(applicant: FormApplicant): Promise<Partial<FormValues>> {
  return withoutVerified(applicant, fromWire(await applicant.read()))
}

/** Returns the answers without the verified contact, for which the form does not ask. */
function withoutVerified({ verified }: FormApplicant, answers: Record<string, unknown>): Partial<FormValues> {
  const verifiedFields: FieldName[] = verified.phoneNumber ? ['dialCode', 'phoneNumber'] : ['email']
  const typedFields = fieldNames.filter(field => !verifiedFields.includes(field))
  return Object.fromEntries(typedFields.map(field => [field, answers[field]]))
}
