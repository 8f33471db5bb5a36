import { type Language, languages } from '#contract/codes.ts'
import { isRecord } from './records.ts'

/** What only somebody who signed in can use: kept once a page asks for it, so that a look at the portal costs little. */
export type PartName = 'form' | 'later' | 'en'

export function messageType(data: unknown): unknown {
  return isRecord(data) ? data['type'] : undefined
}

/** The language in force on a page. */
export function languageOf(data: unknown): Language | undefined {
  if (!isRecord(data) || data['type'] !== 'LANGUAGE') return undefined
  return languages.find(language => language === data['language'])
}

export function partToCache(data: unknown): PartName | undefined {
  if (!isRecord(data) || data['type'] !== 'KEEP') return undefined
  const names: PartName[] = ['form', 'later', 'en']
  return names.find(name => name === data['part'])
}
