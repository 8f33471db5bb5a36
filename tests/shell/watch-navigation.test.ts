// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createListeners } from '#device/observable.ts'
import { createNotices, type Notices } from '#app/notices.ts'
import { watchNavigation } from '#shell/watch-navigation.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

let notices: Notices
let navigate: () => void
let stop: () => void

beforeEach(() => {
  document.body.innerHTML = '<main id="main" tabindex="-1"><h1 id="heading" tabindex="-1">Page</h1></main>'
  notices = createNotices(createFakeDevice())
  const arrivals = createListeners()
  navigate = arrivals.emit
  stop = watchNavigation({ onArrival: arrivals.subscribe, watchHistory: () => () => undefined }, notices)
})

afterEach(() => stop())

describe('watchNavigation', () => {
  it('moves the focus to the heading of the new screen', () => {
    navigate()
    expect(document.activeElement?.id).toBe('heading')
  })

  it('moves the focus to the field that has data-first-focus, and not to the heading', () => {
    document.querySelector('main')?.insertAdjacentHTML('beforeend', '<input id="otp" data-first-focus>')
    navigate()
    expect(document.activeElement?.id).toBe('otp')
  })

  it('keeps a notice that the last action raised (D51)', () => {
    dispatchEvent(new Event('click'))
    notices.raise('success', { key: 'notice.codeSentPhone' })
    navigate()
    expect(notices.state().last?.message).toEqual({ key: 'notice.codeSentPhone' })
  })

  it('keeps a notice when the portal itself presses the link of a download (D51, APT22)', () => {
    dispatchEvent(new Event('click'))
    notices.raise('success', { key: 'notice.accepted' })
    const link = document.createElement('a')
    link.download = 'PP-1.pdf'
    document.body.append(link)
    link.dispatchEvent(new Event('click', { bubbles: true }))
    navigate()
    expect(notices.state().last?.message).toEqual({ key: 'notice.accepted' })
  })

  it('removes a notice that is older than the last action (D51)', () => {
    notices.raise('warning', { key: 'notice.codeWrong' })
    dispatchEvent(new Event('click'))
    navigate()
    expect(notices.state().last).toBeUndefined()
  })

  it('removes an older notice after the Back button of the browser', () => {
    notices.raise('warning', { key: 'notice.codeWrong' })
    dispatchEvent(new Event('popstate'))
    navigate()
    expect(notices.state().last).toBeUndefined()
  })
})
