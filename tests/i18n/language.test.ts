import { afterEach, describe, expect, it, vi } from 'vitest'
import * as intl from '#i18n/intl.ts'
import { createLanguage } from '#i18n/language.ts'

afterEach(() => vi.restoreAllMocks())

/** From here on each load waits for `finish`, except the load of the first French messages. */
function holdLoads() {
  const held = new Map<string, () => void>()
  vi.spyOn(intl, 'loadMessageGroup').mockImplementation((language, group) => {
    if (language === 'fr' && group === 'first') return Promise.resolve({})
    return new Promise(resolve =>
      held.set(`${language} ${group}`, () => resolve({ [`${language} ${group}`]: [] })),
    )
  })
  const hasBegun = (load: string) => vi.waitFor(() => expect([...held.keys()]).toContain(load))
  const finish = async (load: string) => {
    await hasBegun(load)
    held.get(load)?.()
  }
  return { hasBegun, finish }
}

describe('createLanguage', () => {
  it('loads the sign-in messages first and adds a later group to the same state object', async () => {
    const language = await createLanguage('fr', () => undefined)
    const shown = language.current()
    expect(shown.messages['mobile.heading']).toBeDefined()
    expect(shown.messages['field.reason']).toBeUndefined()
    await language.loadMessages('rest')
    expect(language.current()).toBe(shown)
    expect(shown.messages['field.reason']).toBeDefined()
  })

  it('loads the first messages again when a bad connection has lost them, so that the portal starts (D88)', async () => {
    vi.spyOn(intl, 'loadMessageGroup').mockRejectedValueOnce(new TypeError('Failed to fetch'))
    const language = await createLanguage('fr', () => undefined)
    expect(language.current().messages['mobile.heading']).toBeDefined()
  })

  it('loads, in a language that is chosen later, all messages that the page has needed before (NAV21)', async () => {
    const language = await createLanguage('fr', () => undefined)
    await language.loadMessages('rest')
    await language.choose('en')
    expect(language.current().messages['field.reason']).toBeDefined()
  })

  it('stays in the language that was chosen last, when the one before loads longer (NAV18)', async () => {
    const saved: string[] = []
    const language = await createLanguage('fr', chosen => saved.push(chosen))
    // No other test of this file has loaded these messages in English.
    await language.loadMessages('legal')
    await Promise.all([language.choose('en'), language.choose('fr')])
    expect(language.current().language).toBe('fr')
    expect(saved).toEqual(['fr'])
  })

  it('loads the messages of the new language when the language changes during the load', async () => {
    const language = await createLanguage('fr', () => undefined)
    await Promise.all([language.choose('en'), language.loadMessages('rest')])
    expect(language.current().language).toBe('en')
    expect(language.current().messages['field.reason']).toBeDefined()
  })

  it('changes the language only when it has each group that the page got during the change (NAV21)', async () => {
    const { finish, hasBegun } = holdLoads()
    const language = await createLanguage('fr', () => undefined)
    const [tools, rest] = [language.loadMessages('tools'), language.loadMessages('rest')]
    const chosen = language.choose('en')
    await finish('fr tools')
    await tools
    await finish('en first')
    // The page has got `tools` since the loads of English began, so English loads it too.
    await hasBegun('en tools')
    await finish('fr rest')
    await rest
    await finish('en tools')
    await finish('en rest')
    await chosen
    expect(language.current().language).toBe('en')
    expect(Object.keys(language.current().messages).toSorted()).toEqual(['en first', 'en rest', 'en tools'])
  })
})
