import { useId, useState } from 'react'
import { formatMoment } from '#i18n/format-date.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { type Services, useLoadedServices, useServices } from '#app/services.ts'
import { useNavigateUnlessLeft } from '#app/use-navigate-unless-left.ts'
import { placeholderNumber } from '#contract/id-text.ts'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { doNothing } from '#device/do-nothing.ts'
import { answersAsText } from './answers-as-text.ts'
import { loadAnswerNames } from './load-answer-names.ts'
import { type DeviceDraft, earlierQueryName, type UnknownDraft as Unknown } from './use-unknown-drafts.ts'
import styles from './procedure-screen.module.css'

export type UnknownDraftsProps = {
  drafts: readonly Unknown[]
  /** False while the applicant has an open application (LST07). */
  mayStart: boolean
}

/** The drafts whose applications the server does not know, with everything that can be done with them (D63). */
export function UnknownDrafts({ drafts, mayStart }: UnknownDraftsProps) {
  const t = useText()
  const id = useId()
  // A file would stay on the kiosk for the next applicant (D38).
  const mayDownload = useServices().deviceUse.current().kind !== 'kiosk'
  return (
    <section className={styles.unknown} aria-labelledby={id}>
      <h2 id={id}>{t('unknown.heading')}</h2>
      <p className={styles.lead}>{t('unknown.lead')}</p>
      {!mayStart && mayDownload && <p className={styles.lead}>{t('unknown.openExists')}</p>}
      {drafts.map(each => (
        <UnknownDraft key={each.applicationId} {...each} mayStart={mayStart} mayDownload={mayDownload} />
      ))}
    </section>
  )
}

type UnknownDraftProps = Unknown & { mayStart: boolean; mayDownload: boolean }

function UnknownDraft({ applicationId, draft, mayStart, mayDownload }: UnknownDraftProps) {
  const t = useText()
  const { notices, queryClient, sync } = useLoadedServices()
  const [isAsking, setIsAsking] = useState(false)

  async function remove() {
    if (!(await sync.remove(applicationId))) {
      // The dialog would cover the notice.
      setIsAsking(false)
      notices.raise('warning', { key: 'procedure.notDeleted' })
    }
    await queryClient.invalidateQueries({ queryKey: [earlierQueryName] })
  }

  const name = draft ? `${draft.values.surname} ${draft.values.givenName}`.trim() : ''
  return (
    <>
      <Card
        level={3}
        heading={name === '' ? t('unknown.unnamed') : <bdi>{name}</bdi>}
        actions={
          <>
            {mayStart && draft && <RestartButton applicationId={applicationId} draft={draft} />}
            {mayDownload && draft && <DownloadButton draft={draft} />}
            <Button variant="quiet" onClick={() => setIsAsking(true)}>
              {t('unknown.delete')}
            </Button>
          </>
        }
      >
        <p>{draft ? <SavedAt draft={draft} /> : t('form.unreadable')}</p>
      </Card>
      <Dialog
        open={isAsking}
        role="alertdialog"
        heading={t('unknown.deleteHeading')}
        onClose={() => setIsAsking(false)}
        actions={
          <>
            <Button onClick={() => setIsAsking(false)}>{t('unknown.deleteNo')}</Button>
            <Button variant="danger" onClick={() => void remove()}>
              {t('unknown.deleteYes')}
            </Button>
          </>
        }
      >
        <p>{t('unknown.deleteText')}</p>
      </Dialog>
    </>
  )
}

function SavedAt({ draft: { savedAt } }: Pick<DeviceDraft, 'draft'>) {
  const t = useText()
  const language = useLanguage()
  return t('unknown.savedAt', { time: formatMoment(new Date(savedAt).toISOString(), language) })
}

function RestartButton({ applicationId, draft }: DeviceDraft) {
  const t = useText()
  const services = useLoadedServices()
  const { notices, session, sync } = services
  const navigate = useNavigateUnlessLeft()
  const [isBusy, setIsBusy] = useState(false)

  async function restart() {
    setIsBusy(true)
    const applicantId = session.signedInId()
    const appId = await sync.restart(applicationId, draft, applicantId).catch(doNothing)
    if (appId) await copyBeneficiary(services, applicationId, appId).catch(doNothing)
    if (appId)
      return navigate({ to: '/form/$appId/$appNumber', params: { appId, appNumber: placeholderNumber } })
    setIsBusy(false)
    if (session.signedInId() === applicantId) notices.raise('warning', { key: 'notice.generic' })
  }

  return (
    <Button busy={isBusy} busyLabel={t('button.busy')} onClick={() => void restart()}>
      {t('unknown.restart')}
    </Button>
  )
}

/** The new application is for the same person (LST14). */
async function copyBeneficiary({ openStore }: Pick<Services, 'openStore'>, from: string, to: string) {
  const { beneficiaries } = await openStore()
  const beneficiary = await beneficiaries.read(from)
  if (beneficiary) await beneficiaries.save(to, beneficiary)
}

/** Downloads the answers as a text file, from which the applicant can copy them elsewhere. */
function DownloadButton({ draft: { values, savedAt } }: Pick<DeviceDraft, 'draft'>) {
  const t = useText()
  const language = useLanguage()
  const services = useLoadedServices()
  const [isBusy, setIsBusy] = useState(false)

  async function download() {
    setIsBusy(true)
    const hasEnded = services.session.watchEnd()
    const names = await loadAnswerNames(services, { t, language, values })
    // After the end of the session the next person may use the device.
    if (hasEnded()) return
    const time = formatMoment(new Date(savedAt).toISOString(), language)
    const lines = [t('unknown.fileLead', { time }), ...answersAsText(values, { t, ...names })]
    const file = new Blob([lines.join('\n')], { type: 'text/plain;charset=utf-8' })
    services.device.download(file, `${t('unknown.fileName')}.txt`)
    setIsBusy(false)
  }

  return (
    <Button variant="secondary" busy={isBusy} busyLabel={t('button.busy')} onClick={() => void download()}>
      {t('unknown.download')}
    </Button>
  )
}
