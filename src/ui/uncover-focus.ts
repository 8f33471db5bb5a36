/** Distance between a notice and the element below it: room for the focus ring. */
const gapPx = 12

/**
 * Scrolls the page when a notice at the top of the window covers the element that has the focus (WCAG 2.4.11). When the
 * window has no room for the notice and this element, the notice scrolls with the page. Returns the function that stops
 * this; undefined without a notice.
 */
export function uncoverFocus(notice: HTMLElement | null): (() => void) | undefined {
  const region = notice?.closest('section')
  if (!notice || !region) return undefined
  const check = () => {
    const focused = document.activeElement
    // The body and `main` can have the focus too, and contain the region. A modal dialog covers the region.
    if (!focused || focused.contains(region) || region.contains(focused) || focused.closest('dialog')) return
    const { top, bottom, height } = focused.getBoundingClientRect()
    const regionTop = region.getBoundingClientRect().top
    // `offsetTop` is the final position of the notice, also during its animation.
    const neededPx = notice.offsetTop + notice.offsetHeight + gapPx
    const coveredPx = regionTop + neededPx - top
    // An element above the region is not under the notice: it is in the header, or the applicant has scrolled it away.
    if (coveredPx <= 0 || bottom < regionTop) return
    // An on-screen keyboard makes only the visual viewport lower. `visualViewport` is null only in a page not shown.
    if (neededPx + height > (window.visualViewport?.height ?? 0)) region.style.position = 'relative'
    else scrollBy(0, -coveredPx)
  }
  // The browser scrolls to the focus after the event.
  const checkLater = () => requestAnimationFrame(check)
  // The observer also calls `check` at the start. A message of the form may move its field after the notice appeared.
  const sizeObserver = new ResizeObserver(check)
  sizeObserver.observe(document.body)
  addEventListener('focusin', checkLater)
  return () => {
    sizeObserver.disconnect()
    removeEventListener('focusin', checkLater)
    region.style.position = ''
  }
}
