import type { Language } from '#contract/codes.ts'

type CodeFacts = { code: string; seconds: number; host: string }
type CodeWords = {
  subject: string
  /** At most 160 characters of GSM-7, so that it is one SMS; the last line is the browser's (WebOTP). */
  sms(facts: CodeFacts): string
  email(facts: CodeFacts): string
}

/** The message that brings a one-time code. Its French has no ê, î or ô: GSM-7 knows only é, è, à, ù among them. */
export const codeWords = {
  fr: {
    subject: 'Votre code de connexion',
    sms: ({ code, seconds, host }) =>
      `Passeport : votre code est ${code}, valable ${lasting(seconds, 'fr')}. Ne le donnez à personne.\n\n@${host} #${code}`,
    email: ({ code, seconds }) =>
      [
        'Bonjour,',
        '',
        `Votre code de connexion à la demande de passeport est : ${code}`,
        `Il est valable ${lasting(seconds, 'fr')} et ne sert qu’une fois. Ne le donnez à personne.`,
        '',
        'Si vous n’avez rien demandé, ignorez ce message.',
        '',
      ].join('\n'),
  },
  en: {
    subject: 'Your sign-in code',
    sms: ({ code, seconds, host }) =>
      `Passport: your code is ${code}, valid for ${lasting(seconds, 'en')}. Give it to nobody.\n\n@${host} #${code}`,
    email: ({ code, seconds }) =>
      [
        'Hello,',
        '',
        `Your sign-in code for the passport application is: ${code}`,
        `It is valid for ${lasting(seconds, 'en')} and works once. Give it to nobody.`,
        '',
        'If you did not ask for it, ignore this message.',
        '',
      ].join('\n'),
  },
} as const satisfies Record<Language, CodeWords>

const units = {
  fr: { second: ['seconde', 'secondes'], minute: ['minute', 'minutes'] },
  en: { second: ['second', 'seconds'], minute: ['minute', 'minutes'] },
} as const

function lasting(seconds: number, language: Language): string {
  const whole = seconds >= 60 && seconds % 60 === 0
  const count = whole ? seconds / 60 : seconds
  const [one, many] = units[language][whole ? 'minute' : 'second']
  return `${count} ${count === 1 ? one : many}`
}
