import type { Language } from '#contract/codes.ts'

type Facts = { number: string; office: string; day: string }
type Notice = { subject: (facts: Facts) => string; text: (facts: Facts) => string }

/** What somebody is told whose appointment fell on a day that the office had to close (D45). */
export const closedDayNotices: Record<Language, Notice> = {
  fr: {
    subject: ({ number }) => `Rendez-vous annulé, demande ${number}`,
    text: ({ number, office, day }) =>
      `Passeport ${number} : ${office} ferme le ${day}, votre rendez-vous est annulé. Choisissez-en un autre sur le portail, sans payer de nouveau.`,
  },
  en: {
    subject: ({ number }) => `Appointment cancelled, application ${number}`,
    text: ({ number, office, day }) =>
      `Passport ${number}: ${office} is closed on ${day}, your appointment is cancelled. Choose another on the portal, without paying again.`,
  },
}
