import type { BrowserContext, Page } from 'playwright-core'

/** Gives every page voices of these languages, which arrive late, as in Chromium. The speech never ends by itself. */
export async function installFakeSpeech(
  context: BrowserContext,
  languages: readonly string[],
): Promise<void> {
  await context.addInitScript(replaceSpeech, languages)
}

/** The sentence that the page speaks now; undefined while it is silent. */
export function spokenOn(page: Page): Promise<{ text: string; lang: string } | undefined> {
  return page.evaluate(() => Reflect.get(window, 'spokenNow'))
}

/** Runs in the page. */
function replaceSpeech(languages: readonly string[]) {
  const voices = languages.map(lang => ({
    lang,
    localService: true,
    name: lang,
    voiceURI: lang,
    default: false,
  }))
  let loaded: typeof voices = []
  const speech = Object.assign(new EventTarget(), {
    getVoices: () => loaded,
    speak: ({ text, lang }: SpeechSynthesisUtterance) =>
      void Object.assign(window, { spokenNow: { text, lang } }),
    cancel: () => void Object.assign(window, { spokenNow: undefined }),
    resume: () => undefined,
  })
  Object.defineProperty(window, 'speechSynthesis', { value: speech })
  // The voice of a real utterance must be a real voice.
  Object.defineProperty(window, 'SpeechSynthesisUtterance', {
    value: class extends EventTarget {
      text: string
      constructor(text: string) {
        super()
        this.text = text
      }
    },
  })
  addEventListener('load', () => {
    loaded = voices
    speech.dispatchEvent(new Event('voiceschanged'))
  })
}
