import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatMoment } from '#i18n/format-date.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { CaseFile } from '#case-file/case-file.tsx'
import { methodName } from '#case-file/method-name.ts'
import { summariseAttempts } from '#case-file/payment-summary.ts'
import { useLoadedServices } from '#app/services.ts'
import { Disclosure } from '#ui/disclosure.tsx'
import { Panel } from '#ui/panel.tsx'
import type { Application } from './application-card.tsx'
import styles from './application-card.module.css'
import { isLocalApplication } from './local-applications.ts'

/** Shows at once that a payment is open or a refund is due. The applicant can open the whole case file (F1). */
export function ApplicationPayments({ application }: { application: Application }) {
  const t = useText()
  const language = useLanguage()
  const { queries } = useLoadedServices()
  const { id: appId, applicationNumber: appNumber, currentState } = application
  const mayHaveAttempts = currentState !== 'NEW' && !isLocalApplication(application)
  // A payment may end while the applicant uses another app.
  const file = useQuery({
    ...queries.paymentAttempts(appId),
    enabled: mayHaveAttempts,
    refetchOnWindowFocus: 'always',
  })
  const attempts = file.data ?? []
  const { open, paid, refundsDue } = summariseAttempts(attempts)
  if (!mayHaveAttempts || attempts.length === 0) return null
  return (
    <div className={styles.controls}>
      {open && !paid && (
        <Panel tone="warning" heading={t('payment.underWay')}>
          <p>
            {t('payment.underWayText', {
              order: open.orderNumber,
              time: formatMoment(open.createdAt, language),
              method: methodName(t, open),
            })}
          </p>
          <Link
            to="/payResult/$appId/$appNumber/$paymentId"
            params={{ appId, appNumber, paymentId: open.id }}
          >
            {t('payment.followIt')}
          </Link>
        </Panel>
      )}
      <Disclosure
        summary={refundsDue.length > 0 ? `${t('case.heading')} – ${t('case.double')}` : t('case.heading')}
      >
        <CaseFile appId={appId} appNumber={appNumber} attempts={attempts} />
      </Disclosure>
    </div>
  )
}
