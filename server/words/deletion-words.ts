import type { Language } from '#contract/codes.ts'

/** `day` is ready to read: `21.12.2026`. */
type Facts = { number: string; day: string }
type Words = {
  subject: (facts: Facts) => string
  mail: (facts: Facts) => string
  /** GSM-7 letters only and under 160 of them: one short message. */
  sms: (facts: Facts) => string
}

/** What is said before an application is deleted (F12). No link, no request for money: others send those. */
export const deletionWords = {
  fr: {
    unpaid: {
      subject: ({ number, day }) => `Demande ${number} : suppression le ${day}`,
      mail: ({ number, day }) =>
        [
          'Bonjour,',
          '',
          `Votre demande de passeport ${number} n’est pas payée. Les demandes sans paiement sont supprimées après 30 jours : la vôtre le sera le ${day}.`,
          '',
          'Pour la garder, continuez-la sur le portail avant cette date. Si vous n’en avez plus besoin, vous n’avez rien à faire.',
        ].join('\n'),
      sms: ({ number, day }) =>
        `Passeport ${number} : sans paiement, cette demande sera supprimée le ${day}. Pour la garder, continuez-la sur le portail.`,
    },
    'never-enrolled': {
      subject: ({ number, day }) => `Demande ${number} : suppression le ${day}`,
      mail: ({ number, day }) =>
        [
          'Bonjour,',
          '',
          `Votre demande de passeport ${number} est payée, mais vous n’avez pas encore été enrôlé dans un bureau. Les demandes sans enrôlement sont supprimées après un an : la vôtre le sera le ${day}.`,
          '',
          'Pour la garder, prenez un rendez-vous sur le portail ou présentez-vous au bureau avant cette date.',
        ].join('\n'),
      sms: ({ number, day }) =>
        `Passeport ${number} : sans enrôlement au bureau, cette demande payée sera supprimée le ${day}. Prenez rendez-vous sur le portail.`,
    },
  },
  en: {
    unpaid: {
      subject: ({ number, day }) => `Application ${number}: deletion on ${day}`,
      mail: ({ number, day }) =>
        [
          'Hello,',
          '',
          `Your passport application ${number} is not paid for. Applications without payment are deleted after 30 days: yours will be on ${day}.`,
          '',
          'To keep it, go on with it on the portal before that day. If you no longer need it, there is nothing to do.',
        ].join('\n'),
      sms: ({ number, day }) =>
        `Passport ${number}: without payment this application will be deleted on ${day}. To keep it, go on with it on the portal.`,
    },
    'never-enrolled': {
      subject: ({ number, day }) => `Application ${number}: deletion on ${day}`,
      mail: ({ number, day }) =>
        [
          'Hello,',
          '',
          `Your passport application ${number} is paid for, but you have not been enrolled at an office yet. Applications without enrolment are deleted after a year: yours will be on ${day}.`,
          '',
          'To keep it, book an appointment on the portal or go to the office before that day.',
        ].join('\n'),
      sms: ({ number, day }) =>
        `Passport ${number}: not enrolled yet. This paid application will be deleted on ${day}. Book an appointment on the portal.`,
    },
  },
} as const satisfies Record<Language, Record<'unpaid' | 'never-enrolled', Words>>
