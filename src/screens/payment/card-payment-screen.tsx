import { Navigate, useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useIntl } from 'react-intl'
import { cardFormDelay, type Language } from '#contract/codes.ts'
import type { cardFields } from '#contract/payment.ts'
import type { ApplicationId, ApplicationNumber } from '#contract/ids.ts'
import { formatAmount } from '#i18n/format.ts'
import { useText } from '#i18n/intl.ts'
import { toLanguage } from '#i18n/language.ts'
import { useServices } from '#portal/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Loader } from '#ui/loader.tsx'
import { Page } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import type { CardTarget } from './card-page.ts'

type CardField = (typeof cardFields)[number]

/** What the payment screen hands over; it never stands in an address. */
export type CardPayment = CardTarget & { appId: ApplicationId; appNumber: ApplicationNumber }

declare module '@tanstack/react-router' {
  interface HistoryState {
    cardPayment?: CardPayment
  }
}

/** On the way to the card page; opened without a payment there is nothing to do here (S12). */
export function CardPaymentScreen() {
  const payment = useLocation({ select: location => location.state.cardPayment })
  if (payment === undefined) return <Navigate to="/procedure" replace />
  return <Leaving payment={payment} />
}

/** Says where it leads and for how much, and goes there by itself (PAY20) unless it is called off. */
function Leaving({ payment }: { payment: CardPayment }) {
  const t = useText()
  const language = toLanguage(useIntl().locale)
  const { device } = useServices()
  const navigate = useNavigate()
  const form = useRef<HTMLFormElement>(null)
  const { url, fields, appId, appNumber } = payment
  const page = t('cardPayment.heading')
  // Somebody who comes back from the card page must not be sent there again at once.
  const [isReturn] = useState(() => device.recallHere(sentMark) === markOf(payment))

  useEffect(() => {
    if (isReturn) return undefined
    return device.after(cardFormDelay, () => {
      device.rememberHere(sentMark, markOf(payment))
      form.current?.submit()
    })
  }, [device, isReturn, payment])

  return (
    <Page heading={page}>
      <title>{t('app.title', { page })}</title>
      <Panel>
        <p>{t('cardPayment.leaving', { amount: amountOf(payment, language), gateway: new URL(url).host })}</p>
      </Panel>
      {!isReturn && <Loader text={t('cardPayment.automatic')} />}
      <form ref={form} method="post" action={url} acceptCharset="utf-8">
        {fields.map(({ name, value }) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <ButtonRow>
          <Button type="submit">{t('button.continue')}</Button>
          <Button
            variant="secondary"
            onClick={() =>
              void navigate({ to: '/payment/$appId/$appNumber', params: { appId, appNumber }, replace: true })
            }
          >
            {t('button.cancel')}
          </Button>
        </ButtonRow>
      </form>
    </Page>
  )
}

const sentMark = 'card-payment-sent'

function markOf(card: CardTarget): string {
  return `${valueOf(card, 'cpm_trans_id')} ${valueOf(card, 'signature')}`
}

function amountOf(card: CardTarget, language: Language): string {
  const amount = valueOf(card, 'cpm_amount')
  return /^\d+$/.test(amount) ? formatAmount(Number(amount), valueOf(card, 'cpm_currency'), language) : amount
}

function valueOf({ fields }: CardTarget, name: CardField): string {
  return fields.find(field => field.name === name)?.value ?? ''
}
