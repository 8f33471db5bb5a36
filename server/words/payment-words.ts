import type { Language } from '#contract/codes.ts'

/** Why a payment was not started, where the words of its problem alone would not help. */
export const paymentWords = {
  fr: {
    methodUnavailable: 'Ce mode de paiement n’est pas disponible pour le moment. Choisissez-en un autre.',
    notWhitelisted:
      'Aucun paiement de l’ancien système n’a été trouvé pour votre numéro ou votre adresse e-mail.',
    dataNotConfirmed: 'Complétez puis confirmez les données de la demande avant de payer.',
    notPayable: 'Cette demande ne peut pas être payée dans son état actuel.',
    noCodeNeeded: 'Aucun code n’est attendu pour ce paiement.',
  },
  en: {
    methodUnavailable: 'This payment method is not available at the moment. Please choose another one.',
    notWhitelisted: 'No payment in the old system was found for your number or e-mail address.',
    dataNotConfirmed: 'Complete and confirm the data of the application before you pay.',
    notPayable: 'This application cannot be paid for in its current state.',
    noCodeNeeded: 'No code is expected for this payment.',
  },
} as const satisfies Record<Language, Record<string, string>>

export type PaymentWord = keyof (typeof paymentWords)['fr']

type Facts = { number: string; order: string }
type Notice = { subject: (facts: Facts) => string; text: (facts: Facts) => string }

/** GSM-7 letters only and under 160 of them, so that the text is one short message. */
export const paymentNotices: Record<Language, Notice> = {
  fr: {
    subject: ({ number }) => `Paiement confirmé, demande ${number}`,
    text: ({ number, order }) =>
      `Passeport ${number} : paiement ${order} confirmé. Il reste une étape : choisir un rendez-vous sur le portail.`,
  },
  en: {
    subject: ({ number }) => `Payment confirmed, application ${number}`,
    text: ({ number, order }) =>
      `Passport ${number}: payment ${order} confirmed. One step left: choose an appointment on the portal.`,
  },
}
