import { describe, expect, it } from 'vitest'
import { createHiddenAddresses } from '#app/hidden-addresses.ts'
import { TokenClaims } from '#contract/session.ts'
import { createSessionStore } from '#session/session-state.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'

const claims = TokenClaims.parse({ applicantId: 'ap-1', iat: 1_000, exp: 1_900 })
const origin = 'https://portal.test'
const form = '/form/0b5f9a9c-0000-4000-8000-000000000001/PS-2026-000001/NicData'
const result = '/payResult/0b5f9a9c-0000-4000-8000-000000000001/PS-2026-000001/pay-77'

describe('the addresses of a shared device (D31)', () => {
  it.each([form, `${form}?handover=1#x`, result])('hide every id and open the same screen: %s', address => {
    const { open, hide } = openTab()
    const hidden = hide(address)
    expect(hidden).not.toMatch(/0b5f9a9c|PS-2026|pay-77/)
    expect(hidden.split('/')[1]).toBe(address.split('/')[1])
    expect(open(hidden)).toBe(address)
  })

  it('keep the name of the form’s tab (NicData) readable, and are the same each time', () => {
    const { hide } = openTab()
    expect(hide(form)).toMatch(/\/NicData$/)
    expect(hide(form)).toBe(hide(form))
    expect(hide(hide(form))).toBe(hide(form))
  })

  it('open the same screen after a reload of the tab, and write no id to the tab storage', async () => {
    const texts: (string | undefined)[] = []
    const plain = createFakeDevice()
    const device: FakeDevice = {
      ...plain,
      saveTabText(key, text) {
        texts.push(text)
        plain.saveTabText(key, text)
      },
    }
    const rows = new Map<string, unknown>()
    const hidden = openTab({ device, rows }).hide(form)
    await expect.poll(() => rows.size).toBe(1)
    const reloaded = openTab({ device, rows })
    await reloaded.restore(hidden)
    expect(reloaded.open(hidden)).toBe(form)
    // The random name of the saved row, before and after the reload.
    expect(texts).toHaveLength(2)
    expect(texts.join()).not.toMatch(/0b5f9a9c|PS-2026/)
  })

  it('are saved after the session is back, when a card gateway returns to a page that has no session yet', async () => {
    const rows = new Map<string, unknown>()
    const device = createFakeDevice()
    const tab = openTab({ device, rows, signedIn: false })
    const hidden = tab.hide(result)
    await tab.whenSaved()
    expect(rows.size).toBe(0)
    tab.signIn()
    await expect.poll(() => rows.size).toBe(1)
    const reloaded = openTab({ device, rows })
    await reloaded.restore(hidden)
    expect(reloaded.open(hidden)).toBe(result)
  })

  it('hide a text for the history state, which the same tab can read, also after a reload', async () => {
    const text = '{"appNumber":"PS-2026-000001"}'
    const rows = new Map<string, unknown>()
    const device = createFakeDevice()
    const tab = openTab({ device, rows })
    const hidden = tab.hideText(text)
    expect(hidden).not.toContain('PS-2026')
    expect(tab.readText(hidden)).toBe(text)
    await expect.poll(() => rows.size).toBe(1)
    const reloaded = openTab({ device, rows })
    await reloaded.restore('/cardPayment')
    expect(reloaded.readText(hidden)).toBe(text)
    expect(openTab().readText(hidden)).toBe(hidden)
  })

  it('open the list of applications for the next applicant of the same page, and the row that is saved then has no alias of the applicant before', async () => {
    const rows = new Map<string, unknown>()
    const tab = openTab({ rows })
    const hidden = tab.hide(form)
    await expect.poll(() => rows.size).toBe(1)
    tab.end()
    rows.clear()
    tab.signIn('ap-2')
    expect(tab.open(hidden)).toBe('/procedure')
    tab.hide(result)
    await expect.poll(() => rows.size).toBe(1)
    const saved = JSON.stringify([...rows.values()])
    expect(saved).toContain('pay-77')
    // One for each of the three texts in the address of the result.
    expect(saved.match(/~/g)).toHaveLength(3)
  })

  it('open the same screen when the same applicant signs in again on this page', () => {
    const tab = openTab()
    const hidden = tab.hide(form)
    tab.end()
    tab.signIn()
    expect(tab.open(hidden)).toBe(form)
  })

  it('open the list in another tab, which does not know the aliases', () => {
    expect(openTab().open(openTab().hide(form))).toBe('/procedure')
  })

  it.each(['/', '/mobile', '/procedure', '/verify#code'])('have nothing to hide: %s', address => {
    expect(openTab().hide(address)).toBe(address)
  })
})

describe('the addresses of the applicant’s own device', () => {
  it('stay readable', () => {
    const { hide, readText } = openTab({ isShared: false })
    expect(hide(form)).toBe(form)
    expect(readText('{"a":1}')).toBe('{"a":1}')
  })
})

type Tab = { device?: FakeDevice; rows?: Map<string, unknown>; isShared?: boolean; signedIn?: boolean }

function openTab({
  device = createFakeDevice(),
  rows = new Map<string, unknown>(),
  isShared = true,
  signedIn = true,
}: Tab = {}) {
  const store = createSessionStore()
  const setSignedIn = (applicantId = 'ap-1') =>
    store.setState({ kind: 'signed-in', claims: TokenClaims.parse({ ...claims, applicantId }) })
  if (signedIn) setSignedIn()
  const { rewrite, hide, aliases, restore, whenSaved } = createHiddenAddresses({
    device,
    isShared: () => isShared,
    session: {
      signedInId: store.signedInId,
      subscribe: store.subscribe,
      async ready() {
        setSignedIn()
        return store.state()
      },
    },
    cache: {
      write: async (name, value) => void rows.set(name, value),
      read: async name => rows.get(name),
    },
  })
  return {
    hide,
    hideText: aliases.aliasOf,
    readText: aliases.idOf,
    restore,
    whenSaved,
    signIn: setSignedIn,
    end: () => store.setState({ kind: 'signed-out' }),
    open: (address: string): string => {
      const { pathname, search, hash } = rewrite.input({ url: new URL(address, origin) }) as URL
      return pathname + search + hash
    },
  }
}
