import type { FormValues } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import type { Key } from '#support/data/texts.ts'
import type { Answers } from './in-page.ts'

/** One applicant of the benchmark. */
export type BenchApplicant = {
  /** Nine digits, for the sign-in and the payment. Not 50 to 55 at the end: the simulated payer pays after 4 to 5 s. */
  phone: string
  /** Waits for the code of the SMS. */
  readCode: () => Promise<string>
  /** The answers to the questions of the form. */
  form: FormValues
}

export type JourneyScreen = {
  name: string
  /** Pattern of the path. */
  address: string
  answers?: (applicant: BenchApplicant) => Answers | Promise<Answers>
  /** The name of the control for which the phone offers the code of the SMS. */
  smsCodeFor?: string
  /** A text that the applicant waits for on this screen. */
  awaits?: Key
  /** The control that leads to the next screen, or shows the receipt on the last screen, by the key of its text. */
  primary: { role: 'button' | 'link'; key: Key }
}

const proceed = { role: 'button', key: 'button.continue' } as const
const confirm = { role: 'button', key: 'button.confirm' } as const
// The applicant searches the place of birth, Yaoundé, and the place of residence, Douala, by their first letters.
const formAnswers = (applicant: BenchApplicant) => ({
  ...answersOf(applicant.form),
  'search:regionCode': 'yao',
  'search:resAddressRegionCode': 'doua',
})

/** The answers of an applicant who leaves all optional questions of the form empty. */
export const onlyRequired: FormValues = {
  ...firstPassport,
  givenName: '',
  occupation: '',
  motherGivenName: '',
  fatherSurname: '',
  nicPlaceOfIssuance: '',
}

/** The way from the welcome page to the receipt: first passport with a new identity card, paid by mobile money. */
export const journeyScreens: readonly JourneyScreen[] = [
  { name: 'welcome', address: '^/$', primary: { role: 'link', key: 'welcome.phone' } },
  {
    name: 'mobile',
    address: '^/mobile$',
    answers: ({ phone }) => ({ phoneNumber: phone }),
    primary: proceed,
  },
  {
    name: 'password',
    address: '^/password$',
    smsCodeFor: 'otp',
    primary: proceed,
  },
  { name: 'procedure', address: '^/procedure$', primary: { role: 'button', key: 'procedure.new' } },
  { name: 'GeneralData', address: '/GeneralData$', answers: formAnswers, primary: proceed },
  { name: 'PersonData', address: '/PersonData$', answers: formAnswers, primary: proceed },
  { name: 'ParentData', address: '/ParentData$', answers: formAnswers, primary: proceed },
  {
    name: 'NicData',
    address: '/NicData$',
    answers: formAnswers,
    primary: { role: 'button', key: 'button.submit' },
  },
  { name: 'confirm', address: '^/confirm/', primary: confirm },
  {
    name: 'payment',
    address: '^/payment/',
    answers: ({ phone }) => ({ type: 'MOBILE', phone }),
    primary: { role: 'button', key: 'button.pay' },
  },
  {
    name: 'payResult',
    address: '^/payResult/',
    awaits: 'status.SUCCESS',
    primary: { role: 'button', key: 'button.continueToAppointment' },
  },
  {
    name: 'appointment',
    address: '^/appointment/',
    // The first office of Douala, where this applicant lives.
    answers: () => ({ country: '10998', city: '2', officeId: '2' }),
    primary: confirm,
  },
  { name: 'schedule', address: '^/schedule/', primary: { role: 'button', key: 'button.finalize' } },
  { name: 'final', address: '^/final/', primary: { role: 'button', key: 'button.showReceipt' } },
]

/** Returns the answers that the applicant gives, with the parts of each whole date under the names of its controls. */
function answersOf(values: FormValues): Answers {
  const given = Object.entries(values).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  )
  return Object.fromEntries(
    given.flatMap(([name, value]) => {
      const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value) ?? []
      if (day === '') return [[name, value]]
      return [
        [`${name}-day`, day],
        [`${name}-month`, month],
        [`${name}-year`, year],
      ]
    }),
  )
}
