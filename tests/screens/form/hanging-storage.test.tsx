// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { replaceStores, withoutEvents } from '#support/providers/failing-storage.ts'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
const features = { json: { data: { version: '1', features: ['drafts'] } } }
let portal: Portal

beforeEach(async () => {
  portal = await openPortal({
    path: '/form/app-1/PP-1/GeneralData',
    answer: ({ url }) => (url.endsWith('/version') ? features : undefined),
  })
  await portal.see(() => expect(portal.main().querySelector('[name=travelDestination]')).not.toBeNull())
})

afterEach(() => {
  vi.restoreAllMocks()
  return portal.close()
})

// In the browsers a write that hangs also holds up the reads behind it.
it.each(['writes', 'reads and writes'] as const)(
  'D30 says that the device does not save when its storage never ends %s, and sends the answers to the server',
  async work => {
    hang(work)
    portal.answer('travelDestination', 'Gabon')
    await portal.seeAsTimePasses(() => expect(shown()).toContain(t('form.notKeptRescue')))
    expect(shown()).toContain(t('form.whyHangs'))
    expect(shown()).not.toContain(t('form.kept'))
    await portal.seeAsTimePasses(() => expect(sentDestinations()).toContain('Gabon'))
  },
)

it('D137 leaves the applicant on the page that they open while Cancel waits for a storage that hangs', async () => {
  hang('writes')
  portal.answer('travelDestination', 'Gabon')
  portal.button(t('button.cancel')).click()
  await portal.router.navigate({ to: '/help' })
  await portal.heading(t('help.heading'))
  // The sync sends the answers after the write has failed.
  await portal.seeAsTimePasses(() => expect(sentDestinations()).toContain('Gabon'))
  await settle()
  expect(location.pathname).toBe('/help')
})

const shown = () => portal.main().textContent

function sentDestinations() {
  const bodies = portal.requests.flatMap(({ method, body }) => (method === 'POST' ? [body] : []))
  return bodies.map(body => body instanceof Object && Reflect.get(body, 'travelDestination'))
}

/** From now on, these requests of the storage emit no event, as in Safari. */
function hang(work: 'writes' | 'reads and writes') {
  replaceStores((store, mode) =>
    work === 'reads and writes' || mode === 'readwrite' ? withoutEvents(store) : store,
  )
}
