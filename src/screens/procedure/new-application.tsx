import { useId, useState } from 'react'
import { isHandledByScreen } from '#api/result.ts'
import type { Beneficiary } from '#contract/beneficiary.ts'
import { useText } from '#i18n/intl.ts'
import { type Services, useLoadedServices } from '#app/services.ts'
import { useNavigateUnlessLeft } from '#app/use-navigate-unless-left.ts'
import { placeholderNumber } from '#contract/id-text.ts'
import { isLocal } from '#sync/local-id.ts'
import { classNames } from '#ui/class-names.ts'
import { Icon } from '#ui/icon.tsx'
import { Spinner } from '#ui/spinner.tsx'
import styles from './new-application.module.css'

/** The names of the tiles answer a question, so they are read aloud with it. */
const listenedButton = { type: 'button', 'data-listen': true } as const

/** The tiles that start an application, one for each person whom the passport may be for (LST09, LST14). */
export function NewApplication({ applicantId }: { applicantId: string }) {
  const t = useText()
  const id = useId()
  const { startingFor, start } = useStart(applicantId)

  const tile = (beneficiary: Beneficiary) => ({
    ...listenedButton,
    'aria-disabled': startingFor !== undefined || undefined,
    onClick: () => void start(beneficiary),
  })
  // The name of the first tile is what it shows, without the detail: people who speak to their device say what they see.
  return (
    <section className={styles.tiles} aria-labelledby={`${id}-question`}>
      <h2 id={`${id}-question`} data-listen>
        {t('for.question')}
      </h2>
      <button
        {...tile('me')}
        className={styles.tile}
        aria-labelledby={`${id}-me ${id}-name`}
        aria-describedby={`${id}-detail`}
      >
        <span className={styles.words}>
          <span id={`${id}-me`} className={styles.name} data-listen>
            {startingFor === 'me' ? t('button.busy') : t('for.me')}
          </span>
          <span id={`${id}-name`} className={styles.detail} data-listen>
            {t('procedure.new')}
          </span>
          <span id={`${id}-detail`} className={styles.detail} data-listen>
            {t('procedure.newDetail')}
          </span>
        </span>
        <TileEnd isStarting={startingFor === 'me'} />
      </button>
      {(['child', 'other'] as const).map(beneficiary => (
        <button key={beneficiary} {...tile(beneficiary)} className={styles.tile}>
          <span className={classNames(styles.words, styles.name)}>
            {startingFor === beneficiary ? t('button.busy') : t(`for.${beneficiary}`)}
          </span>
          <TileEnd isStarting={startingFor === beneficiary} />
        </button>
      ))}
    </section>
  )
}

/** `startingFor`: the beneficiary of the application that is being started; undefined while none is. */
function useStart(applicantId: string) {
  const services = useLoadedServices()
  const navigate = useNavigateUnlessLeft()
  const [startingFor, setStartingFor] = useState<Beneficiary>()

  async function start(beneficiary: Beneficiary) {
    const { queries, queryClient } = services
    if (startingFor !== undefined) return
    setStartingFor(beneficiary)
    const created = await startOnce(services)
    // The server may return an open application, for which the applicant may have given another answer on another device.
    if (created?.isExisting === false) await remember(services, created.id, beneficiary)
    if (created && !isLocal(created.id)) {
      // If the connection fails now, the guard of the form finds the application in the cached list.
      await queries.rememberCreated(applicantId, created)
      // This read shares the round trip in which the guard of the form reads the list.
      void queryClient.prefetchQuery(queries.applicationData(created.id))
    }
    const listed = queryClient.invalidateQueries({ queryKey: queries.applications(applicantId).queryKey })
    if (created)
      await navigate({
        to: '/form/$appId/$appNumber/GeneralData',
        params: { appId: created.id, appNumber: created.applicationNumber },
      })
    await listed
    setStartingFor(undefined)
  }

  return { startingFor, start }
}

function TileEnd({ isStarting }: { isStarting: boolean }) {
  return isStarting ? <Spinner /> : <Icon name="right" />
}

/** Saves the answer encrypted on this device, so that the form can say whose data it asks for (LST14). */
async function remember(services: Services, id: string, beneficiary: Beneficiary): Promise<void> {
  try {
    // A server of an older release may return an open application as a new one: an answer saved for it here stays.
    await (await services.openStore()).beneficiaries.save(id, beneficiary)
  } catch {
    // Without the saved answer the form does not say whose data it asks for.
  }
}

const requestKeyName = 'new-application'

/**
 * Creates the application on the server, or starts it on this device (`startLocally`). Resolves to undefined when it does
 * neither. Keeps the idempotency key in the tab storage until the server has decided or the application has started on
 * this device, so that a press after a reload does not create a second application (D13).
 */
async function startOnce(services: Services) {
  const { call, device, notices, session } = services
  const applicantId = session.signedInId()
  const key = device.readTabText(requestKeyName) ?? device.randomId()
  device.saveTabText(requestKeyName, key)
  const result = await call('createApplication', {}, { key })
  if (result.ok) {
    device.saveTabText(requestKeyName, undefined)
    return { isExisting: false, ...result.value.data }
  }
  if (result.problem.kind !== 'refused') return startLocally(services, { key, applicantId })
  device.saveTabText(requestKeyName, undefined)
  if (!isHandledByScreen(result.problem)) return undefined
  const { message } = result.problem
  notices.raise('warning', message === undefined ? { key: 'notice.generic' } : { text: message })
  return undefined
}

/**
 * Starts the application on this device when the server could not be reached or could not serve the call. A later sync
 * creates it with the same key (D33). Starts nothing when another applicant than `applicantId` has signed in (D31).
 */
async function startLocally(
  { device, notices, session, sync }: Services,
  { key, applicantId }: { key: string; applicantId: string | undefined },
) {
  const id = await sync.startLocal(key, applicantId)
  if (id !== undefined) device.saveTabText(requestKeyName, undefined)
  else if (session.signedInId() === applicantId) notices.raise('warning', { key: 'notice.offline' })
  return id && { id, applicationNumber: placeholderNumber, isExisting: false }
}
