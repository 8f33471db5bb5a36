/** The fixed values of the service: dictionary ids, defaults and times (DIC01–DIC08). */

export const languages = ['fr', 'en'] as const
export type Language = (typeof languages)[number]
export const defaultLanguage: Language = 'fr'
/** Browser storage key of the chosen language (NAV20). */
export const languageStorageKey = 'lg'

/** Application types, in the order they are offered (DIC01). */
export const reasons = [
  '11211',
  '11212',
  '11214',
  '11280',
  '11281',
  '11282',
  '11283',
  '11284',
  '11285',
  '11286',
] as const
export type Reason = (typeof reasons)[number]
export const firstPassport: Reason = '11211'
export const additionalPassport: Reason = '11286'

export const genders = ['11216', '11217'] as const
export const defaultGender = '11216'
/** Sent with every application; no control on screen (GEN05, S74). */
export const defaultLanguagePreference = '11210'

/** Dictionary id of Cameroon (DIC07). */
export const homeCountry = '10998'
export const homeDialCode = '237'

/** The blank first entry and the "other" last entry of the occupations (DIC04, DIC05). */
export const noOccupation = '00'
export const otherOccupation = '33'

/** selectNic: none, New NIC, Old NIC (DOC01). */
export const nicChoices = ['1', '2', '3'] as const
export const noNic = '1'

export const earliestBirthYear = 1900

/** Seconds a code lives when the server does not say (LIM05). */
export const defaultCodeSeconds = 60

/** Payment polling, milliseconds (PAY26, PAY27), and the card form's delay (PAY20). */
export const firstPollDelayMs = 300
export const pollIntervalMs = 15_000
export const cardFormDelayMs = 1_000

/** Inactivity, seconds (SES09, SES10). */
export const inactivityWarningSeconds = 60
export const activityThrottleSeconds = 15
/** At most, on a kiosk (D38). */
export const kioskInactivitySeconds = 120

/** How long a log-out waits for what is unsent, milliseconds (D31). */
export const logoutTimeoutMs = 5_000

/** Notices, milliseconds on screen (ERR28, ERR29). */
export const noticeDurationMs = 3_000
export const dangerNoticeDurationMs = 15_000

/** The zone whose calendar decides what "today" is for the form's rules. */
export const homeTimeZone = 'Africa/Douala'

/** Said with what opens, renews or ends a session on a device that others use too (D31). */
export const sharedDeviceHeader = 'x-shared-device'

/** In the address that a kiosk hands over: after signing in, the form is gone on with (D38). */
export const handOverParameter = 'handover'
export const resumeStorageKey = 'go-on'

/** Browser storage key of the server's public key, by which receipts are checked without the line (F7). */
export const receiptKeyStorageKey = 'receipt-key'

/** Every write may carry this header (D13). */
export const idempotencyHeader = 'idempotency-key'

/** Where every call stands. */
export const apiRoot = '/api/v1'
