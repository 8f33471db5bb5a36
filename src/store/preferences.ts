import { defaultLanguage, type Language, languageStorageKey, languages } from '#contract/codes.ts'
import type { Device } from '#device/device.ts'

/** The stored language; French while nothing, or nothing known, is stored (NAV19, NAV20). */
export function storedLanguage(device: Device): Language {
  const stored = device.recall(languageStorageKey)
  return languages.find(language => language === stored) ?? defaultLanguage
}

export function storeLanguage(device: Device, language: Language): void {
  device.remember(languageStorageKey, language)
}
