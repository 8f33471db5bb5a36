import './ui/tokens.css'
import './ui/base.css'
import { createBrowserDevice } from '#device/browser-device.ts'
import { pageIsAlive, wholeSheet } from '#device/painted.ts'
import { onMissingFile } from '#device/service-worker.ts'
import { createLanguage } from '#i18n/language.ts'
import { fetchPatiently } from '#device/load-file.ts'
import { startWorker } from '#shell/update-notice.tsx'
import { settleArrival } from '#store/device-use.ts'
import { storedLanguage, storeLanguage } from '#store/preferences.ts'
import { renewWithSession } from './known-applicant.ts'
import { sayEnding } from './leaving.ts'
import { createPortal } from './create-portal.tsx'
import type { Services } from './services.ts'
import { takeOver } from './take-over.ts'

void start()

/** Builds device → language → portal, takes the page over, and starts what goes on beside it. */
async function start() {
  const device = createBrowserDevice()
  const { left } = settleArrival(device)
  const first = storedLanguage(device)
  device.speak(first)
  const language = await createLanguage(first, chosen => {
    device.speak(chosen)
    storeLanguage(device, chosen)
  })
  const portal = createPortal({ device, language })
  const { services } = portal
  await takeOver(portal)
  const rest = [() => fetchPatiently(wholeSheet), language.complete, services.openAnswers]
  void fetchRest(rest)
  startWorker(() => services.unfinished.finish())
  // The router reloads the page once where a file is missing, on drawing what needs it.
  onMissingFile(() => void services.unfinished.finish())
  renewWithSession(services)
  // A list that could not be had would stay empty until its screen is left.
  services.line.subscribe(() => {
    if (services.line.isDown()) return
    void fetchRest(rest)
    services.openAnswers().then(askFailedAgain, nothing)
  })
  if (left) sayEnding(services.notices, left)
}

/** What a page lacks until it is alive is for states that nothing on it has yet; a screen that needs it asks again. */
async function fetchRest(files: (() => Promise<unknown>)[]): Promise<void> {
  await pageIsAlive()
  for (const file of files) file().catch(nothing)
}

function askFailedAgain({ queryClient }: Pick<Services, 'queryClient'>): Promise<void> {
  return queryClient.refetchQueries({ type: 'active', predicate: hasFailed })
}

function hasFailed({ state }: { state: { status: string } }): boolean {
  return state.status === 'error'
}

/** A file that cannot be had is asked for again by the screen that needs it, which then says so. */
function nothing(): void {}
