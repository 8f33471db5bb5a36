import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { normaliseName } from '#contract/fields.ts'
import type { ApplicationId, ApplicationNumber, PaymentId } from '#contract/ids.ts'
import type { IssueCode } from '#contract/issues.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { requireSynced } from '#app/require-synced.ts'
import { type Countdown, startCountdown } from '#sign-in/countdown.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { applicantOf } from './card-payment.ts'
import { Cooldown } from './cooldown.tsx'
import { MethodChoice } from './method-choice.tsx'
import type { Offer } from './offered-methods.ts'
import { forgetPaymentKey, paymentKey } from './payment-key.ts'
import { findIssues, noAnswers, type PaymentField } from './payment-answers.ts'
import { PayerFields } from './payer-fields.tsx'
import type { PaymentOutcome } from './payment-outcome.ts'
import { type PaymentRequest, startPayment } from './start-payment.ts'

type PaymentFormProps = {
  params: { appId: ApplicationId; appNumber: ApplicationNumber }
  offer: Offer
}

export function PaymentForm({ params, offer }: PaymentFormProps) {
  const t = useText()
  const services = useServices()
  const { device, call, notices, queryClient, serverInfo } = services
  const navigate = useNavigate()
  const [answers, setAnswers] = useState(noAnswers)
  const [touched, setTouched] = useState<readonly PaymentField[]>([])
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const [cooldown, setCooldown] = useState<Countdown>()
  const method = offer.kind === 'choice' ? offer.methods.find(({ type }) => type === answers.type) : undefined
  const issues = offer.kind === 'choice' ? findIssues(answers) : []

  function answer(next: Partial<typeof answers>) {
    setAnswers({ ...answers, ...next })
  }

  function leave(field: PaymentField) {
    setTouched([...touched, field])
    if (field === 'name') answer({ name: normaliseName(answers.name) })
  }

  function issueOf(field: PaymentField): IssueCode | undefined {
    if (!tried && !touched.includes(field)) return undefined
    return issues.find(issue => issue.field === field)?.code
  }

  async function pay() {
    setTried(true)
    if (issues[0]) return focusOn(issues[0].field)
    setBusy(true)
    setCooldown(undefined)
    try {
      if (!(await requireSynced(services, params.appId))) return
      const type = offer.kind === 'whitelist' ? 'WHITELIST' : answers.type
      if (type !== '') await follow(await start(type))
    } finally {
      setBusy(false)
    }
  }

  async function start(type: PaymentRequest['type']): Promise<PaymentOutcome> {
    const { appId, appNumber } = params
    const returnUrl = device.urlOf(`/payment/${appId}/${appNumber}`)
    const request = { type, answers, applicationId: appId, returnUrl }
    const places = { gateways: await listGateways(), own: [new URL(returnUrl).origin] }
    const outcome = await startPayment(call, { request, key: paymentKey(device, appId, request), places })
    if (outcome.kind !== 'announced') forgetPaymentKey(device, appId)
    return outcome
  }

  async function listGateways(): Promise<readonly string[]> {
    // Without an answer there is none, and the server shows the card page itself.
    return (await serverInfo.readFresh())?.cardGateways ?? []
  }

  async function follow(outcome: PaymentOutcome) {
    switch (outcome.kind) {
      case 'announced':
        return undefined
      case 'refused':
        return notices.raise('warning', { key: outcome.words })
      case 'too-soon':
        return setCooldown(startCountdown(device.now(), outcome.seconds))
      case 'paid-before':
        await queryClient.invalidateQueries({ queryKey: ['applications'] })
        return navigate({ to: '/appointment/$appId/$appNumber', params })
      case 'card': {
        const { card, paymentId } = outcome
        const applicantId = applicantOf(services.session)
        return navigate({
          to: '/cardPayment',
          state: { cardPayment: { ...card, ...params, paymentId, applicantId, visit: device.randomId() } },
        })
      }
      case 'leave':
        return device.navigateTo(outcome.page)
      case 'enter-code':
        return navigate({
          to: '/payOtp/$appId/$appNumber/$paymentId',
          params: { ...params, paymentId: outcome.paymentId },
        })
      case 'paying-already':
        notices.raise('info', { key: 'notice.payingAlready' })
        return showResult(outcome.paymentId)
      case 'follow':
        if (outcome.confirmInApp) notices.raise('success', { key: 'notice.confirmInApp' })
        return showResult(outcome.paymentId)
    }
  }

  function showResult(paymentId: PaymentId) {
    return navigate({ to: '/payResult/$appId/$appNumber/$paymentId', params: { ...params, paymentId } })
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
            setCooldown(undefined)
            setTouched([])
          }}
        />
      )}
      {method && (
        <div key={method.type} ref={scrollIntoView}>
          <PayerFields
            method={method}
            answers={answers}
            issueOf={issueOf}
            onAnswer={answer}
            onLeave={leave}
          />
        </div>
      )}
      {cooldown && <Cooldown countdown={cooldown} />}
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

/** What a method asks for comes up under the tiles, out of sight on a phone. */
function scrollIntoView(fields: HTMLElement | null): void {
  fields?.scrollIntoView({ block: 'nearest' })
}
