import { describe, expect, it } from 'vitest'
import { completeApplication, findIssues, readForm } from '#contract/application.ts'
import { unlistedCases } from '#support/data/form-cases/choice-cases.ts'
import { type FormCase, formOf, named, today } from '#support/data/form-cases/form-case.ts'
import { formCases } from '#support/data/form-cases/form-cases.ts'

const context = { today, verified: { phoneNumber: false, email: false } }

describe('a rule of the form', () => {
  it.each(formCases.map(named))('%s', (_, each) => {
    expect(faultsOf(each)).toEqual(each.faults)
    const complete = completeApplication(context).safeParse(formOf(each)).success
    expect(complete).toBe(Object.keys(each.faults).length === 0)
  })

  it.each(unlistedCases.map(named))('%s, which only the server knows', (_, each) => {
    expect(faultsOf(each)).toEqual({})
  })

  it('is shown once under each name', () => {
    const names = formCases.map(each => named(each)[0])
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })
})

/** As the browser sees it: read out of what was kept, then judged. */
function faultsOf(each: FormCase) {
  return Object.fromEntries(
    findIssues(readForm(formOf(each)), context).map(({ field, code }) => [field, code]),
  )
}
