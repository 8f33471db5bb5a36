import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { tidyName } from '#contract/fields.ts'
import type { ApplicationId, ApplicationNumber } from '#contract/ids.ts'
import type { IssueCode } from '#contract/issues.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#portal/services.ts'
import { passGate } from '#portal/pass-gate.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { MethodChoice } from './method-choice.tsx'
import type { Offer } from './offered-methods.ts'
import { forgetPayKey, payKey } from './pay-intent.ts'
import { findIssues, noAnswers, type PaymentField } from './payment-answers.ts'
import { PayerFields } from './payer-fields.tsx'
import type { PaymentOutcome } from './payment-outcome.ts'
import { startPayment } from './start-payment.ts'

type PaymentFormProps = {
  params: { appId: ApplicationId; appNumber: ApplicationNumber }
  offer: Offer
}

export function PaymentForm({ params, offer }: PaymentFormProps) {
  const t = useText()
  const services = useServices()
  const { device, call, notices, queryClient } = services
  const navigate = useNavigate()
  const [answers, setAnswers] = useState(noAnswers)
  const [touched, setTouched] = useState<readonly PaymentField[]>([])
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const method = offer.kind === 'choice' ? offer.methods.find(({ type }) => type === answers.type) : undefined
  const issues = offer.kind === 'choice' ? findIssues(answers) : []

  function answer(next: Partial<typeof answers>) {
    setAnswers({ ...answers, ...next })
  }

  function leave(field: PaymentField) {
    setTouched([...touched, field])
    if (field === 'name') answer({ name: tidyName(answers.name) })
  }

  function issueOf(field: PaymentField): IssueCode | undefined {
    if (!tried && !touched.includes(field)) return undefined
    return issues.find(issue => issue.field === field)?.code
  }

  async function pay() {
    setTried(true)
    if (issues[0]) return focusOn(issues[0].field)
    setBusy(true)
    if (!(await passGate(services, params.appId))) return setBusy(false)
    const type = offer.kind === 'whitelist' ? 'WHITELIST' : answers.type
    if (type !== '') await follow(await start(type))
    setBusy(false)
  }

  async function start(type: Parameters<typeof startPayment>[1]['type']): Promise<PaymentOutcome> {
    const { appId, appNumber } = params
    const returnUrl = `${location.origin}/payment/${appId}/${appNumber}`
    const wish = { type, answers, applicationId: appId, returnUrl }
    const outcome = await startPayment(call, wish, payKey(device, appId, wish))
    if (outcome.kind !== 'announced') forgetPayKey(device, appId)
    return outcome
  }

  async function follow(outcome: PaymentOutcome) {
    switch (outcome.kind) {
      case 'announced':
        return undefined
      case 'refused':
        return notices.raise('warning', { key: outcome.words })
      case 'paid-before':
        await queryClient.invalidateQueries({ queryKey: ['applications'] })
        return navigate({ to: '/appointment/$appId/$appNumber', params })
      case 'card':
        return navigate({ to: '/cardPayment', state: { cardPayment: { ...outcome.card, ...params } } })
      case 'enter-code':
        return navigate({
          to: '/payOtp/$appId/$appNumber/$paymentId',
          params: { ...params, paymentId: outcome.paymentId },
        })
      case 'follow':
        if (outcome.confirmInApp) notices.raise('success', { key: 'notice.confirmInApp' })
        return navigate({
          to: '/payResult/$appId/$appNumber/$paymentId',
          params: { ...params, paymentId: outcome.paymentId },
        })
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!busy) void pay()
  }

  return (
    <form method="post" noValidate onSubmit={submit}>
      {offer.kind === 'whitelist' && <Panel tone="success">{t('payment.whitelist')}</Panel>}
      {offer.kind === 'none' && <Panel tone="warning">{t('payment.noMethods')}</Panel>}
      {offer.kind === 'choice' && (
        <MethodChoice
          methods={offer.methods}
          chosen={answers.type}
          issue={issueOf('type')}
          onChoose={type => {
            answer({ type })
            setTried(false)
            setTouched([])
          }}
        />
      )}
      {method && (
        <PayerFields method={method} answers={answers} issueOf={issueOf} onAnswer={answer} onLeave={leave} />
      )}
      <ButtonRow>
        {offer.kind !== 'none' && (
          <Button type="submit" busy={busy} busyLabel={t('button.busy')}>
            {t(offer.kind === 'whitelist' ? 'button.continue' : 'button.pay')}
          </Button>
        )}
        <Button variant="secondary" onClick={() => void navigate({ to: '/procedure' })}>
          {t('button.cancel')}
        </Button>
      </ButtonRow>
    </form>
  )
}

/** A field's id is its name; of a group of tiles the first is focused. */
function focusOn(field: PaymentField): void {
  const place = document.getElementById(field)
  const control = place?.matches('input, select') ? place : place?.querySelector<HTMLElement>('input')
  control?.focus()
}
