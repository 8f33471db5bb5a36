// @vitest-environment happy-dom
import { createMemoryHistory, createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createNotices, type Notices } from '#app/notices.ts'
import { watchNavigation } from '#shell/watch-navigation.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

let notices: Notices
let turn: () => void
let stop: () => void

beforeEach(() => {
  document.body.innerHTML = '<main id="main" tabindex="-1"><h1 id="heading" tabindex="-1">Page</h1></main>'
  notices = createNotices(createFakeDevice())
  const { router, resolve } = createTurningRouter()
  turn = resolve
  stop = watchNavigation(router, notices)
})

afterEach(() => stop())

describe('a new screen', () => {
  it('receives the focus at its heading', () => {
    turn()
    expect(document.activeElement?.id).toBe('heading')
  })

  it('keeps the message that the action itself brought (D51)', () => {
    dispatchEvent(new Event('click'))
    notices.raise('success', { key: 'notice.codeSentPhone' })
    turn()
    expect(notices.state().last?.words).toEqual({ key: 'notice.codeSentPhone' })
  })

  it('settles what was said before the action (D51)', () => {
    notices.raise('warning', { key: 'notice.codeWrong' })
    dispatchEvent(new Event('click'))
    turn()
    expect(notices.state().last).toBeUndefined()
  })

  it('that the browser went back to settles it too', () => {
    notices.raise('warning', { key: 'notice.codeWrong' })
    dispatchEvent(new Event('popstate'))
    turn()
    expect(notices.state().last).toBeUndefined()
  })
})

/** A real router whose event of a finished turn is sent by hand. */
function createTurningRouter() {
  const root = createRootRoute()
  const page = createRoute({ getParentRoute: () => root, path: '/' })
  const router = createRouter({ routeTree: root.addChildren([page]), history: createMemoryHistory() })
  const { latestLocation } = router
  return {
    router,
    resolve: () =>
      router.emit({
        type: 'onResolved',
        fromLocation: latestLocation,
        toLocation: latestLocation,
        pathChanged: true,
        hrefChanged: true,
        hashChanged: false,
      }),
  }
}
