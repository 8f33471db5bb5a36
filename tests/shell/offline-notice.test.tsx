// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { unloadWarning } from '#device/unload-warning.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal
afterEach(() => {
  vi.restoreAllMocks()
  return portal.close()
})

const unsent: Partial<Draft> = { create: { key: 'key-1' } }
const refused: Partial<Draft> = { stuck: { kind: 'refused', faults: [] } }

it.each([
  ['says that unsent answers will be sent', { 'local-1': unsent }, true],
  ['does not say so of answers that the server has refused', { 'app-1': refused }, false],
  [
    'does not say so when only some are sent without the applicant',
    { 'local-1': unsent, 'app-1': refused },
    false,
  ],
] as const)('the notice of a lost connection %s (OFF06, D30)', async (_, drafts, isSaid) => {
  // The portals of earlier tests in this process share the warning.
  vi.spyOn(unloadWarning, 'state').mockReturnValue(false)
  portal = await openPortal({
    path: '/procedure',
    answer: ({ method }) => (method === 'POST' ? 'hangs' : undefined),
  })
  for (const [id, fields] of Object.entries(drafts))
    await portal.store.drafts.update(id, () => ({
      ...newDraft({ values: firstPassport, tab: 'NicData' }),
      ...fields,
    }))
  await portal.see(() => expect(portal.services.sync.list()).toHaveLength(Object.keys(drafts).length))
  portal.device.setOnline(false)
  await portal.see(() => expect(document.body.textContent).toContain(t('notice.offline')))
  expect(document.body.textContent?.includes(t('notice.keptUnsent'))).toBe(isSaid)
})

it.each(['/mobile', '/procedure'])(
  'a step that needs the service says at %s that it needs a connection, because the banner already says that there is none (SIG05, ERR25)',
  async path => {
    const version = { version: '1', time: '2026-06-15T09:00:00Z', features: ['contacts'] }
    portal = await openPortal({
      path,
      claims: { msisdn: '237671234567', email: null },
      answer: ({ url }) => (url.includes('/version') ? { json: { data: version } } : undefined),
    })
    const label = path === '/mobile' ? 'button.continue' : 'procedure.addEmail'
    await portal.see(() => portal.button(t(label)))
    if (path === '/mobile') portal.type('phoneNumber', '671234567')
    portal.device.setOnline(false)
    await portal.see(() => expect(document.body.textContent).toContain(t('notice.offline')))
    portal.button(t(label)).click()
    await portal.see(() => expect(document.body.textContent).toContain(t('notice.needsConnection')))
    expect(document.body.textContent?.split(t('notice.offline'))).toHaveLength(2)
    // The notice is no longer true when the device is online again.
    portal.device.setOnline(true)
    await portal.see(() => expect(portal.notices.state()).toEqual({ shown: undefined, last: undefined }))
  },
)
