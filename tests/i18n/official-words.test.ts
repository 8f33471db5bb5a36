import { describe, expect, it } from 'vitest'
import { countries } from '#server/seed/countries.ts'
import { departments, localities, regions } from '#server/seed/divisions.ts'
import english from '../../src/i18n/en.json' with { type: 'json' }
import oldBrowserEnglish from '../../server/build/i18n/en.json' with { type: 'json' }
import serverEnglish from '../../server/i18n/en.json' with { type: 'json' }
import { type Key, textsOf } from '#support/data/texts.ts'
import french from '../../src/i18n/fr.json' with { type: 'json' }

/**
 * Texts by their requirement row. The owner of the service prescribes them (S90), except those of I1805 and seven of the
 * lengths of I1804, which are ours.
 */
const official: [rows: string, subject: string, texts: Record<string, string>][] = [
  ['I1801', 'the required message', { 'issue.required': 'Required!' }],
  ['I1802', 'a field of the sign-in pages (S76)', { 'issue.not-valid': 'The field is not valid' }],
  ['I1803', 'an empty code', { 'issue.code-empty': "The field can't be empty" }],
  [
    'I1804',
    'each maximum length',
    Object.fromEntries(
      [8, 9, 12, 17, 26, 27, 31, 50, 80, 100].map(length => [
        `issue.too-long-${length}`,
        `Please enter no more than ${length} characters`,
      ]),
    ),
  ],
  [
    'I1805',
    'digits only, and the lengths of cards, which no field checks (S68)',
    {
      'issue.exactly-9-characters': 'Please enter exactly 9 characters',
      'issue.exactly-12-characters': 'Please enter exactly 12 characters',
      'issue.exactly-17-characters': 'Please enter exactly 17 characters',
      'issue.exactly-9-digits': 'Please enter exactly 9 digits',
      'issue.exactly-12-digits': 'Please enter exactly 12 digits',
      'issue.exactly-17-digits': 'Please enter exactly 17 digits',
      'issue.at-most-17-digits': 'Please enter no more than 17 digits',
      'issue.digits-only': 'Please enter digits only',
    },
  ],
  [
    'I1806',
    'the two phone messages',
    {
      'issue.phone-home': 'Please enter 6-12 digits subscriber number',
      'issue.phone-international': 'Please enter 7-15 digits international phone number',
    },
  ],
  ['I1807', 'an invalid e-mail', { 'issue.email-invalid': 'Invalid email' }],
  [
    'I1808',
    'the dates of a document: the first text says the opposite of its rule (S02)',
    {
      'issue.expiry-before-issuance': "Expiry date can't be bigger than Issuance date.",
      'issue.issuance-after-expiry': "Issuance date can't be bigger than Expiry date.",
      'issue.expiry-past': "Expiry date can't be in the past.",
    },
  ],
  ['I1809', 'an unknown birth date', { 'field.dateOfBirthUnknown': "I don't know my date of birth" }],
  ['I1810', 'no payment method chosen', { 'issue.method-needed': 'Choose a payment method!' }],
  [
    'I1811',
    'a code was sent',
    {
      'notice.codeSentPhone': 'A confirmation code has been sent to your number',
      'notice.codeSentEmail': 'A confirmation code has been sent to your email',
    },
  ],
  [
    'I1812',
    'sign-in',
    {
      'notice.checkPhone': 'Check your phone number and try again',
      'notice.checkEmail': 'Check your e-mail and try again',
      'notice.selectMethod': 'Select registration method',
      'notice.welcome': 'Authorization success. Welcome!',
      'notice.signIn': 'Sign in to the app!',
      'notice.codeWrong': 'One time password is incorrect',
      'notice.codeExpired': 'Your one time password has expired, please send it again',
    },
  ],
  [
    'I1813',
    'the form',
    {
      'notice.dataStored': 'The data is stored on the server',
      'notice.fieldsWrong': 'Not all fields are filled in correctly',
      'notice.confirmFailed': 'An error occurred while confirming the data',
    },
  ],
  [
    'I1814',
    'the service and the connection (S89)',
    {
      'notice.serviceUnavailable': 'Service is not available at the moment, please try again later.',
      'notice.generic': 'Something went wrong. Please try again later',
      'notice.offline': 'You are currently offline. Please check your connection and try again',
      'notice.uploadFailed': 'An error occurred while uploading',
    },
  ],
  [
    'I1815',
    'payment',
    {
      'notice.orderNotCreated': 'Payment order not created. Please, check your phone number.',
      'notice.payerName': 'The name contains invalid characters',
      'notice.confirmInApp': 'Confirm the payment in the mobile app',
    },
  ],
  [
    'I1816',
    'booking',
    {
      'notice.chooseTime': 'Please, choose time for selected office.',
      'notice.timeTaken': 'Selected time is booked for another customer, please select new date and/or time',
      'notice.scheduleNotReady': 'Please, wait a minute, until appointment schedule calculated.',
      'notice.reservationExpired': 'The appointment reservation time has expired',
    },
  ],
  [
    'I1817',
    'change and cancel',
    {
      'notice.changeRefused': 'The appointment cannot be changed in current application status!',
      'notice.appointmentCanceled': 'Appointment canceled',
    },
  ],
  [
    'I1818',
    'how often an appointment may be changed',
    {
      'final.changeCount': 'You can change appointment only {count} time.',
    },
  ],
  [
    'I1819',
    'no appointment times',
    {
      'appointment.noDates':
        'There are no appointment times available for selected enrolment office. Please check the available appointment times later or use general queue option to submit application without appointment time on selected date.',
    },
  ],
  [
    'I1820',
    'an accepted application',
    {
      'notice.accepted':
        'Thank you! Your application is accepted. Please continue data enrollment in passport bureau.',
    },
  ],
  [
    'I1821',
    'the receipt',
    {
      'final.print': 'This receipt must be printed and presented in the enrolment office',
    },
  ],
  [
    'I1822',
    'selects that wait for another',
    {
      'select.firstSelectRegion': 'First select a region',
      'select.firstSelectDepartment': 'First select the department',
    },
  ],
  [
    'STA01 STA02 STA03 STA04 STA05 STA06 STA07 STA08 I1823',
    'the states',
    {
      'state.NEW': 'Application is incomplete',
      'state.DATA_SAVED': 'Application is incomplete',
      'state.PAYMENT_DONE': 'Appointment is not finished',
      'state.APPOINTMENT_SCHEDULED': 'Appointment done',
      'state.READY_FOR_CM': 'Complete',
      'state.SENT_TO_CM': 'Complete',
      'state.APPOINTMENT_CHANGED': 'Appointment changed successfully',
      'state.APPOINTMENT_CANCELED': 'Appointment canceled',
      'state.READY_TO_RESCHEDULE': 'Appointment canceled',
      'state.FAILED': 'Failed',
      'state.DELETED': 'Deleted',
    },
  ],
  [
    'I1824 S17',
    'application types, genders and card choices',
    {
      'reason.11211': 'First passport',
      'reason.11212': 'Expiry',
      'reason.11286': 'Additional passport',
      'gender.11216': 'Male',
      'gender.11217': 'Female',
      'nic.1': 'none',
      'nic.2': 'New NIC',
      'nic.3': 'Old NIC',
    },
  ],
  [
    'I1825',
    'the buttons',
    {
      'button.back': 'Back',
      'button.continue': 'Continue',
      'button.cancel': 'Cancel',
      'button.submit': 'Submit',
      'button.confirm': 'Confirm',
      'button.changeData': 'Change the data',
      'button.pay': 'Pay',
      'button.returnToPayment': 'Return to payment',
      'button.continueToAppointment': 'Continue to appointment',
      'button.finalize': 'Finalize registration',
      'button.downloadPdf': 'Download in PDF',
      'button.changeAppointment': 'Change appointment',
      'button.close': 'Close',
      'button.logOut': 'Log out',
    },
  ],
  [
    'I1826',
    'the headings of the review and of the summary',
    {
      'section.personal': 'Personal data',
      'section.residence': 'Residential address',
      'section.nic': 'NIC data',
      'section.passport': 'Previous passport',
      'section.parents': 'Parent data',
      'section.representative': 'Representative data',
      'section.biographic': 'Biographic data',
      'section.appointment': 'Appointment',
      'section.payment': 'Payment',
    },
  ],
  [
    'I1827 S28',
    'the tabs',
    {
      'tab.GeneralData': 'General',
      'tab.PersonData': 'Person',
      'tab.ParentData': 'Parent',
      'tab.NicData': 'Documents',
    },
  ],
  [
    'I1828',
    'what is paid for, and the queue',
    {
      'payment.product': 'Application fee',
      'appointment.generalQueue': 'General queue',
    },
  ],
  [
    'I1829',
    'the steps',
    {
      'steps.signIn': 'Sign-in',
      'steps.dataEntry': 'Data entry',
      'steps.confirmation': 'Confirmation of data',
      'steps.payment': 'Payment',
      'steps.final': 'Appointment and final summary',
    },
  ],
]

