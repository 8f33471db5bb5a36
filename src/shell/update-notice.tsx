import { useLocation } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { registerWorker } from '#device/service-worker.ts'
import { useText } from '#i18n/intl.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { mayOfferUpdate } from './steps-of-route.ts'
import styles from './update-notice.module.css'

// One page has one worker, which arrives at its own time, whether or not anything is drawn yet.
const listeners = new Set<() => void>()
let updateWaiting: (() => void) | undefined

/** Installs the worker once the page is idle, and keeps what a waiting release offers. */
export function startWorker(beforeReload: () => Promise<void>): void {
  void registerWorker({ onWaiting: setWaiting, beforeReload })
}

/** A new release is ready: taken when the applicant says so, or else at the next cold start (D36). */
export function UpdateNotice() {
  const t = useText()
  const apply = useSyncExternalStore(subscribe, waitingRelease, waitingRelease)
  const pathname = useLocation({ select: location => location.pathname })
  if (!apply || !mayOfferUpdate(pathname)) return null
  return (
    <div className={styles.place}>
      <Panel announce>
        <p>{t('update.text')}</p>
        <div className={styles.actions}>
          <Button variant="secondary" onClick={apply}>
            {t('update.now')}
          </Button>
          <Button variant="quiet" onClick={() => setWaiting(undefined)}>
            {t('update.later')}
          </Button>
        </div>
      </Panel>
    </div>
  )
}

function waitingRelease(): (() => void) | undefined {
  return updateWaiting
}

function setWaiting(apply: (() => void) | undefined): void {
  updateWaiting = apply
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
