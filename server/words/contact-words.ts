import type { Language } from '#contract/codes.ts'
import type { ContactKind } from '#server/database/schema.ts'

type ContactWords = { subject: string; added: Record<ContactKind, string> }

/** Tells the first contact that a second one opens the same door. Within GSM-7: no ê, î, ô, ç among the accents. */
export const contactWords = {
  fr: {
    subject: 'Un nouveau moyen de connexion',
    added: {
      phone:
        "Passeport : un numéro de téléphone a été ajouté à votre accès. Si ce n'est pas vous, écrivez au service.",
      email:
        "Passeport : une adresse e-mail a été ajoutée à votre accès. Si ce n'est pas vous, écrivez au service.",
    },
  },
  en: {
    subject: 'A new way to sign in',
    added: {
      phone: 'Passport: a phone number was added to your access. If that was not you, contact the service.',
      email:
        'Passport: an e-mail address was added to your access. If that was not you, contact the service.',
    },
  },
} as const satisfies Record<Language, ContactWords>
