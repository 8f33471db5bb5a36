import { createObservable } from '#device/observable.ts'
import { registerWorker } from '#device/service-worker.ts'
import { unloadWarning } from '#device/unload-warning.ts'
import { useText } from '#i18n/intl.ts'
import { usePathname } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { passFocusToHeadingOnRemoval } from '#ui/move-focus.ts'
import { Panel } from '#ui/panel.tsx'
import { useSnapshot } from '#ui/use-snapshot.ts'
import { mayOfferUpdate } from './route-progress.ts'
import styles from './update-notice.module.css'

/** Activates the waiting release; undefined without one, and after a press of Later. Global: a page has one service worker. */
const waitingUpdate = createObservable<(() => void) | undefined>(undefined)

/** Installs the service worker when the page is idle, and keeps the function that activates a waiting release. */
export function startServiceWorker(beforeReload: () => Promise<void>): void {
  void registerWorker({ onWaiting: waitingUpdate.setState, beforeReload })
}

/** Offers a waiting release. Without the applicant's consent the browser activates it at the next cold start (D36). */
export function UpdateNotice() {
  const t = useText()
  const apply = useSnapshot(waitingUpdate.subscribe, waitingUpdate.state)
  const wouldLoseAnswers = useSnapshot(unloadWarning.subscribe, unloadWarning.state)
  const pathname = usePathname()
  if (!apply || !mayOfferUpdate(pathname) || wouldLoseAnswers) return null
  return (
    <div className={styles.place}>
      <Panel announce>
        <p>{t('update.text')}</p>
        <div className={styles.actions}>
          <Button variant="secondary" onClick={apply}>
            {t('update.now')}
          </Button>
          <Button
            ref={passFocusToHeadingOnRemoval}
            variant="quiet"
            onClick={() => waitingUpdate.setState(undefined)}
          >
            {t('update.later')}
          </Button>
        </div>
      </Panel>
    </div>
  )
}
