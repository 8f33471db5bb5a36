import { describe, expect, it } from 'vitest'
import { createLanguage } from '#i18n/language.ts'

describe('createLanguage', () => {
  it('loads the sign-in messages first and adds a later group without a new state', async () => {
    const language = await createLanguage('fr', () => undefined)
    const shown = language.current()
    expect(shown.messages['mobile.heading']).toBeDefined()
    expect(shown.messages['field.reason']).toBeUndefined()
    await language.loadMessages('rest')
    expect(language.current()).toBe(shown)
    expect(shown.messages['field.reason']).toBeDefined()
  })

  it('loads the messages that the page has needed also in a language that is chosen later (NAV21)', async () => {
    const language = await createLanguage('fr', () => undefined)
    await language.loadMessages('rest')
    await language.choose('en')
    expect(language.current().messages['field.reason']).toBeDefined()
  })

  it('stays in the language that was chosen last, when the one before loads longer (NAV18)', async () => {
    const saved: string[] = []
    const language = await createLanguage('fr', chosen => saved.push(chosen))
    // No other test has loaded these messages in English.
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
})
