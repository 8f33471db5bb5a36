import type { Language } from '#contract/codes.ts'
import type { AttemptState, AttemptStep, MethodType } from '#contract/payment.ts'

type Words = {
  title: string
  notice: string
  none: string
  attempt: (order: string) => string
  fields: Record<
    'state' | 'amount' | 'method' | 'operatorReference' | 'createdAt' | 'updatedAt' | 'next',
    string
  >
  methods: Record<MethodType, string>
  states: Record<AttemptState, string>
  steps: Record<AttemptStep, string>
}

/** What the proof of payment says: to be shown to an operator, a bank or the help desk. */
export const proofWords = {
  fr: {
    title: 'Dossier de paiement',
    notice:
      'Ce document liste toutes les tentatives de paiement connues du portail. Présentez-le à l’opérateur ou à l’assistance en cas de question.',
    none: 'Aucune tentative de paiement n’est connue pour cette demande.',
    attempt: order => `Paiement ${order}`,
    fields: {
      state: 'État',
      amount: 'Montant et devise',
      method: 'Moyen de paiement',
      operatorReference: 'Référence de l’opérateur',
      createdAt: 'Commencé le (heure de Yaoundé)',
      updatedAt: 'Dernier changement (heure de Yaoundé)',
      next: 'Suite',
    },
    methods: {
      MOBILE: 'Mobile money',
      CARD_UBA: 'Carte bancaire (UBA)',
      CARD: 'Carte bancaire',
      BACM: 'Carte bancaire (Banque Atlantique)',
      AGGREGATOR: 'Portefeuille mobile',
      MOCK: 'Paiement de démonstration',
      WHITELIST: 'Payé dans l’ancien système',
    },
    states: {
      IN_PROGRESS: 'Paiement en cours',
      SUCCESS: 'Paiement réussi',
      ERROR: 'Échec du paiement',
      REFUND_DUE: 'Double paiement, à rembourser',
      REFUNDED: 'Remboursé',
    },
    steps: {
      'waiting-for-approval': 'Approuvez le paiement sur le téléphone du payeur.',
      'waiting-for-code': 'Saisissez le code de paiement.',
      'waiting-for-card': 'Terminez le paiement sur la page de la carte.',
      'asking-operator': 'Le portail interroge l’opérateur.',
      'nothing-taken': 'L’opérateur dit que rien n’a été débité.',
      paid: 'Le paiement est acquis à la demande.',
      'refund-due': 'Ce paiement est connu comme double et sera remboursé.',
      refunded: 'Ce paiement a été remboursé.',
      'ask-help': 'L’opérateur n’a pas répondu. Contactez l’assistance avec ce document.',
    },
  },
  en: {
    title: 'Payment file',
    notice:
      'This document lists every attempt to pay that the portal knows of. Show it to the operator or to the help desk if there is a question.',
    none: 'No attempt to pay for this application is known.',
    attempt: order => `Payment ${order}`,
    fields: {
      state: 'Status',
      amount: 'Amount and currency',
      method: 'Payment method',
      operatorReference: 'Reference of the operator',
      createdAt: 'Started on (Yaoundé time)',
      updatedAt: 'Last change (Yaoundé time)',
      next: 'What comes next',
    },
    methods: {
      MOBILE: 'Mobile money',
      CARD_UBA: 'Bank card (UBA)',
      CARD: 'Bank card',
      BACM: 'Bank card (Banque Atlantique)',
      AGGREGATOR: 'Mobile wallet',
      MOCK: 'Demonstration payment',
      WHITELIST: 'Paid in the old system',
    },
    states: {
      IN_PROGRESS: 'Payment in progress',
      SUCCESS: 'Payment successful',
      ERROR: 'Payment failed',
      REFUND_DUE: 'Paid twice, to be refunded',
      REFUNDED: 'Refunded',
    },
    steps: {
      'waiting-for-approval': 'Approve the payment on the payer’s phone.',
      'waiting-for-code': 'Enter the payment code.',
      'waiting-for-card': 'Finish the payment on the card page.',
      'asking-operator': 'The portal is asking the operator.',
      'nothing-taken': 'The operator says that nothing was taken.',
      paid: 'The payment counts for the application.',
      'refund-due': 'This payment is known as a second one and will be refunded.',
      refunded: 'This payment was refunded.',
      'ask-help': 'The operator did not answer. Contact the help desk with this document.',
    },
  },
} as const satisfies Record<Language, Words>
