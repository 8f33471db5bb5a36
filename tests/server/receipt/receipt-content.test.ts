import { describe, expect, it } from 'vitest'
import en from '#i18n/en.json'
import fr from '#i18n/fr.json'
import type { FormValues } from '#contract/application.ts'
import { papersOfForm } from '#contract/papers.ts'
import { receiptContent, type ReceiptFacts } from '#server/features/receipt/receipt-content.ts'
import frServer from '#server/i18n/fr.json' with { type: 'json' }
import enServer from '#server/i18n/en.json' with { type: 'json' }
import { translateTo } from '#server/i18n/translate.ts'
import { firstPassport, minorWithRepresentative, renewalBornAbroad } from '#support/data/applicants.ts'

function receiptOf(form: FormValues, facts: Partial<ReceiptFacts> = {}) {
  const given: ReceiptFacts = {
    language: 'fr',
    applicationNumber: 'PP-2026-000042-9',
    form,
    appointment: {
      office: 'Bureau de Yaoundé',
      countryId: '10998',
      country: 'Cameroun',
      city: 'Yaoundé',
      address: 'Etoudi, Yaoundé',
      startsAt: '2026-12-01T09:30:00',
    },
    payment: { status: 'SUCCESS', amount: 110_000, currency: 'XAF', orderId: 'PAY-1' },
    help: { phone: '1500', email: 'contact@passcam.cm' },
    issuedAt: new Date('2026-11-21T10:00:00Z'),
    today: '2026-11-21',
    ...facts,
  }
  return receiptContent(given, fields => JSON.stringify(fields))
}

function rowsOf(receipt: ReturnType<typeof receiptOf>, heading: string): Record<string, string> {
  const section = receipt.sections.find(each => each.heading === heading)
  return Object.fromEntries((section?.rows ?? []).map(({ label, value }) => [label, value]))
}

describe('the sections of a receipt', () => {
  it('are those of the last screen, in the same order (FIN04)', () => {
    const card = { selectNic: '3', nicNumber: '109876543' }
    const form = { ...minorWithRepresentative, ...card, reason: '11284', eppNumber: 'AA0123456' }
    expect(receiptOf(form).sections.map(({ heading }) => heading)).toEqual([
      'Données biographiques',
      'Adresse de résidence',
      'Données de la CNI',
      'Passeport précédent',
      'Données des parents',
      'Données du représentant',
      'Rendez-vous',
      'Paiement',
    ])
  })

  it('omit empty values and sections without rows (FIN06)', () => {
    const receipt = receiptOf(renewalBornAbroad)
    expect(receipt.sections.flatMap(({ rows }) => rows).filter(({ value }) => value.trim() === '')).toEqual(
      [],
    )
    const headings = receipt.sections.map(({ heading }) => heading)
    expect(headings).not.toContain('Données de la CNI')
    expect(headings).not.toContain('Données du représentant')
    expect(rowsOf(receipt, 'Passeport précédent')).toEqual({
      'Numéro du passeport précédent': '01234567',
      'Date de délivrance du passeport précédent': '29.02.2016',
    })
  })

  it('begin with the reason and the travel (S57)', () => {
    const labels = Object.keys(rowsOf(receiptOf(firstPassport), 'Données biographiques'))
    expect(labels.slice(0, 3)).toEqual(['Motif de la demande', 'Destination du voyage', 'Motif du voyage'])
  })

  it('show codes, dates and phone numbers as text for people', () => {
    expect(rowsOf(receiptOf(firstPassport), 'Données biographiques')).toMatchObject({
      'Motif de la demande': 'Premier passeport',
      Nom: 'Ngo Biyong',
      Prénoms: 'Éloïse Œdipe',
      Sexe: 'Féminin',
      'Date de naissance': '27.03.1990',
      'Pays de naissance': 'Cameroun',
      'Région de naissance': 'Centre',
      'Numéro de téléphone': '+237 6 71 23 45 67',
    })
    const abroad = rowsOf(receiptOf(renewalBornAbroad, { language: 'en' }), 'Biographic data')
    expect(abroad).toMatchObject({
      'Date of birth': '1962',
      'Country of birth': 'France',
      'City of birth': 'Marseille',
      Occupation: 'Griot',
    })
  })

  it('show the appointment and the payment (FIN07, FIN08, FIN10)', () => {
    const receipt = receiptOf(firstPassport)
    // The name of this office contains its city, which is therefore not repeated (`officeWithTown`).
    expect(rowsOf(receipt, 'Rendez-vous')).toMatchObject({
      Bureau: 'Bureau de Yaoundé\u00a0– Cameroun',
      Année: '2026',
      Mois: 'décembre',
      Jour: '01',
      Heure: '09:30',
    })
    expect(rowsOf(receipt, 'Paiement')).toEqual({
      État: 'Paiement réussi',
      'Montant et devise': '110\u00a0000\u00a0FCFA',
      'Numéro de paiement': 'PAY-1',
    })
  })

  it('show the general queue without a date, and omit a missing payment (FIN09, S63)', () => {
    const appointment = {
      office: 'Ambassade',
      countryId: '11037',
      country: 'France',
      city: 'Paris',
      address: '',
      startsAt: null,
    }
    const receipt = receiptOf(firstPassport, { appointment, payment: undefined })
    expect(rowsOf(receipt, 'Rendez-vous')).toEqual({
      Bureau: 'Ambassade\u00a0– Paris, France',
      Adresse: 'Adresse à confirmer auprès du bureau',
      Jour: 'File d’attente générale',
    })
    expect(receipt.sections.map(({ heading }) => heading)).not.toContain('Paiement')
    expect(receipt.headline.flat().map(({ value }) => value)).toContain('File d’attente générale')
  })
})

