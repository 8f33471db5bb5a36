/** The parts of a catalogue. The build makes a file of each; src/i18n/catalogue.d.ts declares them too. */
export const messageGroups = ['first', 'verify', 'help', 'tools', 'rest'] as const
export type MessageGroup = (typeof messageGroups)[number]

/**
 * Key prefixes of the messages on the sign-in pages and in the frame around every page. These messages load before
 * hydration.
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

/** Messages of the group `rest` that the page that verifies receipts uses too; the group `verify` has them as well. */
const sharedWithVerify: readonly string[] = [
  'schedule.office',
  'appointment.date',
  'appointment.generalQueue',
]

/** Whether the message of this key loads before hydration. */
export function isFirstMessage(key: string): boolean {
  return firstMessagePrefixes.some(beginning => key.startsWith(beginning))
}

/**
 * Whether a group has the message of this key. `first` loads before hydration, `verify` with the page that verifies
 * receipts, `help` with the page of help, `tools` with the tools of the header and of the headings, `rest` with the
 * screens after the sign-in.
 */
export function isInGroup(key: string, group: MessageGroup): boolean {
  const isVerify = key.startsWith('verify.')
  switch (group) {
    case 'first':
      return isFirstMessage(key)
    case 'verify':
      return isVerify || sharedWithVerify.includes(key)
    case 'help':
      return key.startsWith('help.')
    case 'tools':
      return key.startsWith('listen.') || key.startsWith('kiosk.')
    case 'rest':
      return !isFirstMessage(key) && !isVerify && !isInGroup(key, 'help') && !isInGroup(key, 'tools')
  }
}
