import type { ComponentType } from 'react'
import type { EntryPath } from '#contract/codes.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'

const loaders: Record<EntryPath, () => Promise<ComponentType>> = {
  '/': async () => (await import('#screens/welcome/welcome-screen.tsx')).WelcomeScreen,
  '/mobile': async () => (await import('#screens/mobile/mobile-screen.tsx')).MobileScreen,
  '/mail': async () => (await import('#screens/mail/mail-screen.tsx')).MailScreen,
  '/password': async () => (await import('#screens/password/password-screen.tsx')).PasswordScreen,
}

/** Loads a screen that the build also prerenders. */
export function loadEntryScreen(path: EntryPath): Promise<ComponentType> {
  return loadWithRetry(loaders[path])
}
