import { defaultLanguage, type Language, languageStorageKey, languages } from '#contract/codes.ts'
import type { Device } from '#device/device.ts'

/** The saved language, or French when none or an unknown one is saved (NAV19, NAV20). */
export function readLanguage(device: Device): Language {
  const stored = device.readText(languageStorageKey)
  return languages.find(language => language === stored) ?? defaultLanguage
}

export function saveLanguage(device: Device, language: Language): void {
  device.saveText(languageStorageKey, language)
}