describe('the QR code of a receipt', () => {
  it('contains only the facts that the code proves', () => {
    expect(JSON.parse(receiptOf(renewalBornAbroad).qr.text)).toEqual({
      applicationNumber: 'PP-2026-000042-9',
      name: 'Ngo Biyong Éloïse Œdipe',
      yearOfBirth: 1962,
      office: 'Bureau de Yaoundé',
      date: '2026-12-01',
    })
  })
})

describe('the papers on a receipt', () => {
  it('are those that the portal requires for the day of the appointment, not for today (F13)', () => {
    // The applicant becomes 21 on the day of the appointment, and so needs no parental consent.
    const form = { ...firstPassport, yearOfBirth: '2005', monthOfBirth: '12', dayOfBirth: '01' }
    const { items } = receiptOf(form).papers
    const papers = papersOfForm(form, { day: '2026-12-01', officeCountry: '10998' })
    expect(items).toEqual(papers.map(paper => translateTo('fr')(`receipt.papers.${paper}`)))
    expect(papers).not.toContain('parentalConsent')
    expect(papersOfForm(form, { day: '2026-11-21', officeCountry: '10998' })).toContain('parentalConsent')
  })
})

describe('the words that a receipt shares with the screens', () => {
  it.each([
    ['fr', fr, frServer],
    ['en', en, enServer],
  ] as const)('are the same, in %s', (language, catalogue, ofServer) => {
    const t = translateTo(language)
    const texts: Record<string, string> = catalogue
    const pairs = [
      ...labelled('field', textsAfter('receipt.fields', ofServer)),
      ...labelled('section', textsAfter('receipt.sections', ofServer)),
      ...labelled('reason', textsAfter('receipt.reasons', ofServer)),
      ...labelled('gender', textsAfter('receipt.genders', ofServer)),
      ...labelled('nic', textsAfter('receipt.nicChoices', ofServer)),
      ...labelled('status', textsAfter('receipt.paymentStatuses', ofServer)),
      ...labelled('representative', textsAfter('receipt.representativeChoices', ofServer)),
      ...labelled('paper', textsAfter('receipt.papers', ofServer)),
      ['papers.heading', t('receipt.papersHeading')],
      ['schedule.office', t('receipt.appointment.office')],
      ['schedule.address', t('receipt.appointment.address')],
      ['schedule.year', t('receipt.appointment.year')],
      ['schedule.month', t('receipt.appointment.month')],
      ['schedule.date', t('receipt.appointment.day')],
      ['schedule.time', t('receipt.appointment.time')],
      ['appointment.date', t('receipt.appointment.fullDate')],
      ['appointment.addressUnknown', t('receipt.appointment.addressUnknown')],
      ['final.paymentStatus', t('receipt.payment.status')],
      ['final.paymentAmount', t('receipt.payment.amount')],
      ['final.paymentNumber', t('receipt.payment.order')],
      ['final.print', t('receipt.notice')],
      ['appointment.generalQueue', t('receipt.generalQueue')],
    ] as const
    for (const [key, text] of pairs) expect([key, text]).toEqual([key, texts[key]])
  })
})

/** Returns the texts whose keys have this prefix, by the remaining part of the key. */
function textsAfter(prefix: string, catalogue: Record<string, string>): Record<string, string> {
  const found = Object.entries(catalogue).filter(([key]) => key.startsWith(`${prefix}.`))
  expect(found, prefix).not.toEqual([])
  return Object.fromEntries(found.map(([key, text]) => [key.slice(prefix.length + 1), text]))
}

function labelled(prefix: string, words: Record<string, string>): [string, string][] {
  return Object.entries(words).map(([key, text]) => [`${prefix}.${key}`, text])
}
