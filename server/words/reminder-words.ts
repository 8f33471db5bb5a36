import type { Language } from '#contract/codes.ts'

/** `when` is ready to read, on the office's clock: `01.12.2026 09:30`. */
type Facts = { number: string; office: string; when: string }
type Words = {
  subject: (facts: Facts) => string
  mail: (facts: Facts) => string
  sms: (facts: Facts) => string
}

/** Said seven days and one day before an appointment. */
export const reminderWords = {
  fr: {
    subject: ({ when }) => `Rappel : rendez-vous le ${when}`,
    mail: ({ number, office, when }) =>
      [
        'Bonjour,',
        '',
        `Votre rendez-vous pour la demande de passeport ${number} :`,
        `${when} (heure du centre)`,
        office,
        '',
        'Apportez le récépissé imprimé et les pièces qu’il indique.',
        'Un changement est possible sur le portail jusqu’à 24 heures avant, s’il vous en reste un.',
        'Ce message ne demande jamais d’argent.',
      ].join('\n'),
    sms: ({ number, office, when }) =>
      `Passeport ${number} : rappel, rendez-vous le ${when}. ${office}. Apportez le récépissé imprimé.`,
  },
  en: {
    subject: ({ when }) => `Reminder: appointment on ${when}`,
    mail: ({ number, office, when }) =>
      [
        'Hello,',
        '',
        `Your appointment for the passport application ${number}:`,
        `${when} (office time)`,
        office,
        '',
        'Bring the printed receipt and the papers it lists.',
        'A change is possible on the portal until 24 hours before, if you have one left.',
        'This message never asks for money.',
      ].join('\n'),
    sms: ({ number, office, when }) =>
      `Passport ${number}: reminder, appointment on ${when}. ${office}. Bring the printed receipt.`,
  },
} as const satisfies Record<Language, Words>
