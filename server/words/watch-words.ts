import type { Language } from '#contract/codes.ts'

type Facts = { number: string; office: string; day: string }
type Notice = { subject: (facts: Facts) => string; text: (facts: Facts) => string }

/** What somebody is told who waits for a place (F10). */
export const freeDayNotices: Record<Language, Notice> = {
  fr: {
    subject: ({ number }) => `Une place s’est libérée, demande ${number}`,
    text: ({ number, office, day }) =>
      `Passeport ${number} : une place est libre le ${day}, ${office}. Elle n’est gardée pour personne : choisissez-la vite sur le portail.`,
  },
  en: {
    subject: ({ number }) => `A place has come free, application ${number}`,
    text: ({ number, office, day }) =>
      `Passport ${number}: a place is free on ${day}, ${office}. It is not kept for anyone: choose it soon on the portal.`,
  },
}
