import type { AnyRouter } from '@tanstack/react-router'
import type { Notices } from '#app/notices.ts'

/**
 * What follows every change of screen, outside of React: the focus goes to the new heading, and what was said
 * before the applicant's last action is settled (D51). A message that the action itself brought goes along.
 */
export function watchNavigation(router: Pick<AnyRouter, 'subscribe'>, notices: Notices): () => void {
  let heardBefore: number | undefined
  const act = () => {
    heardBefore = notices.state().last?.id
  }
  // In the capture phase: before a handler says anything.
  addEventListener('click', act, true)
  addEventListener('popstate', act, true)
  const stop = router.subscribe('onResolved', ({ fromLocation, pathChanged }) => {
    // The first screen is read from its top.
    if (!fromLocation || !pathChanged) return
    if (notices.state().last?.id === heardBefore) notices.clearLast()
    focusHeading()
  })
  return () => {
    removeEventListener('click', act, true)
    removeEventListener('popstate', act, true)
    stop()
  }
}

function focusHeading(): void {
  const place = document.getElementById('heading') ?? document.getElementById('main')
  place?.focus({ preventScroll: true })
}
