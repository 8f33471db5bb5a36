import type { Speech } from './device.ts'
import { doNothing } from './do-nothing.ts'

/** The part of the browser's speech function that this file uses. */
type Synthesis = Pick<SpeechSynthesis, 'cancel' | 'getVoices' | 'resume' | 'speak'>

/** A longer sentence is spoken in parts: Chromium stops some voices when about 15 seconds pass without an event. */
const maxSentenceChars = 160

/**
 * Speech by the voices of this device. Never speaks with a voice that the browser marks as remote, because it would cost
 * data and send the text to its maker.
 */
export function createSpeech(synthesis: Synthesis = speechSynthesis): Speech {
  // Chromium drops an utterance that no variable holds: then its events never come.
  let current: SpeechSynthesisUtterance | undefined
  let finish: () => void = doNothing

  const findVoice = (language: string) =>
    synthesis.getVoices().find(voice => voice.localService && isVoiceOf(voice, language))

  function speakNext(parts: readonly string[], language: string) {
    const [part, ...rest] = parts
    const voice = findVoice(language)
    if (part === undefined || !voice) return stop()
    const utterance = new SpeechSynthesisUtterance(part)
    // Chromium on Android ignores the voice and obeys the language.
    utterance.lang = voice.lang.replace('_', '-')
    utterance.voice = voice
    // After a stop, cancel() still sends events of the stopped utterance, which is then no longer `current`.
    utterance.addEventListener('end', () => current === utterance && speakNext(rest, language))
    utterance.addEventListener('error', () => current === utterance && stop())
    current = utterance
    synthesis.speak(utterance)
  }

  function stop() {
    if (!current) return
    current = undefined
    synthesis.cancel()
    removeEventListener('pagehide', stop)
    document.removeEventListener('visibilitychange', stopWhenHidden)
    const finished = finish
    finish = doNothing
    finished()
  }

  function stopWhenHidden() {
    if (document.visibilityState === 'hidden') stop()
  }

  return {
    hasVoice: language => findVoice(language) !== undefined,
    speak(sentences, { language, onEnd }) {
      stop()
      const parts = sentences.flatMap(splitSentence)
      // The device may have lost its voice since `hasVoice`. The browser would then choose a voice, perhaps a remote one.
      if (parts.length === 0 || !findVoice(language)) return onEnd()
      finish = onEnd
      addEventListener('pagehide', stop)
      document.addEventListener('visibilitychange', stopWhenHidden)
      // A page that was closed while it spoke can leave the queue of the browser paused.
      synthesis.resume()
      speakNext(parts, language)
    },
    stop,
  }
}

/** Android writes `fr_FR`, and some phone makers write `fra`. */
function isVoiceOf({ lang }: SpeechSynthesisVoice, language: string): boolean {
  const [code = ''] = lang.toLowerCase().split(/[-_]/)
  return code === language || code === threeLetterCodes[language]
}

const threeLetterCodes: Partial<Record<string, string>> = { fr: 'fra', en: 'eng' }

/**
 * Cuts a text after its sentences and colons. Cuts a long sentence at its last pause before the limit; without one, at
 * its last space; without both, at the limit.
 */
export function splitSentence(text: string): string[] {
  return text.split(/(?<=[.!?…:])\s+/).flatMap(cutLong)
}

function cutLong(sentence: string): string[] {
  if (sentence.length <= maxSentenceChars) return sentence.trim() === '' ? [] : [sentence]
  const start = sentence.slice(0, maxSentenceChars)
  const pause = Math.max(start.lastIndexOf(', '), start.lastIndexOf('; '))
  const end = pause > 0 ? pause + 1 : start.lastIndexOf(' ')
  const cut = end > 0 ? end : maxSentenceChars
  return [sentence.slice(0, cut), ...cutLong(sentence.slice(cut).trim())]
}
