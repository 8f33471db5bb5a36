import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fieldNames, type FieldName, type FormValues, fromWire, tidyForm } from '#contract/application.ts'
import { unlistedCases } from '#support/form-cases/choice-cases.ts'
import { type FormCase, formOf, named } from '#support/form-cases/form-case.ts'
import { formCases } from '#support/form-cases/form-cases.ts'
import { type FormApplicant, type FormDesk, openFormDesk } from '#support/form-desk.ts'

describe('the server judges a submitted form as the schema does', () => {
  let desk: FormDesk

  beforeAll(async () => {
    desk = await openFormDesk()
  })
  afterAll(async () => {
    expect(desk.server.complaints).toEqual([])
    await desk.close()
  })

  it.each([...formCases, ...unlistedCases].map(named))('%s', async (_, each) => {
    const applicant = applicantFor(desk, each)
    const verdict = await applicant.submit(formOf(each))
    if (verdict.kind === 'refused') return expect(Object.fromEntries(verdict.faults)).toEqual(each.faults)
    expect(each.faults).toEqual({})
    expect(verdict).toEqual({ kind: 'saved' })
    return expect(await readBack(applicant)).toEqual(askedOf(applicant, tidyForm(formOf(each))))
  })
})

/** Sign-in proves one contact and the form asks for the other: whoever is asked for what the case is about. */
function applicantFor(desk: FormDesk, each: FormCase): FormApplicant {
  return 'email' in each.change ? desk.knownByPhone : desk.knownByEmail
}

async function readBack(applicant: FormApplicant): Promise<Partial<FormValues>> {
  return askedOf(applicant, fromWire(await applicant.read()))
}

/** The answers of the form that are the applicant's own, not those of sign-in. */
function askedOf({ locked }: FormApplicant, given: Record<string, unknown>): Partial<FormValues> {
  const known: FieldName[] = locked.phoneNumber ? ['dialCode', 'phoneNumber'] : ['email']
  const asked = fieldNames.filter(field => !known.includes(field))
  return Object.fromEntries(asked.map(field => [field, given[field]]))
}
