import { useState } from 'react'
import { normaliseName } from '#contract/fields.ts'
import type { IssueCode } from '#contract/issues.ts'
import type { Offer, PayableType } from './offered-methods.ts'
import { findIssues, type PaymentAnswers, type PaymentField } from './payment-answers.ts'

/** The answers of the payment form, and the issues that the form shows. */
export function usePaymentAnswers(offer: Offer, first: PaymentAnswers) {
  const [answers, setAnswers] = useState(first)
  const [touched, setTouched] = useState<readonly PaymentField[]>([])
  const [showsAll, setShowsAll] = useState(false)
  const issues = offer.kind === 'methods' ? findIssues(answers) : []

  function answer(next: Partial<typeof answers>) {
    setAnswers({ ...answers, ...next })
  }

  function leave(field: PaymentField) {
    setTouched([...touched, field])
    if (field === 'name') answer({ name: normaliseName(answers.name) })
  }

  /** Hides the issues again, because another method has other fields. */
  function chooseMethod(type: PayableType) {
    answer({ type })
    setShowsAll(false)
    setTouched([])
  }

  /** Returns the issue of a field after the applicant left the field or pressed Pay; undefined before that. */
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
