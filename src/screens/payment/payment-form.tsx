import { useNavigate } from '@tanstack/react-router'
import type { FormEvent, ReactNode } from 'react'
import { normaliseName } from '#contract/fields.ts'
import type { ApplicationParams } from '#contract/ids.ts'
import { type MessageKey, useText } from '#i18n/intl.ts'
import { useAutoCompleteOfDevice } from '#app/services.ts'
import { Button, ButtonRow, type ButtonVariant } from '#ui/button.tsx'
import { keepFocus } from '#ui/keep-focus.ts'
import { Panel } from '#ui/panel.tsx'
import { Cooldown } from './cooldown.tsx'
import { MethodChoice } from './method-choice.tsx'
import type { Offer } from './offered-methods.ts'
import { hasFields, PayerFields } from './payer-fields.tsx'
import type { PaymentField } from './payment-answers.ts'
import { type PayRefusal, usePay } from './use-pay.ts'
import { useFirstAnswers } from './use-first-answers.ts'
import { usePaymentAnswers } from './use-payment-answers.ts'

type PaymentFormProps = {
  params: ApplicationParams
  offer: Offer
  /** The page has a main button for the open payment, so Pay is not the main button. */
  hasOpenPayment: boolean
}

export function PaymentForm({ params, offer, hasOpenPayment }: PaymentFormProps) {
  const t = useText()
  const navigate = useNavigate()
  const autoComplete = useAutoCompleteOfDevice()
  const { answers, firstIssue, issueOf, answer, leave, chooseMethod, showAllIssues } = usePaymentAnswers(
    offer,
    useFirstAnswers(params.appId, offer),
  )
  const { busy, cooldown, refusal, clear, clearRefusal, pay } = usePay(params)
  const method =
    offer.kind === 'methods' ? offer.methods.find(({ type }) => type === answers.type) : undefined

  function submit(event: FormEvent) {
    event.preventDefault()
    if (busy) return
    showAllIssues()
    // Normalised as when the applicant leaves the field: a retry of the same request must have the same key.
    const request = { ...answers, name: normaliseName(answers.name) }
    if (firstIssue) focusOn(firstIssue.field)
    else void pay(offer.kind === 'whitelist' ? 'WHITELIST' : answers.type, request)
  }

  return (
    <form method="post" noValidate autoComplete={autoComplete} onSubmit={submit}>
      {offer.kind === 'whitelist' && <Panel tone="success">{t('payment.whitelist')}</Panel>}
      {offer.kind === 'none' && <Panel tone="warning">{t('payment.noMethods')}</Panel>}
      {offer.kind === 'methods' && (
        <MethodChoice
          methods={offer.methods}
          chosen={answers.type}
          issue={issueOf('type')}
          onChoose={type => (chooseMethod(type), clear())}
        >
          {method && hasFields(method) && (
            <PayerFields
              {...{ method, answers, issueOf, onLeave: leave }}
              onAnswer={next => (answer(next), clearRefusal())}
            />
          )}
        </MethodChoice>
      )}
      {cooldown && <Cooldown countdown={cooldown} />}
      {refusal && <Refused refusal={refusal} />}
      <ButtonRow>
        {offer.kind !== 'none' && (
          <PayButton variant={hasOpenPayment ? 'secondary' : 'primary'} busy={busy}>
            {t(offer.kind === 'whitelist' ? 'button.continue' : 'button.pay')}
          </PayButton>
        )}
        <Button
          variant="secondary"
          onMouseDown={keepFocus}
          onClick={() => void navigate({ to: '/procedure' })}
        >
          {t('button.cancel')}
        </Button>
      </ButtonRow>
    </form>
  )
}

type PayButtonProps = { variant: ButtonVariant; busy: boolean; children: ReactNode }

/**
 * `keepFocus` leaves the focus in the field until the click. Then the focus moves to this button, and the blur handlers
 * of the field run.
 */
function PayButton({ variant, busy, children }: PayButtonProps) {
  const t = useText()
  return (
    <Button
      type="submit"
      variant={variant}
      busy={busy}
      busyLabel={t('button.busy')}
      onMouseDown={keepFocus}
      onClick={({ currentTarget }) => currentTarget.focus()}
    >
      {children}
    </Button>
  )
}

/**
 * Shows the refusal beside Pay, because the notice with the same text disappears. Screen readers announce that notice,
 * so they do not announce this panel.
 */
function Refused({ refusal: { messageKey, values } }: { refusal: PayRefusal }) {
  const t = useText()
  const next = nextKeys[messageKey]
  return (
    <Panel tone="danger" heading={t(messageKey, values)}>
      {next && t(next)}
    </Panel>
  )
}

/** What to do after these refusals; the text of every other refusal says it. */
const nextKeys: Partial<Record<MessageKey, MessageKey>> = {
  'notice.orderNotCreated': 'payment.refusedNext',
  'notice.payerName': 'payment.refusedNext',
  'notice.serviceUnavailable': 'payment.unavailableNext',
}

/** The id of a field is its name. In a group of tiles, the first tile gets the focus. */
function focusOn(field: PaymentField): void {
  const container = document.getElementById(field)
  const control = container?.matches('input, select') ? container : container?.querySelector('input')
  control?.focus()
}
