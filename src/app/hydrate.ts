import { flushSync } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { prerenderedPage } from '#device/prerendered.ts'
import { homeDialCode } from '#contract/codes.ts'
import { readPendingSignIn } from '#sign-in/pending-sign-in.ts'
import type { Portal } from './create-portal.tsx'

/**
 * Makes the page answer. One that was painted before the script came stays as it stands, with all that was typed in
 * it; one that would say something else by now is drawn anew, and what was typed is carried over.
 */
export async function hydratePortal(portal: Portal): Promise<void> {
  const container = document.getElementById('root')
  if (!container) throw new Error('index.html has no #root')
  const prerendered = prerenderedPage()
  if (prerendered === undefined) {
    createRoot(container).render(portal.element)
    return
  }
  await portal.router.load()
  if (!matchesCurrentState(portal, prerendered)) return renderAgain(container, portal)
  // Else the router draws one boundary more than it painted.
  portal.router.ssr = { manifest: undefined }
  hydrateRoot(container, portal.element)
}

/** Whether the portal would paint this very page now. */
function matchesCurrentState({ services, router }: Portal, prerendered: string): boolean {
  const { device, deviceUse, language, connectivity, session } = services
  return (
    prerendered === `${language.current().language} ${router.state.location.pathname}` &&
    router.state.location.pathname === location.pathname &&
    deviceUse.current().kind === 'own' &&
    readPendingSignIn(device) === undefined &&
    session.state().kind === 'signed-out' &&
    !connectivity.isUnreachable() &&
    (device.readPrerendered('dialCode')?.text ?? homeDialCode) === homeDialCode
  )
}

function renderAgain(container: HTMLElement, portal: Portal): void {
  const focused = document.activeElement
  const name = focused instanceof HTMLInputElement || focused instanceof HTMLSelectElement ? focused.name : ''
  const range = focused instanceof HTMLInputElement ? selectionOf(focused) : undefined
  // The page that is drawn shows no tick of the page before.
  if (portal.services.device.readPrerendered('sharedDevice')?.ticked) portal.services.deviceUse.choose(true)
  flushSync(() => createRoot(container).render(portal.element))
  const again = name === '' ? undefined : container.querySelector<HTMLInputElement>(`[name="${name}"]`)
  again?.focus({ preventScroll: true })
  if (range) again?.setSelectionRange(...range)
}

function selectionOf({ selectionStart, selectionEnd }: HTMLInputElement): [number, number] | undefined {
  return selectionStart === null || selectionEnd === null ? undefined : [selectionStart, selectionEnd]
}
