// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'

let portal: Portal
/** The scripts of Google that the page has requested. */
let scripts: HTMLScriptElement[]
beforeEach(() => {
  scripts = []
  const append = document.head.append.bind(document.head)
  vi.spyOn(document.head, 'append').mockImplementation((...nodes) => {
    for (const node of nodes)
      if (node instanceof HTMLScriptElement) scripts.push(node)
      else append(node)
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  delete window.grecaptcha
  await portal.close()
})

const t = textsOf('fr')

/**
 * Requests a code on the page for the e-mail address. The server demands reCAPTCHA with these status codes, one after the other,
 * and the page then requests its script.
 */
async function open(...statusCodes: number[]) {
  const demands = statusCodes.map(statusCode => ({ json: { data: { statusCode } } }))
  portal = await openPortal({
    path: '/mail',
    answer({ url }) {
      if (url.includes('/version')) return { json: { data: { version: '1', otpTtl: 60, features: [] } } }
      if (url.includes('/getSiteKey')) return { json: { data: 'site-key' } }
      if (url.includes('/auth')) return demands.shift()
      return undefined
    },
  })
  await portal.heading(t('mail.heading'))
  portal.type('email', 'awa@example.cm')
  portal.button(t('button.continue')).click()
  await seeScript()
}

const seeScript = () => portal.see(() => expect(scripts).not.toEqual([]))
const seeFailure = () =>
  portal.see(() => expect(portal.main().textContent).toContain(t('captcha.loadFailed')))

/** Both scripts of Google have loaded. Returns the fake function that shows the captcha. */
function finishLoading() {
  const render = vi.fn((container: HTMLElement, _options: { callback: (answer: string) => void }) =>
    container.append('reCAPTCHA'),
  )
  Object.assign(window, { grecaptcha: { render } })
  window.recaptchaIsReady?.()
  return render
}

describe('reCAPTCHA on a bad connection (SIG12, D24)', () => {
  it('can be loaded again after its script was lost', async () => {
    await open(3)
    for (const script of scripts.splice(0)) script.dispatchEvent(new Event('error'))
    await seeFailure()
    portal.button(t('button.retry')).click()
    await seeScript()
    const render = finishLoading()
    await portal.see(() => expect(render).toHaveBeenCalledOnce())
    expect(portal.main().textContent).not.toContain(t('captcha.loadFailed'))
  })

  it('can be loaded again after its second script was lost: the first one loads it, and no event reports the loss', async () => {
    await open(3)
    // The first script has run; the script that it loads does not arrive.
    window.grecaptcha = {}
    await portal.device.advance(30_000)
    await seeFailure()
    scripts.length = 0
    portal.button(t('button.retry')).click()
    await seeScript()
    const render = finishLoading()
    await portal.see(() => expect(render).toHaveBeenCalledOnce())
    expect(portal.main().textContent).not.toContain(t('captcha.loadFailed'))
  })

  it('says that the answer was wrong, and asks again', async () => {
    await open(3, 8)
    const render = finishLoading()
    await portal.see(() => expect(render).toHaveBeenCalledOnce())
    expect(portal.main().textContent).not.toContain(t('captcha.failed'))
    solve(render)
    await portal.see(() => expect(portal.main().textContent).toContain(t('captcha.done')))
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('captcha.failed')))
    await portal.see(() => expect(render).toHaveBeenCalledTimes(2))
  })
})

/** Gives the answer of the applicant to the callback that the page has passed on. */
function solve(render: ReturnType<typeof finishLoading>) {
  const [, { callback } = { callback: () => {} }] = render.mock.calls[0] ?? []
  callback('an answer')
}
