/** The parts of a catalogue. The build makes a file of each; src/i18n/catalogue.d.ts declares them too. */
export const messageGroups = ['first', 'verify', 'help', 'legal', 'tools', 'rest'] as const
export type MessageGroup = (typeof messageGroups)[number]

/**
 * Key prefixes of the messages on the sign-in pages and in the frame around every page. These messages load before
 * hydration.
 */
const firstMessagePrefixes = [
  'app.',
  'button.back',
  'button.busy',
  'button.close',
  'button.continue',
  'button.hide',
  'button.logOut',
  'button.retry',
  'button.show',
  'failure.',
  'field.dialCode',
  'footer.',
  'hint.phone',
  'idle.',
  // The other issues are in the group `rest`.
  'issue.code-empty',
  'issue.not-valid',
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

const legalMessagePrefixes = ['legal.', 'accessibility.', 'privacy.'] as const

/** Notices that only screens after the sign-in raise, and buttons that only these screens show. */
const laterMessages: readonly string[] = [
  'accepted',
  'accountDeleted',
  'accountKept',
  'appointmentCanceled',
  'cardOrigin',
  'changeRefused',
  'chooseTime',
  'confirmFailed',
  'confirmInApp',
  'contactAdded',
  'contactRefused',
  'contactRemoved',
  'copied',
  'fieldsWrong',
  'notCopied',
  'orderNotCreated',
  'payerName',
  'payingAlready',
  'paymentAttempts',
  'paymentNumberAttempts',
  'reservationExpired',
  'scheduleNotReady',
  'sessionEnded',
  'timeTaken',
  'unreadable',
]
  .map(name => `notice.${name}`)
  .concat('button.continueToAppointment', 'button.hideReceipt', 'button.showReceipt')

/** Messages of the group `rest` that the page that verifies receipts uses too; the group `verify` has them as well. */
const sharedWithVerify: readonly string[] = [
  'schedule.office',
  'appointment.date',
  'appointment.generalQueue',
]

/** Whether the message of this key loads before hydration. */
export function isFirstMessage(key: string): boolean {
  return !laterMessages.includes(key) && firstMessagePrefixes.some(prefix => key.startsWith(prefix))
}

/** The groups of which `rest` has no message. `rest` has the messages that `verify` shares, so `verify` is not one of them. */
const ownGroups = messageGroups.filter(group => group !== 'rest' && group !== 'verify')

/**
 * Whether a group has the message of this key. `first` loads before hydration, `verify` with the page that verifies
 * receipts, `help` with the page of help, the captcha, the page that undoes a change of contacts or the question of a dormant
 * account, `legal` with the legal pages, `tools` with the tools of the header and of the headings, `rest` with the screens
 * after the sign-in.
 */
export function isInGroup(key: string, group: MessageGroup): boolean {
  const isVerify = key.startsWith('verify.')
  switch (group) {
    case 'first':
      return isFirstMessage(key)
    case 'verify':
      return isVerify || sharedWithVerify.includes(key)
    case 'help':
      // The captcha, the page that undoes a change of contacts and the question of a dormant account are as rare, and need no
      // session either.
      return ['help.', 'captcha.', 'undo.', 'dormant.'].some(prefix => key.startsWith(prefix))
    case 'legal':
      return legalMessagePrefixes.some(prefix => key.startsWith(prefix))
    case 'tools':
      return key.startsWith('listen.') || key.startsWith('kiosk.')
    case 'rest':
      // The texts that the group `verify` shares stay in `rest` too.
      return !isVerify && !ownGroups.some(each => isInGroup(key, each))
  }
}
