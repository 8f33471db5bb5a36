import { readFileSync } from 'node:fs'
import { createReceiptRenderer } from '#server/features/receipt/render-receipt.ts'
import type { LabelledValue, Receipt } from '#server/features/receipt/receipt.ts'

export const renderReceipt = createReceiptRenderer({
  regular: readFileSync(fontFile('noto-sans-regular.ttf')),
  bold: readFileSync(fontFile('noto-sans-bold.ttf')),
})

export const shortReceipt: Receipt = {
  language: 'fr',
  title: 'Récépissé de pré-enrôlement',
  applicationNumberLabel: 'Numéro de la demande',
  applicationNumber: 'PP-2026-004172-6',
  notice: 'Ce récépissé doit être imprimé et présenté au centre d’enrôlement.',
  headline: [
    rows({ 'Nom et prénoms': 'NGONO ÉBÉNÉ Anaïs Cœur-de-Marie' }),
    rows({ 'Centre d’enrôlement': 'Centre national de production des passeports, Yaoundé' }),
    rows({ Date: '01.12.2026', Heure: '09:30' }),
  ],
  unprintable: '□ : caractère que cette feuille ne peut pas imprimer.',
  sections: [
    {
      heading: 'Données biographiques',
      rows: rows({
        Nom: 'NGONO ÉBÉNÉ',
        Prénoms: 'Anaïs Cœur-de-Marie',
        Sexe: 'Féminin',
        'Date de naissance': '14/08/1991',
        'Lieu de naissance': 'Ŋgaoundéré',
        'Pays de naissance': 'Cameroun',
        Profession: 'Institutrice',
        'Situation matrimoniale': 'Mariée',
      }),
    },
    {
      heading: 'Paiement',
      rows: rows({ Statut: 'Payé', Montant: '110 000 FCFA', 'Numéro du paiement': 'TRX-88214076' }),
    },
  ],
  papers: {
    heading: 'À apporter au bureau',
    items: [
      'Ce récépissé imprimé',
      'Original et copie certifiée conforme de l’acte de naissance',
      'Original et copie certifiée conforme de la carte nationale d’identité',
      'Justificatif de la profession',
      'Acte de mariage, pour porter le nom du conjoint',
    ],
  },
  qr: {
    text: `PP1.PP-2026-004172-6.${'Abc_9-'.repeat(14)}.${'xYz01-'.repeat(14)}Qg`,
    alt: 'Code QR signé qui contient le numéro de la demande',
    caption: 'Code à scanner au guichet. Signé par le service : toute copie modifiée est refusée.',
  },
  footer: 'Site officiel : portal.passcam.cm · Police 1500 · contact@passcam.cm',
  pageLabel: 'page {page}/{pages}',
  issuedAt: new Date('2026-11-21T10:15:00Z'),
}

/** A receipt of two pages, with many answers, also those of a legal representative. */
export const longReceipt: Receipt = {
  ...shortReceipt,
  sections: [
    {
      heading: 'Données biographiques',
      rows: rows({
        Procédure: 'Renouvellement de passeport ordinaire',
        Motif: 'Perte',
        Nom: 'NGONO ÉBÉNÉ',
        Prénoms: 'Anaïs Cœur-de-Marie Immaculée-Conception',
        'Nom d’épouse': 'ATANGANA MBALLA',
        Sexe: 'Féminin',
        'Date de naissance': '14/08/1991',
        'Lieu de naissance': 'Ŋgaoundéré',
        'Pays de naissance': 'Cameroun',
        Région: 'Adamaoua',
        Département: 'Vina',
        Arrondissement: 'Ngaoundéré Iᵉʳ',
        Profession: 'Institutrice de l’enseignement général',
        'Situation matrimoniale': 'Mariée',
        Taille: '168 cm',
        'Couleur des yeux': 'Marron',
        'Couleur des cheveux': 'Noirs',
        'Signes particuliers':
          'Cicatrice au-dessus du sourcil gauche, tache de naissance sur l’avant-bras droit',
        Téléphone: '+237 6 99 12 34 56',
        'Adresse électronique': 'anais.coeur-de-marie.ngono-ebene@enseignement-secondaire.exemple.cm',
      }),
    },
    {
      heading: 'Adresse de résidence',
      rows: rows({
        Pays: 'Cameroun',
        Région: 'Centre',
        Département: 'Mfoundi',
        Arrondissement: 'Yaoundé VI',
        Ville: 'Yaoundé',
        Quartier: 'Biyem-Assi, Acacias',
        'Rue et numéro': 'Derrière la pharmacie du Lac, portail vert, entre la chapelle et le forage',
        'Boîte postale': 'BP 12 345',
      }),
    },
    {
      heading: 'Carte nationale d’identité',
      rows: rows({
        'Numéro de la carte': '20230918273645512',
        'Date de délivrance': '03/02/2023',
        'Date d’expiration': '03/02/2033',
        'Lieu de délivrance': 'CE04 – Yaoundé',
      }),
    },
    {
      heading: 'Passeport précédent',
      rows: rows({
        'Numéro du passeport': 'AA123456',
        'Date de délivrance': '18/07/2021',
        'Date d’expiration': '18/07/2026',
        'Autorité de délivrance': 'DGSN',
        'Numéro de la déclaration': '0218/PV/CSPJ/2026',
        'Date de la déclaration': '12/11/2026',
      }),
    },
    { heading: 'Père et mère', rows: people('du père', 'de la mère') },
    { heading: 'Représentant légal', rows: people('du représentant') },
    {
      heading: 'Rendez-vous',
      rows: rows({
        Centre: 'Centre national de production des passeports, Yaoundé',
        Année: '2026',
        Mois: 'Décembre',
        Date: '01/12/2026',
        Heure: '09:30',
      }),
    },
    ...shortReceipt.sections.slice(1),
  ],
}

/** Values as long as the form allows: 100 characters in the sections, 200 in the headline, which joins two names. */
export const longestReceipt: Receipt = {
  ...longReceipt,
  headline: longReceipt.headline.map((line, index) =>
    line.map(({ label }) => ({ label, value: varied(200, index) })),
  ),
  sections: longReceipt.sections.map(({ heading, rows: given }, index) => ({
    heading,
    rows: given.map(({ label }, place) => ({ label, value: varied(100, index * 20 + place) })),
  })),
}

function varied(length: number, seed: number): string {
  return Array.from({ length }, (_, index) =>
    index % 9 === 8 ? ' ' : String.fromCodePoint(0xc0 + ((seed * 37 + index * 11) % 190)),
  ).join('')
}

function people(...roles: string[]): LabelledValue[] {
  return roles.flatMap(role =>
    rows({
      [`Nom ${role}`]: 'ÉBÉNÉ BƐLƆ Ŋkoŋ ɔ̀bə́',
      [`Prénoms ${role}`]: 'Jean-Chrysostome Œcuménique',
      [`Date de naissance ${role}`]: '02/05/1962',
      [`Lieu de naissance ${role}`]: 'Mbalmayo',
      [`Nationalité ${role}`]: 'Camerounaise',
      [`Profession ${role}`]: 'Planteur',
      [`Téléphone ${role}`]: '+237 6 77 00 11 22',
    }),
  )
}

function rows(values: Record<string, string>): LabelledValue[] {
  return Object.entries(values).map(([label, value]) => ({ label, value }))
}

function fontFile(name: string): URL {
  return new URL(`../../../server/seed/fonts/${name}`, import.meta.url)
}
