import type { Navigation } from '#app/navigation.ts'
import type { Notices } from '#app/notices.ts'

/**
 * After every change of screen, moves the focus to the new heading, or to the element with `data-first-focus`, and removes
 * the last notice if it is older than the applicant's last action (D51). A notice that this action raised stays. Returns the
 * function that stops this.
 */
export function watchNavigation(
  navigation: Pick<Navigation, 'onArrival' | 'watchHistory'>,
  notices: Notices,
): () => void {
  let idBeforeAction: number | undefined
  const onAction = ({ target }: Event) => {
    // The portal itself presses the link of the receipt, while it opens the final page (APT22).
    if (target instanceof HTMLAnchorElement && target.download !== '') return
    idBeforeAction = notices.state().last?.id
  }
  // In the capture phase, before a handler raises a notice.
  addEventListener('click', onAction, true)
  addEventListener('popstate', onAction, true)
  const stops = [
    navigation.watchHistory(),
    navigation.onArrival(() => {
      if (notices.state().last?.id === idBeforeAction) notices.clearLast()
      focusScreen()
    }),
  ]
  return () => {
    removeEventListener('click', onAction, true)
    removeEventListener('popstate', onAction, true)
    for (const stop of stops) stop()
  }
}

function focusScreen(): void {
  const first = document.querySelector<HTMLElement>('[data-first-focus]')
  const target = first ?? document.getElementById('heading') ?? document.getElementById('main')
  target?.focus({ preventScroll: true })
}
