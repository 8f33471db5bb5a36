/**
 * Beginnings of the keys that the sign-in pages show, and what surrounds every page: these words come before a page is
 * alive, all others after it.
 */
export const firstMessagePrefixes = [
  'app.',
  'button.',
  'captcha.',
  'failure.',
  'field.dialCode',
  'footer.',
  'hint.phone',
  'idle.',
  'issue.',
  'language.',
  'leaving.',
  'mail.',
  'mobile.',
  'notFound.',
  'notice.',
  'password.',
  'signIn.',
  'steps.',
  'update.',
  'welcome.',
] as const

export function isFirstMessage(key: string): boolean {
  return firstMessagePrefixes.some(beginning => key.startsWith(beginning))
}
