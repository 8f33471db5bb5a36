/** Between a notice and the element below it, in pixels: room for the focus ring. */
const gapPx = 12

/**
 * Scrolls the page when a notice at the top of the window covers the element that has the focus (WCAG 2.4.11). When the
 * window has no room for both, the notice stays at its place in the page. Returns the function that stops this.
 */
export function uncoverFocus(notice: HTMLElement | null): (() => void) | undefined {
  const region = notice?.closest('section')
  if (!notice || !region) return undefined
  const check = () => {
    const focused = document.activeElement
    // The body and `main` contain the region; a modal dialog covers it.
    if (!focused || focused.contains(region) || region.contains(focused) || focused.closest('dialog')) return
    const { top, bottom, height } = focused.getBoundingClientRect()
    const edge = region.getBoundingClientRect().top
    // Without the way of the animation.
    const neededPx = notice.offsetTop + notice.offsetHeight + gapPx
    const coveredPx = edge + neededPx - top
    if (coveredPx <= 0 || bottom < edge) return
    // An on-screen keyboard makes only the visual viewport lower.
    if (neededPx + height > (window.visualViewport?.height ?? 0)) region.style.position = 'relative'
    else scrollBy(0, -coveredPx)
  }
  // The browser scrolls to the focus after the event.
  const checkLater = () => requestAnimationFrame(check)
  // Also reports the first size. A message of the form moves its field later than the notice appears.
  const layout = new ResizeObserver(check)
  layout.observe(document.body)
  addEventListener('focusin', checkLater)
  return () => {
    layout.disconnect()
    removeEventListener('focusin', checkLater)
    region.style.position = ''
  }
}
