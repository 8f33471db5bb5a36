import { useState } from 'react'
import { normaliseName } from '#contract/fields.ts'
import type { IssueCode } from '#contract/issues.ts'
import type { Offer, PayableType } from './offered-methods.ts'
import { findIssues, type PaymentAnswers, type PaymentField } from './payment-answers.ts'

/** What the applicant has entered in the payment form, and the issues that the form shows. `first`: the initial answers. */
export function usePaymentAnswers(offer: Offer, first: PaymentAnswers) {
  const [answers, setAnswers] = useState(first)
  const [touched, setTouched] = useState<readonly PaymentField[]>([])
  const [showsAll, setShowsAll] = useState(false)
  const issues = offer.kind === 'methods' ? findIssues(answers) : []

  function answer(next: Partial<typeof answers>) {
    setAnswers({ ...answers, ...next })
  }

  /** The applicant has left this field. */
  function leave(field: PaymentField) {
    setTouched([...touched, field])
    if (field === 'name') answer({ name: normaliseName(answers.name) })
  }

  /** Selects a method, and hides the issues again, because another method has other fields. */
  function chooseMethod(type: PayableType) {
    answer({ type })
    setShowsAll(false)
    setTouched([])
  }

  /**
   * Returns the issue of a field; undefined without an issue, and until the applicant has left the field or the form has
   * called `showAllIssues`.
   */
  function issueOf(field: PaymentField): IssueCode | undefined {
    if (!showsAll && !touched.includes(field)) return undefined
    return issues.find(issue => issue.field === field)?.code
  }

  return {
    answers,
    firstIssue: issues[0],
    issueOf,
    answer,
    leave,
    chooseMethod,
    showAllIssues: () => setShowsAll(true),
  }
}
