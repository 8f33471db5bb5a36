import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteAccountFeature } from '#contract/account.ts'
import { keptDays } from '#contract/retention.ts'
import { mayChangeAppointment, isApplicationState } from '#contract/states.ts'
import { isHandledByScreen } from '#api/result.ts'
import { formatMoment } from '#i18n/format-date.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices, useServerInfo } from '#app/services.ts'
import { ContactProof } from '#sign-in/contact-proof.tsx'
import type { Contact } from '#sign-in/pending-sign-in.ts'
import { Button } from '#ui/button.tsx'
import { Section } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { takeFocus } from '#ui/take-focus.ts'
import styles from './account.module.css'

type DeleteAccountProps = { applicantId: string; contact: Contact }

/** Requests the deletion of the account, once the applicant has read what it means and typed a fresh code (D112). */
export function DeleteAccount({ applicantId, contact }: DeleteAccountProps) {
  const t = useText()
  const language = useLanguage()
  const server = useServerInfo()
  const { call, notices, session } = useLoadedServices()
  const [isAsking, setAsking] = useState(false)
  const [wasAsked, setAsked] = useState(false)
  if (!server.value?.features.includes(deleteAccountFeature)) return null

  async function remove(isWanted: () => boolean) {
    const result = await call('deleteAccount', { query: { lg: language } }, { isWanted })
    if (result.ok) {
      const moment = formatMoment(result.value.data.deletesAt, language)
      await session.logOut('account-deleted')
      return notices.raise('success', { key: 'notice.accountDeleted', values: { moment } })
    }
    if (isHandledByScreen(result.problem)) notices.raise('warning', { key: 'notice.generic' })
    // Not after Cancel: the applicant may have opened the form again since.
    if (isWanted()) setAsking(false)
  }

  return (
    <Section headingId="delete-account-heading" heading={t('account.delete')}>
      {isAsking ? (
        <ContactProof
          contact={contact}
          confirm={{ label: t('account.delete'), variant: 'danger' }}
          onProven={remove}
          onCancel={() => setAsking(false)}
        >
          <Consequences applicantId={applicantId} />
        </ContactProof>
      ) : (
        <>
          <p className={styles.intro}>{t('account.deleteWhy', { days: keptDays.deletedAccounts })}</p>
          {/* After Cancel, the focus returns to the button that opened the form. */}
          <Button
            ref={wasAsked ? takeFocus : undefined}
            variant="secondary"
            onClick={() => (setAsking(true), setAsked(true))}
          >
            {t('account.deleteButton')}
          </Button>
        </>
      )}
    </Section>
  )
}

/** What is erased when, what is lost, and what stays. The applicant reads it before the code is sent. */
function Consequences({ applicantId }: Pick<DeleteAccountProps, 'applicantId'>) {
  const t = useText()
  const { queries } = useLoadedServices()
  const { data: applications = [] } = useQuery(queries.applications(applicantId))
  const hasAppointment = applications.some(
    ({ currentState }) => isApplicationState(currentState) && mayChangeAppointment(currentState),
  )
  const values = {
    days: keptDays.deletedAccounts,
    years: keptDays.orders / 365,
    backupDays: keptDays.backups,
  }
  return (
    <div data-listen>
      {hasAppointment && (
        <Panel tone="warning">
          <p>{t('account.deleteBooked', values)}</p>
        </Panel>
      )}
      <ul className={styles.consequences}>
        {consequences.map(key => (
          <li key={key}>{t(key, values)}</li>
        ))}
      </ul>
    </div>
  )
}

const consequences = [
  'account.deleteDevices',
  'account.deleteUndo',
  'account.deleteAnswers',
  'account.deletePaid',
  'account.deleteAppointment',
  'account.deleteOffice',
  'account.deleteOrders',
  'account.deleteBackups',
] as const
