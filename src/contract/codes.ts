/**
 * Fixed values of the portal and the server: dictionary ids (DIC01–DIC08), defaults, times, storage keys, headers and paths.
 */

export const languages = ['fr', 'en'] as const
export type Language = (typeof languages)[number]
export const defaultLanguage: Language = 'fr'
/** Browser storage key of the chosen language (NAV20). */
export const languageStorageKey = 'lg'

/** Reasons of an application, in the order of the list (DIC01). */
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
export const lostPassport: Reason = '11214'
export const stolenPassport: Reason = '11280'
export const additionalPassport: Reason = '11286'

/**
 * The police hotline: default of HELP_PHONE, the number that the portal shows until the server has named its contacts, and
 * the number in the notices for browsers that cannot run the portal. Those notices are written at build time: an operator
 * with another HELP_PHONE changes this constant too.
 */
export const helpPhone = '1500'

export const genders = ['11216', '11217'] as const
export const genderOfParent = { mother: '11217', father: '11216' } as const
export const defaultGender = '11216'
/** Sent with every application; the form has no field for it (GEN05, S74). */
export const defaultLanguagePreference = '11210'

/** Dictionary id of Cameroon (DIC07). */
export const homeCountry = '10998'
export const homeDialCode = '237'

/** The blank first entry and the "other" last entry of the occupations (DIC04, DIC05). */
export const noOccupation = '00'
export const otherOccupation = '33'

/** Values of `selectNic`: none, new NIC, old NIC (DOC01). */
export const nicChoices = ['1', '2', '3'] as const
export const noNic = '1'

export const earliestBirthYear = 1900

/** Lifetime of a sign-in code when the server names no lifetime, in seconds (LIM05). */
export const defaultCodeSeconds = 60

/** The longest pause between two codes, in seconds. A longer wait comes from a limit per hour or per day (D20). */
export const maxCodePauseSeconds = 60

/**
 * Payment polling (PAY26, PAY27), and the delay before the card form is sent (PAY20). `firstPollDelayMs` is also the pause
 * between an answer and the long poll after it, which the server answers late (D68).
 */
export const firstPollDelayMs = 300
export const pollIntervalMs = 15_000
export const cardFormDelayMs = 1_000
/** How long the page that follows a card payment waits before it opens the result. */
export const cardReturnDelayMs = 2_000

/**
 * How long the warning is shown before the session ends (SES10). After an activity that counts, how long no other one
 * counts (SES09).
 */
export const inactivityWarningSeconds = 60
export const activityThrottleSeconds = 15
/** Longest inactivity on a kiosk (D38). */
export const kioskInactivitySeconds = 120

/** Longest wait of a log-out for each of these: unsent drafts, the storage of the device, the server's answer (D31). */
export const logoutStepTimeoutMs = 5_000

/** How long a notice is shown (ERR28, ERR29). */
export const noticeDurationMs = 3_000
export const dangerNoticeDurationMs = 15_000

/**
 * The server erases an application that was enrolled or refused this number of days after its last change, without an
 * announcement. `keptDays.enrolled` takes this value. The constant is here because the list of applications does not load
 * the table of all periods (D62, D113).
 */
export const enrolledKeptDays = 365

/** The time zone of the country: it decides for example which day "today" is in the rules of the form. */
export const homeTimeZone = 'Africa/Douala'

/**
 * Sent from a shared device with the calls that `saysShared` marks (D31). A log-out that keeps the data of the site leaves
 * it out, because the answer to this header makes the browser delete that data.
 */
export const sharedDeviceHeader = 'x-shared-device'

/** Query parameter of a hand-over URL: after the sign-in the portal opens the path of this URL (D38). */
export const handOverParameter = 'handover'
/** Key in the storage of the tab: the path that opens after the sign-in. */
export const resumeStorageKey = 'go-on'

/** Browser storage key of the text that says who uses the device. An applicant's own device has no such text (D31). */
export const deviceUseStorageKey = 'device-use'
/**
 * Storage key of a flag that says: the cookie may open a session. It is in the browser storage, on a shared device in the
 * storage of the tab. The flag does not name the applicant.
 */
export const sessionFlagKey = 'session'
/** Browser storage key of the server's public keys, for checking receipts offline (F7). */
export const receiptKeysStorageKey = 'receipt-key'

/** Browser storage key of the contacts, issuer, fee and demo mode of the server, for pages without a connection (NAV26). */
export const publicInfoStorageKey = 'public-info'

/** Browser storage key of a text: whether the server marks its answers, and with the nonce of the request (D60). */
export const answerMarkStorageKey = 'answer-mark'

/** A call with `writes` may have this header (D13). */
export const idempotencyHeader = 'idempotency-key'

/** The service worker leaves this address to the network, and the service redirects it to the welcome page (D34). */
export const networkPagePath = '/network'

/** Path prefix of every call. */
export const apiRoot = '/api/v1'

/** `data.incident` of an unexpected failure: the log of the server has the same code. */
export const incidentCode = /^[\dA-Z]{4}-[\dA-Z]{4}$/

/**
 * The mark of an answer (D60) shows that the service sent it, and sent the whole body. It contains the digest of the body,
 * so no proxy produces it by chance. It has no key, so it does not stop an attacker.
 */
export const answerMarkHeader = 'x-answer-mark'

/** In the `features` of `/version`: this server marks every answer under `/api/v1`. */
export const answerMarkFeature = 'answerMark'

/**
 * A random text of each request to the origin of the page, except those of public lists. The mark of the answer repeats
 * it. So the portal recognizes an old answer of the same call from a proxy: it has the nonce of another request.
 */
export const answerNonceHeader = 'x-answer-nonce'

/** In the `features` of `/version`: this server repeats the nonce of each request. */
export const answerNonceFeature = 'answerNonce'

/**
 * The groups of files that the service worker caches when a page asks for them, so that a first visit loads little. A new
 * release caches the groups of the old one without being asked. They are the router, the form, the screens after the form
 * (`later`), the English texts, the page that verifies receipts, and the tools of the headings and of the header (`tools`: the
 * button that reads a page aloud, and the parts of a kiosk).
 */
export const partNames = ['router', 'form', 'later', 'en', 'verify', 'tools'] as const

export type PartName = (typeof partNames)[number]

/** The pages that are hydrated without the router: the build prerenders them, and the server sends them (NAV01, NAV02). */
export const entryPaths = ['/', '/mobile', '/mail', '/password'] as const
export type EntryPath = (typeof entryPaths)[number]
