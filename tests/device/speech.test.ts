// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSpeech, splitSentence } from '#device/speech.ts'

type Utterance = EventTarget & { text: string; lang: string }

/** A fake of the browser's speech synthesis: it makes no sound, and sends an event when the test asks for one. */
function createFakeSynthesis(...languages: string[]) {
  const spoken: Utterance[] = []
  let cancelCount = 0
  // `remote fr-FR` stands for a French voice of a remote service.
  const voices = languages.map(lang => ({
    default: false,
    lang: lang.replace('remote ', ''),
    localService: !lang.startsWith('remote '),
    name: lang,
    voiceURI: lang,
  }))
  return {
    spoken,
    texts: () => spoken.map(({ text }) => text),
    cancels: () => cancelCount,
    send: (type: 'end' | 'error') => spoken.at(-1)?.dispatchEvent(new Event(type)),
    getVoices: () => voices,
    resume: () => undefined,
    cancel() {
      cancelCount += 1
      // Browsers end the utterance that they cancel.
      spoken.at(-1)?.dispatchEvent(new Event('error'))
    },
    speak: (utterance: SpeechSynthesisUtterance) => void spoken.push(utterance),
  }
}

class FakeUtterance extends EventTarget {
  lang = ''
  voice = null
  text: string
  constructor(text: string) {
    super()
    this.text = text
  }
}

beforeEach(() => void vi.stubGlobal('SpeechSynthesisUtterance', FakeUtterance))
afterEach(() => void vi.unstubAllGlobals())

it.each([[[]], [['']], [[' ', '']]])('ends at once when there is nothing to say: %j (NAV30)', sentences => {
  const synthesis = createFakeSynthesis('fr-FR')
  let ends = 0
  createSpeech(synthesis).speak(sentences, { language: 'fr', onEnd: () => (ends += 1) })
  expect({ ends, spoken: synthesis.texts() }).toEqual({ ends: 1, spoken: [] })
})

describe('the voices of a device (NAV30)', () => {
  it.each([
    [['fr-FR'], true],
    [['fr_FR'], true],
    [['fra-FRA'], true],
    [['FR'], true],
    [['remote fr-FR'], false],
    [['en-GB', 'frr-DE'], false],
    [[], false],
  ])('finds a French voice in %j: %s', (languages, expected) => {
    expect(createSpeech(createFakeSynthesis(...languages)).hasVoice('fr')).toBe(expected)
  })
})

describe('the speech of a device (NAV30)', () => {
  it('says nothing with a remote voice, and ends when the last voice of the device is removed', () => {
    const remote = createFakeSynthesis('remote fr-FR')
    let ends = 0
    createSpeech(remote).speak(['Un'], { language: 'fr', onEnd: () => (ends += 1) })
    expect([remote.texts(), ends]).toEqual([[], 1])

    const local = createFakeSynthesis('fr-FR')
    createSpeech(local).speak(['Un', 'Deux'], { language: 'fr', onEnd: () => (ends += 1) })
    local.getVoices().pop()
    local.send('end')
    expect([local.texts(), ends]).toEqual([['Un'], 2])
  })

  it('speaks one sentence after another in the language of the voice, then ends', () => {
    const synthesis = createFakeSynthesis('en-GB', 'fr_CM')
    let ends = 0
    const texts = ['Bonjour. Choisissez !', 'Nom']
    createSpeech(synthesis).speak(texts, { language: 'fr', onEnd: () => (ends += 1) })
    expect(synthesis.texts()).toEqual(['Bonjour.'])
    expect(synthesis.spoken[0]?.lang).toBe('fr-CM')
    synthesis.send('end')
    synthesis.send('end')
    expect(synthesis.texts()).toEqual(['Bonjour.', 'Choisissez !', 'Nom'])
    expect(ends).toBe(0)
    synthesis.send('end')
    expect([synthesis.texts().length, ends]).toEqual([3, 1])
  })

  it.each([
    ['a stop', (speech: ReturnType<typeof createSpeech>) => speech.stop()],
    [
      'an error of the browser',
      (_: unknown, { send }: ReturnType<typeof createFakeSynthesis>) => send('error'),
    ],
    ['leaving the page', () => dispatchEvent(new Event('pagehide'))],
    ['hiding the page', hidePage],
  ])('says nothing more after %s', (_name, act) => {
    const synthesis = createFakeSynthesis('fr-FR')
    const speech = createSpeech(synthesis)
    let ends = 0
    speech.speak(['Un', 'Deux'], { language: 'fr', onEnd: () => (ends += 1) })
    act(speech, synthesis)
    synthesis.send('end')
    expect([synthesis.texts(), synthesis.cancels(), ends]).toEqual([['Un'], 1, 1])
  })

  it('does not cancel while it is silent, because another page may speak', () => {
    const synthesis = createFakeSynthesis('fr-FR')
    createSpeech(synthesis).stop()
    expect(synthesis.cancels()).toBe(0)
  })
})

describe('splitSentence', () => {
  it('cuts after sentences and colons, and keeps dates and numbers whole', () => {
    expect(splitSentence('Payez 10 000 FCFA. Attendez… Vérifiez : 27.03.1990')).toEqual([
      'Payez 10 000 FCFA.',
      'Attendez…',
      'Vérifiez :',
      '27.03.1990',
    ])
  })

  it('cuts a sentence of more than 160 characters at a pause, or at a space when it has none', () => {
    const clause = `${'mot '.repeat(25)}mot`
    expect(splitSentence(`${clause}, ${clause}.`)).toEqual([`${clause},`, `${clause}.`])
    const parts = splitSentence(`${clause} ${clause}`)
    expect(parts.every(part => part.length <= 160)).toBe(true)
    expect(parts.join(' ')).toBe(`${clause} ${clause}`)
  })
})

function hidePage() {
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  document.dispatchEvent(new Event('visibilitychange'))
  visibility.mockRestore()
}
