import { flushSync } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { prerenderedPage } from '#device/prerendered.ts'
import { entryPaths, homeDialCode } from '#contract/codes.ts'
import { readPendingSignIn } from '#sign-in/pending-sign-in.ts'
import type { Portal } from './create-portal.tsx'
import { loadEntryScreen } from './entry-screens.ts'

/**
 * Starts React. If the page is prerendered and matches the current state, hydrates the page without the router;
 * otherwise opens the router and renders the page. Both ways keep what the applicant has typed: the fields take it from
 * the prerendered page.
 */
export async function hydratePortal(portal: Portal): Promise<void> {
  const container = document.getElementById('root')
  if (!container) throw new Error('index.html has no #root')
  const prerendered = prerenderedPage()
  const entryPath = entryPaths.find(path => path === location.pathname)
  if (prerendered !== undefined && entryPath !== undefined && matchesCurrentState(portal, prerendered)) {
    hydrateRoot(container, portal.elementFor(await loadEntryScreen(entryPath)))
    return
  }
  const { navigation } = portal.services
  // If the router cannot be loaded, the page shows that failure.
  const router = await navigation.open().catch(() => undefined)
  if (prerendered === undefined) {
    navigation.show()
    createRoot(container).render(portal.elementFor())
    return
  }
  await router?.load()
  navigation.show()
  renderAgain(container, portal)
}

/** Whether prerendering in the current state would give this page. */
function matchesCurrentState({ services }: Portal, prerendered: string): boolean {
  const { device, deviceUse, language, connectivity, session } = services
  return (
    prerendered === `${language.current().language} ${location.pathname}` &&
    deviceUse.current().kind === 'own' &&
    readPendingSignIn({ device }) === undefined &&
    session.state().kind === 'signed-out' &&
    !connectivity.isUnreachable() &&
    (device.readPrerendered('dialCode')?.text ?? homeDialCode) === homeDialCode
  )
}

function renderAgain(container: HTMLElement, portal: Portal): void {
  const focused = document.activeElement
  const name = focused instanceof HTMLInputElement || focused instanceof HTMLSelectElement ? focused.name : ''
  const range = focused instanceof HTMLInputElement ? selectionOf(focused) : undefined
  // The new page reads its own checkbox, not that of the prerendered page, so this line saves the tick.
  if (portal.services.device.readPrerendered('sharedDevice')?.ticked) portal.services.deviceUse.choose(true)
  flushSync(() => createRoot(container).render(portal.elementFor()))
  const control = name === '' ? undefined : container.querySelector<HTMLInputElement>(`[name="${name}"]`)
  control?.focus({ preventScroll: true })
  if (range) control?.setSelectionRange(...range)
}

function selectionOf({ selectionStart, selectionEnd }: HTMLInputElement): [number, number] | undefined {
  return selectionStart === null || selectionEnd === null ? undefined : [selectionStart, selectionEnd]
}
