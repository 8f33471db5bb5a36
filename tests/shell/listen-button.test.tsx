// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import type { MessageKey } from '#i18n/intl.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal, type PortalOptions } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

async function open(options: Partial<PortalOptions> = {}) {
  portal = await openPortal({ path: '/form/app-1/PP-1/GeneralData', ...options })
  await portal.see(() => expect(portal.main().querySelector('form [name]')).not.toBeNull())
}

function startButton(root: Element = portal.main()): HTMLButtonElement | null {
  return root.querySelector(`button[aria-label="${t('listen.start')}"]`)
}

const dialog = () => document.querySelector('dialog[open]') ?? document.createElement('dialog')
const stopButton = () => portal.main().querySelector<HTMLElement>(`button[aria-label="${t('listen.stop')}"]`)

async function listen() {
  portal.device.addVoices('fr')
  // In development React mounts each component twice, and the first unmount stops the speech.
  await portal.see(() => {
    if (!portal.device.spoken()) startButton()?.click()
    expect(portal.device.spoken()).toBeDefined()
    expect(stopButton()).not.toBeNull()
  })
}

const besideHeading = () => document.querySelector('h1 + button')?.getAttribute('aria-label')

const sentences = () => portal.device.spoken()?.sentences ?? []

describe('the button that reads a page aloud (NAV30)', () => {
  it('appears beside the heading when a voice of the language arrives, and only then', async () => {
    await open()
    portal.device.addVoices('en')
    await portal.see(() => expect(portal.language.current().messages['listen.start']).toBeDefined())
    expect(startButton()).toBeNull()
    portal.device.addVoices('fr')
    await portal.see(() => expect(startButton()?.previousElementSibling?.tagName).toBe('H1'))
  })

  it('reads headings, labels and hints in their order, and then offers itself again', async () => {
    await open({ path: '/form/app-1/PP-1/PersonData' })
    await listen()
    expect(portal.device.spoken()?.language).toBe('fr')
    const heard = sentences()
    const expected = [t('tab.PersonData'), t('section.identity'), t('field.surname'), t('hint.names')]
    expect(expected.map(text => heard.indexOf(text)).toSorted((a, b) => a - b)).toEqual(
      expected.map(text => heard.indexOf(text)),
    )
    expect(heard[0]).toBe(t('tab.PersonData'))
    expect(stopButton()).not.toBeNull()
    portal.device.endSpeech()
    await portal.see(() => expect(startButton()).not.toBeNull())
  })

  it('reads the errors that the page shows, each with its field', async () => {
    await open()
    portal.button(t('button.continue')).click()
    const fault = t('form.fault', { field: t('field.travelDestination'), fault: t('issue.required') })
    await portal.see(() => expect(portal.main().textContent).toContain(fault))
    await listen()
    // Spoken texts have plain spaces.
    expect(sentences()).toContain(fault.replaceAll(/\s/g, ' '))
    expect(sentences()).toContain(t('issue.required').replaceAll(/\s/g, ' '))
  })

  it.each<[string, string, MessageKey[]]>([
    [
      'the ways to sign in, and what to know before',
      '/',
      ['welcome.phone', 'welcome.phoneDetail', 'welcome.email', 'welcome.time', 'welcome.papersText'],
    ],
    ['a checkbox with its explanation', '/mobile', ['signIn.shared', 'signIn.sharedDetail']],
    ['the next act', '/form/app-1/PP-1/GeneralData', ['field.travelDestination', 'button.continue']],
    ['the questions of the help one by one', '/help', ['help.notFound.question', 'help.paidTwice.question']],
    ['the paragraphs of a legal page', '/legal', ['legal.operatorUnknown', 'legal.hostUnknown']],
    [
      'the answers of a short list',
      '/form/app-1/PP-1/NicData',
      ['field.selectNic', 'nic.1', 'nic.2', 'nic.3'],
    ],
    [
      'for whom an application may start',
      '/procedure',
      ['for.question', 'for.me', 'procedure.new', 'for.child'],
    ],
  ])('reads %s', async (_, path, keys) => {
    // The list offers a new application only while no application is in state NEW or DATA_SAVED (LST07).
    portal = await openPortal({ path, state: path === '/procedure' ? 'SENT_TO_CM' : 'NEW' })
    const expected = keys.map(key => t(key).replaceAll(/\s/g, ' '))
    await portal.see(() => expect(portal.main().textContent).toContain(t(keys[0] ?? 'app.name')))
    await listen()
    expect(sentences().filter(text => expected.includes(text))).toEqual(expected)
  })

  it('reads no answer of the applicant and no application number', async () => {
    await open({ path: '/form/app-1/PP-1/PersonData', data: { givenName: 'Anaïs' } })
    portal.answer('surname', 'Njantchou')
    await listen()
    expect(sentences().join()).not.toMatch(/Njantchou|Anaïs/)
    await portal.router.navigate({ to: '/procedure' })
    // The form has the number too.
    await portal.heading(t('procedure.heading'))
    await portal.see(() => expect(portal.main().textContent).toContain('PP-1'))
    await portal.see(() => expect(portal.device.spoken()).toBeUndefined())
    await listen()
    expect(sentences()).toContain(t('procedure.lead'))
    expect(sentences().join()).not.toContain('PP-1')
  })

  it('offers itself again when the device has lost its voice before the press', async () => {
    await open()
    portal.device.addVoices('fr')
    await portal.see(() => expect(startButton()).not.toBeNull())
    portal.device.removeVoices()
    startButton()?.click()
    // React renders the press first.
    await new Promise(resolve => setTimeout(resolve))
    expect(stopButton()).toBeNull()
    expect(startButton()).not.toBeNull()
  })

  it('stops at the second press', async () => {
    await open()
    await listen()
    await portal.see(() =>
      portal
        .main()
        .querySelector<HTMLElement>(`button[aria-label="${t('listen.stop')}"]`)
        ?.click(),
    )
    expect(portal.device.spoken()).toBeUndefined()
  })

  it.each<[string, () => unknown]>([
    ['another tab of the form opens', () => portal.router.navigate({ href: '/form/app-1/PP-1/ParentData' })],
    ['the language changes', () => portal.language.choose('en')],
    ['the session ends', () => portal.services.session.logOut()],
  ])('stops when %s', async (_name, act) => {
    await open()
    await listen()
    expect(portal.device.spoken()).toBeDefined()
    await act()
    await portal.see(() => expect(portal.device.spoken()).toBeUndefined())
  })

  it('reads a dialog alone while one is open', async () => {
    await open()
    await listen()
    portal.button(t('earlier.button')).click()
    await portal.see(() => expect(startButton(dialog())).not.toBeNull())
    // The second mount of the button in the dialog, as in development, has stopped the speech of the page.
    await listen()
    expect(besideHeading()).toBe(t('listen.stop'))
    startButton(dialog())?.click()
    expect(sentences()[0]).toBe(t('earlier.button'))
    expect(sentences()).not.toContain(t('tab.GeneralData'))
    // The button of the page offers itself again, because its speech has stopped.
    await portal.see(() => expect(besideHeading()).toBe(t('listen.start')))
    expect(startButton(dialog())).toBeNull()
  })
})
