import { flushSync } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { paintedPage } from '#device/painted.ts'
import { homeDialCode } from '#contract/codes.ts'
import { recallSignIn } from './sign-in/pending-sign-in.ts'
import type { Portal } from './create-portal.tsx'

/**
 * Makes the page answer. One that was painted before the script came stays as it stands, with all that was typed in
 * it; one that would say something else by now is drawn anew, and what was typed is carried over.
 */
export async function takeOver(portal: Portal): Promise<void> {
  const place = document.getElementById('root')
  if (!place) throw new Error('index.html has no #root')
  const painted = paintedPage()
  if (painted === undefined) {
    createRoot(place).render(portal.element)
    return
  }
  await portal.router.load()
  if (!stillHolds(portal, painted)) return drawAnew(place, portal)
  // Else the router draws one boundary more than it painted.
  portal.router.ssr = { manifest: undefined }
  hydrateRoot(place, portal.element)
}

/** Whether the portal would paint this very page now. */
function stillHolds({ services, router }: Portal, painted: string): boolean {
  const { device, deviceUse, language, line, session } = services
  return (
    painted === `${language.current().language} ${router.state.location.pathname}` &&
    router.state.location.pathname === location.pathname &&
    deviceUse.current().kind === 'own' &&
    recallSignIn(device) === undefined &&
    session.state().kind === 'signed-out' &&
    !line.isDown() &&
    (device.painted('dialCode')?.text ?? homeDialCode) === homeDialCode
  )
}

function drawAnew(place: HTMLElement, portal: Portal): void {
  const focused = document.activeElement
  const name = focused instanceof HTMLInputElement || focused instanceof HTMLSelectElement ? focused.name : ''
  const range = focused instanceof HTMLInputElement ? selectionOf(focused) : undefined
  // The page that is drawn shows no tick of the page before.
  if (portal.services.device.painted('sharedDevice')?.ticked) portal.services.deviceUse.choose(true)
  flushSync(() => createRoot(place).render(portal.element))
  const again = name === '' ? undefined : place.querySelector<HTMLInputElement>(`[name="${name}"]`)
  again?.focus({ preventScroll: true })
  if (range) again?.setSelectionRange(...range)
}

function selectionOf({ selectionStart, selectionEnd }: HTMLInputElement): [number, number] | undefined {
  return selectionStart === null || selectionEnd === null ? undefined : [selectionStart, selectionEnd]
}
