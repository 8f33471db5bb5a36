import type { ReceiptVerdict } from '#contract/receipt-code.ts'
import { showDate } from '#contract/dates.ts'
import { useText } from '#i18n/intl.ts'
import { Panel } from '#ui/panel.tsx'
import { SummaryList } from '#ui/summary-list.tsx'

/** `unconfirmed`: the signature is of none of the known keys, and the server could not be asked for newer ones. */
type ShownVerdict = ReceiptVerdict | { kind: 'unconfirmed' }

/** Shows the signed data, which the official compares with the paper and the person, or why there are none. */
export function VerdictPanel({ verdict }: { verdict: ShownVerdict }) {
  const t = useText()
  switch (verdict.kind) {
    case 'unreadable':
      return (
        <Panel tone="warning" heading={t('verify.unreadable')} announce>
          {t('verify.unreadableAdvice')}
        </Panel>
      )
    case 'forged':
      return (
        <Panel tone="danger" heading={t('verify.forged')} announce>
          {t('verify.forgedAdvice')}
        </Panel>
      )
    case 'unconfirmed':
      return (
        <Panel tone="warning" heading={t('verify.unconfirmed')} announce>
          {t('verify.unconfirmedAdvice')}
        </Panel>
      )
    case 'genuine': {
      const { applicationNumber, name, yearOfBirth, office, date } = verdict.fields
      return (
        <Panel tone="success" heading={t('verify.genuine')} announce>
          <SummaryList
            rows={[
              { term: t('verify.number'), value: applicationNumber, isLong: true },
              { term: t('verify.name'), value: <bdi>{name}</bdi>, isLong: true },
              { term: t('verify.year'), value: String(yearOfBirth) },
              { term: t('schedule.office'), value: office, isLong: true },
              {
                term: t('appointment.date'),
                value: date === null ? t('appointment.generalQueue') : showDate(date),
              },
            ]}
          />
          <p>{t('verify.compare')}</p>
        </Panel>
      )
    }
  }
}
