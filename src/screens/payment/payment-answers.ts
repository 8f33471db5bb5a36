import { homeDialCode } from '#contract/codes.ts'
import type { Issue } from '#contract/issues.ts'
import { aggregatorIssues, codeKind, isMobileMoneyNumber } from '#contract/payer-input.ts'
import { normaliseName } from '#contract/fields.ts'
import { normaliseSubscriber, toMsisdn } from '#contract/phone.ts'
import type { PayableType } from './offered-methods.ts'

/** The answers so far, by the names of the controls. */
export type PaymentAnswers = {
  type: PayableType | ''
  dialCode: string
  phone: string
  paymentMethod: string
  name: string
  otp: string
}
export type PaymentField = keyof PaymentAnswers

export const noAnswers: PaymentAnswers = {
  type: '',
  dialCode: homeDialCode,
  phone: '',
  paymentMethod: '',
  name: '',
  otp: '',
}

/** Returns the issues in the order of the form (PAY07, PAY09, PAY12–PAY16). */
export function findIssues(answers: PaymentAnswers): Issue<PaymentField>[] {
  const { type, phone } = answers
  if (type === '') return [{ field: 'type', code: 'method-needed' }]
  if (type === 'MOBILE') return isMobileMoneyNumber(phone) ? [] : [{ field: 'phone', code: 'not-valid' }]
  return type === 'AGGREGATOR' ? aggregatorIssues({ ...answers, phone: subscriberOf(answers) }) : []
}

/** Returns digits only, country code first (PAY10, S42). */
export function payerNumber(answers: PaymentAnswers): string {
  return toMsisdn(answers.dialCode, subscriberOf(answers))
}

/** Returns the body of an aggregator payment. The code is empty when the chosen operator asks for none (PAY15, S38). */
export function aggregatorBody(answers: PaymentAnswers, applicationId: string) {
  return {
    phone: payerNumber(answers),
    paymentMethod: answers.paymentMethod,
    name: normaliseName(answers.name),
    otp: codeKind(answers.paymentMethod) === 'none' ? '' : answers.otp,
    id: applicationId,
  }
}

function subscriberOf({ dialCode, phone }: PaymentAnswers): string {
  return normaliseSubscriber(dialCode, phone).replace(/\D/g, '')
}
