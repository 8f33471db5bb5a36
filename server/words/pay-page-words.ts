import type { Language } from '#contract/codes.ts'

/** The server's own pages around a card payment; both languages stand on each, since nobody is signed in there. */
export const payPageWords = {
  fr: {
    returnTitle: 'Retour du paiement',
    returnText:
      'Vous revenez de la page de paiement. Le portail vérifie le paiement auprès de la banque : le résultat s’affiche dans votre demande, pas ici.',
    returnApp: 'Si vous avez commencé dans l’application installée, retournez-y : elle montre le résultat.',
    returnLink: 'Voir le paiement sur le portail',
    cardTitle: 'Paiement par carte',
    cardText: (gateway: string) =>
      `Vous quittez le portail pour la page de paiement de ${gateway}. Le numéro de carte n’est saisi que là.`,
    cardButton: 'Continuer vers la page de paiement',
    cardGone:
      'Cette page de paiement a déjà servi ou a expiré. Retournez au portail et choisissez de nouveau Payer.',
    portalLink: 'Retour au portail',
  },
  en: {
    returnTitle: 'Back from the payment',
    returnText:
      'You are back from the payment page. The portal is checking the payment with the bank: the result is shown in your application, not here.',
    returnApp: 'If you began in the installed app, go back to it: it shows the result.',
    returnLink: 'See the payment on the portal',
    cardTitle: 'Card payment',
    cardText: (gateway: string) =>
      `You are leaving the portal for the payment page of ${gateway}. The card number is typed in there and nowhere else.`,
    cardButton: 'Continue to the payment page',
    cardGone:
      'This payment page was already used or has expired. Go back to the portal and choose Pay again.',
    portalLink: 'Back to the portal',
  },
} as const satisfies Record<Language, Record<string, string | ((gateway: string) => string)>>
