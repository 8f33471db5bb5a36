import { describe, expect, it } from 'vitest'
import { createLanguage } from '#i18n/language.ts'

describe('the words of a language', () => {
  it('begin with those of the sign-in pages; the others come after them, without a change of what is drawn', async () => {
    const language = await createLanguage('fr', () => undefined)
    const drawn = language.current()
    expect(drawn.messages['mobile.heading']).toBeDefined()
    expect(drawn.messages['field.reason']).toBeUndefined()
    await language.loadOtherMessages()
    expect(language.current()).toBe(drawn)
    expect(drawn.messages['field.reason']).toBeDefined()
  })

  it('are all there in a language that is chosen afterwards (NAV21)', async () => {
    const language = await createLanguage('fr', () => undefined)
    await language.loadOtherMessages()
    await language.choose('en')
    expect(language.current().messages['field.reason']).toBeDefined()
  })

  it('are all there where the language is switched while they are on their way', async () => {
    const language = await createLanguage('fr', () => undefined)
    await Promise.all([language.choose('en'), language.loadOtherMessages()])
    expect(language.current().language).toBe('en')
    expect(language.current().messages['field.reason']).toBeDefined()
  })
})
