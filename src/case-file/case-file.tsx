import type { ApplicationParams } from '#contract/ids.ts'
import { walletName } from '#contract/wallet-name.ts'
import type { PaymentAttempt } from '#contract/payment.ts'
import { formatMoment, formatTime } from '#i18n/format-date.ts'
import { formatAmount } from '#i18n/format.ts'
import { type MessageKey, useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { Badge } from '#ui/badge.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { Panel } from '#ui/panel.tsx'
import { SentenceAround } from '#ui/sentence-around.tsx'
import list from '#ui/summary-list.module.css'
import { SummaryList, type SummaryRow } from '#ui/summary-list.tsx'
import styles from './case-file.module.css'
import { failureWords } from './failure-words.ts'
import { ProofDownload } from './proof-download.tsx'
import { summariseAttempts, toneOf } from './payment-summary.ts'

type CaseFileProps = ApplicationParams & {
  attempts: readonly PaymentAttempt[]
  /** The attempt whose failure another part of the page explains. */
  explained?: PaymentAttempt | undefined
}

/** Lists every payment attempt with its time and next step. Offers a proof of all as a PDF, not on a kiosk (F1). */
export function CaseFile({ appId, appNumber, attempts, explained }: CaseFileProps) {
  const t = useText()
  if (attempts.length === 0) return null
  const { paid, open, refundsDue } = summariseAttempts(attempts)
  const failedKey =
    refundsDue[0] || paid
      ? 'case.nothingTakenThen'
      : open
        ? 'case.nothingTakenYet'
        : 'attemptNext.nothing-taken'
  return (
    <>
      <RefundsDue attempts={attempts} />
      <ol className={styles.attempts} aria-label={t('case.heading')}>
        {attempts.map(attempt => (
          <li key={attempt.id} className={styles.attempt} data-state={attempt.state}>
            <Attempt attempt={attempt} failedKey={failedKey} isExplained={attempt === explained} />
          </li>
        ))}
      </ol>
      <p className={styles.note}>{t('case.zone')}</p>
      <ProofDownload appId={appId} appNumber={appNumber} />
    </>
  )
}

/**
 * Says of each payment that is due for refund that the applicant need not ask for it. Without another payment that counts,
 * the applicant did not pay twice: the authority has refused the application.
 */
function RefundsDue({ attempts }: Pick<CaseFileProps, 'attempts'>) {
  const t = useText()
  const language = useLanguage()
  const { refundsDue, paid } = summariseAttempts(attempts)
  return refundsDue.map(({ id, amount, currency, orderNumber: order }) => (
    <Panel key={id} tone="warning" heading={t(paid ? 'case.double' : 'case.refund')}>
      <p>{t('case.refundText', { amount: formatAmount(amount, currency, language), order })}</p>
    </Panel>
  ))
}

type AttemptProps = {
  attempt: PaymentAttempt
  /** The text of a failed attempt. When another attempt has paid or is open, it must not ask to pay again. */
  failedKey: MessageKey
  isExplained: boolean
}

function Attempt({ attempt, failedKey, isExplained }: AttemptProps) {
  const t = useText()
  const language = useLanguage()
  const { method, methodType, operatorReference, nextAt, orderNumber: order } = attempt
  // The server queries the provider at least hourly about an open order, and daily about one that it gave up (D42).
  const formatNext = attempt.state === 'IN_PROGRESS' ? formatTime : formatMoment
  const rows: SummaryRow[] = [
    { term: t('case.time'), value: formatMoment(attempt.createdAt, language) },
    { term: t('case.method'), value: walletName(method) || t(`method.${methodType}`) },
    // More characters do not fit beside the term on a phone of 360 px, and would break at a hyphen.
    { term: t('case.reference'), value: operatorReference, isLong: operatorReference.length > 14 },
  ]
  return (
    <>
      <h3 className={styles.order}>
        <SentenceAround sentence={t('case.order', { order })} part={order}>
          <span className={list.line}>{order}</span>
        </SentenceAround>
      </h3>
      <p>
        {attempt.next === 'canceled' ? (
          <Badge tone="info" text={t('case.canceled')} />
        ) : (
          <Badge tone={toneOf(attempt.state)} text={t(`status.${attempt.state}`)} />
        )}
      </p>
      {attempt.failure !== undefined && attempt.next !== 'canceled' && !isExplained && (
        <p className={styles.next}>{t(failureWords[attempt.failure].why)}</p>
      )}
      <p className={styles.next}>
        {t(attempt.next === 'nothing-taken' ? failedKey : `attemptNext.${attempt.next}`)}
        {nextAt && ` ${t('case.nextAt', { time: formatNext(nextAt, language) })}`}
      </p>
      <SummaryList rows={rows.filter(({ value }) => value !== '')} />
      {/* The last state of the history is the present one, so a single entry would only repeat the state above. */}
      {attempt.history.length > 1 && (
        <Disclosure summary={t('case.history')}>
          <ul className={styles.history}>
            {attempt.history.map(({ state, at }) => (
              <li key={`${at} ${state}`}>
                {formatMoment(at, language)} – {t(`status.${state}`)}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </>
  )
}
