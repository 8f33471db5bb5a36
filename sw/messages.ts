import { type Language, languages } from '#contract/codes.ts'
import { isRecord } from './is-record.ts'

/** Files of the form, of the later screens and of the English texts: cached when a page asks for them, so that a first visit loads little. */
export type PartName = 'form' | 'later' | 'en'

export function messageType(data: unknown): unknown {
  return isRecord(data) ? data['type'] : undefined
}

/** Returns the current language of a page that sent a LANGUAGE message. */
export function languageOf(data: unknown): Language | undefined {
  if (!isRecord(data) || data['type'] !== 'LANGUAGE') return undefined
  return languages.find(language => language === data['language'])
}

/** Returns the part that a KEEP message names. */
export function partToCache(data: unknown): PartName | undefined {
  if (!isRecord(data) || data['type'] !== 'KEEP') return undefined
  const names: PartName[] = ['form', 'later', 'en']
  return names.find(name => name === data['part'])
}
