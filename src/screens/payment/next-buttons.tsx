import { useState } from 'react'
import type { ApplicationParams } from '#contract/ids.ts'
import type { FailureReason } from '#contract/payment-failure.ts'
import { useText } from '#i18n/intl.ts'
import { actLabels, failureWords } from '#case-file/failure-words.ts'
import { useLoadedServices } from '#app/services.ts'
import { useNavigateUnlessLeft } from '#app/use-navigate-unless-left.ts'
import { Button, type ButtonVariant } from '#ui/button.tsx'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /**
     * `same`: the payment screen opens with the method of the main attempt, if that is still offered, and with the
     * phone number of this attempt, if the page knows it. `other`: with neither.
     */
    payAgain?: 'same' | 'other'
  }
}

type NextButtonsProps = {
  application: ApplicationParams
  isPaid: boolean
  /** The payment is still open. */
  isWaiting: boolean
  /** Why the payment failed; undefined when the payment has not failed, or when the server does not say why. */
  failure: FailureReason | undefined
}

/**
 * Leads to the booking after a payment, else back to the payment screen (PAY29, PAY30). When the portal knows what helps
 * after a failure, the first button names it: another try or another method.
 */
export function NextButtons({ application, isPaid, isWaiting, failure }: NextButtonsProps) {
  const t = useText()
  const { busyWith, goForward } = useGoForward(application)
  const buttonProps = (name: string, variant: ButtonVariant) => ({
    variant,
    busy: busyWith === name,
    busyLabel: t('button.busy'),
  })

  if (isPaid)
    return (
      <Button
        {...buttonProps('book', 'primary')}
        onClick={() => void goForward('book', '/appointment/$appId/$appNumber')}
      >
        {t('button.continueToAppointment')}
      </Button>
    )
  const nextAct = failure === undefined ? 'return' : failureWords[failure].act
  const payAgain = nextAct === 'try-again' ? 'same' : 'other'
  return (
    <>
      {nextAct !== 'return' && (
        <Button
          {...buttonProps('again', 'primary')}
          onClick={() => void goForward('again', '/payment/$appId/$appNumber', { payAgain })}
        >
          {t(actLabels[nextAct])}
        </Button>
      )}
      <Button
        {...buttonProps('return', isWaiting || nextAct !== 'return' ? 'secondary' : 'primary')}
        onClick={() => void goForward('return', '/payment/$appId/$appNumber')}
      >
        {t('button.returnToPayment')}
      </Button>
    </>
  )
}

type Target = '/payment/$appId/$appNumber' | '/appointment/$appId/$appNumber'

function useGoForward(application: ApplicationParams) {
  const { queries, queryClient } = useLoadedServices()
  const navigate = useNavigateUnlessLeft()
  const [busyWith, setBusyWith] = useState('')

  async function goForward(name: string, to: Target, state: { payAgain?: 'same' | 'other' } = {}) {
    setBusyWith(name)
    // The connection may be lost before the list is read again.
    if (name === 'book') await queries.rememberPaid(queryClient, application.appId)
    // The state of the application has changed, and the guard of the next screen reads it.
    await queryClient.invalidateQueries({ queryKey: queries.keyOf('applications') })
    await navigate({ to, params: application, state })
    setBusyWith('')
  }

  return { busyWith, goForward }
}
