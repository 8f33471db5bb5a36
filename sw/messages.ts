import { type Language, languages, type PartName, partNames } from '#contract/codes.ts'
import { isRecord } from './is-record.ts'

export function messageType(data: unknown): unknown {
  return isRecord(data) ? data['type'] : undefined
}

/** Returns the current language of a page that sent a LANGUAGE message. */
export function languageOf(data: unknown): Language | undefined {
  if (!isRecord(data) || data['type'] !== 'LANGUAGE') return undefined
  return languages.find(language => language === data['language'])
}

/** Returns the group of files (`partNames`) that a page asks to cache with a KEEP message. */
export function partToCache(data: unknown): PartName | undefined {
  if (!isRecord(data) || data['type'] !== 'KEEP') return undefined
  return partNames.find(name => name === data['part'])
}
