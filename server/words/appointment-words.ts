import type { Language } from '#contract/codes.ts'

type AppointmentWords = {
  /** ERR20: shown as it comes. */
  timeTaken: string
  /** A change to the very time that is booked already would only use up the change. */
  sameTime: string
  /** ERR19. */
  timeNeeded: string
  /** ERR23. */
  changeRefused: string
  unknownOffice: string
  generalQueue: string
  confirmedMail: {
    subject: (number: string) => string
    text: (confirmation: Confirmation) => string
  }
  /** GSM-7 letters only, so that it stays one short message. */
  confirmedSms: (confirmation: Confirmation) => string
}

/** `when` is ready to read: `01.12.2026 09:30`; none in the general queue. */
export type Confirmation = { number: string; office: string; when: string | undefined }

export const appointmentWords = {
  fr: {
    timeTaken:
      'Ce créneau vient d’être réservé par une autre personne. Choisissez une autre date ou une autre heure.',
    sameTime: 'C’est déjà l’heure de votre rendez-vous. Choisissez-en une autre, ou gardez celle-ci.',
    timeNeeded: 'Veuillez choisir une heure pour le bureau sélectionné.',
    changeRefused: 'Le rendez-vous ne peut plus être modifié dans l’état actuel de la demande.',
    unknownOffice: 'Ce centre n’existe pas ou ne reçoit plus.',
    generalQueue: 'file d’attente générale',
    confirmedMail: {
      subject: number => `Rendez-vous confirmé, demande ${number}`,
      text: ({ number, office, when }) =>
        [
          'Bonjour,',
          '',
          `Votre demande de passeport ${number} est enregistrée.`,
          `Centre : ${office}`,
          when === undefined
            ? 'Sans heure de rendez-vous : vous serez reçu selon la file d’attente générale.'
            : `Rendez-vous : ${when} (heure du centre)`,
          '',
          'Imprimez le récépissé joint et présentez-le au centre avec les pièces qu’il indique.',
          'Ce message ne demande jamais d’argent.',
        ].join('\n'),
    },
    confirmedSms: ({ number, office, when }) =>
      when === undefined
        ? `Passeport ${number} : demande enregistrée, file générale. ${office}. Imprimez le récépissé.`
        : `Passeport ${number} : rendez-vous le ${when}. ${office}. Imprimez le récépissé.`,
  },
  en: {
    timeTaken: 'Selected time is booked for another customer, please select new date and/or time',
    sameTime: 'This is already the time of your appointment. Choose another one, or keep it.',
    timeNeeded: 'Please, choose time for selected office.',
    changeRefused: 'The appointment cannot be changed in current application status!',
    unknownOffice: 'This office does not exist or no longer receives applicants.',
    generalQueue: 'general queue',
    confirmedMail: {
      subject: number => `Appointment confirmed, application ${number}`,
      text: ({ number, office, when }) =>
        [
          'Hello,',
          '',
          `Your passport application ${number} is accepted.`,
          `Office: ${office}`,
          when === undefined
            ? 'Without an appointment time: you will be received from the general queue.'
            : `Appointment: ${when} (office time)`,
          '',
          'Print the attached receipt and present it at the office with the papers it lists.',
          'This message never asks for money.',
        ].join('\n'),
    },
    confirmedSms: ({ number, office, when }) =>
      when === undefined
        ? `Passport ${number}: accepted, general queue. ${office}. Print your receipt.`
        : `Passport ${number}: appointment on ${when}. ${office}. Print your receipt.`,
  },
} as const satisfies Record<Language, AppointmentWords>
