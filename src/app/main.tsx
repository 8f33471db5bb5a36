import '#ui/tokens.css'
import '#ui/base.css'
import { createBrowserDevice } from '#device/browser-device.ts'
import { doNothing } from '#device/do-nothing.ts'
import { whenHydrated, loadFullStyleSheet } from '#device/prerendered.ts'
import { onMissingFile } from '#device/service-worker.ts'
import { createLanguage } from '#i18n/language.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { startServiceWorker } from '#shell/update-notice.tsx'
import { durableKeys, pendingEraseKey, readStartParameters } from '#store/device-use.ts'
import { readLanguage, saveLanguage } from '#i18n/saved-language.ts'
import { watchSessionStart } from './on-session-start.ts'
import { showEndNotice } from './on-session-end.ts'
import { createPortal } from './create-portal.tsx'
import { deleteExpiredDrafts } from './delete-expired-drafts.ts'
import { areLoaded, type Services } from './services.ts'
import { hydratePortal } from './hydrate.ts'

// public/check-browser.js sets this attribute where the portal cannot run and shows a notice instead (D65, D66).
if (!document.documentElement.hasAttribute('data-unsupported')) void start()

/** Builds device → language → portal, hydrates or renders the page, then starts the background work. */
async function start() {
  const device = createBrowserDevice(durableKeys)
  // Before the wait for the texts: if the applicant left this page during the wait, the parameters would be lost.
  const { left: logoutReason } = readStartParameters(device)
  await device.textsRestored()
  const first = readLanguage(device)
  device.setPageLanguage(first)
  const language = await createLanguage(first, chosen => {
    device.setPageLanguage(chosen)
    saveLanguage(device, chosen)
  })
  const portal = createPortal({ device, language, path: location.pathname })
  const { services } = portal
  await services.addresses.restore(location.pathname)
  await hydratePortal(portal)
  const rest = tasksAfterHydration(services)
  void runAfterHydration(rest)
  void runAfterHydration([() => deleteExpiredDrafts(services)])
  if (device.readText(pendingEraseKey) !== undefined) void runAfterHydration([() => finishErase(services)])
  startServiceWorker(() => services.pendingWrites.finish('reload'))
  // Only starts the pending writes: the router does not wait for them before it reloads the page for a missing file.
  onMissingFile(() => void services.pendingWrites.finish('reload'))
  watchSessionStart(services)
  services.connectivity.subscribe(() => {
    if (services.connectivity.isUnreachable()) return
    void runAfterHydration(rest)
    if (areLoaded(services)) void services.queries.readFailed(services.queryClient)
  })
  if (logoutReason) showEndNotice(services.notices, logoutReason, services.deviceUse.isShared())
}

/** On /mobile and /mail the router loads once the phone number or e-mail address can be sent, or at a move (D114). */
function tasksAfterHydration({ navigation }: Services): (() => Promise<unknown>)[] {
  return ['/mobile', '/mail'].includes(location.pathname) ? [loadStyles] : [navigation.open, loadStyles]
}

function loadStyles(): Promise<void> {
  return loadWithRetry(loadFullStyleSheet)
}

/**
 * Runs tasks that the prerendered page does not need. Errors are ignored here: a screen that needs a file requests the
 * file again and shows the failure, and the next start tries again to delete expired drafts and to erase what an
 * earlier page has left.
 */
async function runAfterHydration(tasks: (() => Promise<unknown>)[]): Promise<void> {
  await whenHydrated()
  for (const task of tasks) task().catch(doNothing)
}

/** An earlier page was left, or its storage failed, before it had erased the rows of its applicant (D31, D112). */
async function finishErase(services: Services): Promise<void> {
  await (await services.openStore()).finishErase()
}
