/**
 * Key prefixes of the messages on the sign-in pages and in the frame around every page. These messages load before
 * hydration, all others after it.
 */
const firstMessagePrefixes = [
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

/** Whether the message of this key loads before hydration. */
export function isFirstMessage(key: string): boolean {
  return firstMessagePrefixes.some(beginning => key.startsWith(beginning))
}