/** Texts that are the same in both languages. */
const shared = new Set(['Documents'])

const englishTexts: Record<string, string> = english
const frenchTexts: Record<string, string> = french

describe('the prescribed texts', () => {
  it.each(official)(
    '%s %s: match the English specification byte for byte (S90)',
    (_rows, _subject, texts) => {
      expect(Object.fromEntries(Object.keys(texts).map(key => [key, englishTexts[key]]))).toEqual(texts)
    },
  )

  it.each(official)('%s %s: are shown byte for byte, also with a number (S90)', (_rows, _subject, texts) => {
    for (const [key, text] of Object.entries(texts)) {
      const shown = textsOf('en')(key as Key, { count: 2 })
      expect(shown, key).toBe(text.replace('{count}', '2'))
    }
  })

  it.each(official)('%s %s: have a French translation', (_rows, _subject, texts) => {
    for (const [key, text] of Object.entries(texts)) {
      expect(frenchTexts[key], key).toBeTruthy()
      if (!shared.has(text)) expect(frenchTexts[key], key).not.toBe(text)
    }
  })

  it('say in French that the applicant may change the appointment once (I1818)', () => {
    expect(frenchTexts['final.changeOnce']).toMatch(/une (seule )?fois/)
  })

  it('warn of inactivity and report the log-out in both languages (I1830)', () => {
    for (const texts of [englishTexts, frenchTexts]) {
      expect(texts['idle.warning']).toContain('{seconds')
      expect(texts['notice.loggedOutIdle']).toBeTruthy()
    }
  })
})

describe('the English texts that are not prescribed', () => {
  const prescribed = new Set(official.flatMap(([, , texts]) => Object.values(texts)))
  const names = [...countries, ...regions, ...departments, ...localities].map(({ nameEn }) => nameEn)

  it.each([
    ['the portal', Object.values(englishTexts)],
    ['the server', Object.values(serverEnglish)],
    ['old browsers', Object.values(oldBrowserEnglish)],
    ['countries and places', names],
  ])('have typographic apostrophes: those of %s (S90)', (_where, texts) => {
    expect(texts.filter((text = '') => /\p{L}'\p{L}/u.test(text) && !prescribed.has(text))).toEqual([])
  })
})
