import { describe, expect, it } from 'vitest'
import { completeApplication, findIssues, readForm } from '#contract/application.ts'
import { unlistedIdCases } from '#support/data/form-cases/choice-cases.ts'
import { type FormCase, formOf, titled, today } from '#support/data/form-cases/form-case.ts'
import { formCases } from '#support/data/form-cases/form-cases.ts'

const context = { today, verified: { phoneNumber: false, email: false } }

describe('a rule of the form', () => {
  it.each(formCases.map(titled))('%s', (_, each) => {
    expect(faultsOf(each)).toEqual(each.faults)
    const complete = completeApplication(context).safeParse(formOf(each)).success
    expect(complete).toBe(Object.keys(each.faults).length === 0)
  })

  it.each(unlistedIdCases.map(titled))(
    '%s: the browser finds no issue, because only the server has all dictionaries',
    (_, each) => {
      expect(faultsOf(each)).toEqual({})
    },
  )
})

describe('the list of cases', () => {
  it('has no title twice', () => {
    const titles = formCases.map(each => titled(each)[0])
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
  })
})

/** The issues that the browser finds in a saved form. */
function faultsOf(each: FormCase) {
  return Object.fromEntries(
    findIssues(readForm(formOf(each)), context).map(({ field, code }) => [field, code]),
  )
}
