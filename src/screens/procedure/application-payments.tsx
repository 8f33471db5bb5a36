import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ApplicationParams } from '#contract/ids.ts'
import { caseFileFeature, type PaymentAttempt } from '#contract/payment.ts'
import { mayOpen } from '#contract/states.ts'
import { formatMoment } from '#i18n/format-date.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { CaseFile } from '#case-file/case-file.tsx'
import { methodName } from '#case-file/method-name.ts'
import { summariseAttempts } from '#case-file/payment-summary.ts'
import { useLoadedServices, useServerInfo } from '#app/services.ts'
import { RetryPanel } from '#summary/retry-panel.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { Loader } from '#ui/loader.tsx'
import { Panel } from '#ui/panel.tsx'
import type { Application } from './application-card.tsx'
import styles from './application-card.module.css'
import { isLocalApplication } from './local-applications.ts'

/** Shows at once that a payment is open or a refund is due. The applicant can open the whole case file (F1). */
export function ApplicationPayments({ application }: { application: Application }) {
  const t = useText()
  const { queries } = useLoadedServices()
  const { id: appId, applicationNumber: appNumber, currentState } = application
  const mayHaveAttempts = currentState !== 'NEW' && !isLocalApplication(application)
  // A payment may end while the applicant uses another app.
  const file = useQuery({
    ...queries.paymentAttempts(appId),
    enabled: mayHaveAttempts,
    refetchOnWindowFocus: 'always',
  })
  const hasCaseFiles = useServerInfo().value?.features.includes(caseFileFeature) ?? true
  const attempts = file.data ?? []
  const { open, paid, refundsDue } = summariseAttempts(attempts)
  // A paid application shows the heading of the case file before the list of payments arrives, so that the link below
  // the heading does not move under the finger.
  const isPaid = mayOpen('appointment', currentState)
  const isExpected = attempts.length > 0 || (isPaid && hasCaseFiles && !file.isSuccess)
  if (!mayHaveAttempts || !isExpected) return null
  return (
    <div className={styles.controls}>
      {open && !paid && <OpenPayment attempt={open} {...{ appId, appNumber }} />}
      <Disclosure
        summary={refundsDue.length > 0 ? `${t('case.heading')} – ${t('case.refund')}` : t('case.heading')}
      >
        {attempts.length === 0 && !file.isError && <Loader text={t('app.loading')} />}
        {attempts.length === 0 && file.isError && <RetryPanel text={t('notice.generic')} query={file} />}
        <CaseFile {...{ appId, appNumber, attempts }} />
      </Disclosure>
    </div>
  )
}

type OpenPaymentProps = ApplicationParams & { attempt: PaymentAttempt }

function OpenPayment({ attempt, appId, appNumber }: OpenPaymentProps) {
  const t = useText()
  const language = useLanguage()
  return (
    <Panel tone="warning" heading={t('payment.underWay')}>
      <p>
        {t('payment.underWayText', {
          order: attempt.orderNumber,
          time: formatMoment(attempt.createdAt, language),
          method: methodName(t, attempt),
        })}
      </p>
      <Link to="/payResult/$appId/$appNumber/$paymentId" params={{ appId, appNumber, paymentId: attempt.id }}>
        {t('payment.followIt')}
      </Link>
    </Panel>
  )
}
