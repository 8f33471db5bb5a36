import { describe, expect, it } from 'vitest'
import { countries } from '#server/seed/countries.ts'
import { departments, localities, regions } from '#server/seed/divisions.ts'
import { occupations } from '#server/seed/occupations.ts'
import { listCitySeeds, listOfficeSeeds } from '#server/seed/offices.ts'
import { flattenCatalogue } from './catalogue.ts'
import { readText } from './source-tree.ts'

const catalogues = ['src/i18n/fr.json', 'server/i18n/fr.json', 'server/build/i18n/fr.json']
const noBreakSpace = '\u00a0'

/** Old words for a thing. After each: the word that the portal uses everywhere instead. */
const otherWords = [
  /\bcentres?\b/i, // bureau
  /\bcréneaux?\b/i, // heure
  /\bhoraires?\b/i, // heure
  /\bmodes? de paiement\b|\bmoyens? de payer\b/i, // moyen de paiement
  /\bdébit/i, // prendre l’argent
  /\bdossiers? de paiement\b/i, // justificatif
  /\bnuméro de (?:la )?commande\b/i, // ordre
  /\bsessions? (?:sont|est) fermées?\b/i, // appareil déconnecté
  /\bà votre accès\b|\bde votre accès\b/i, // compte
  /(?<!\{)\bcontacts?\b/i, // moyen de connexion, or coordonnées
  /\bsur le serveur\b/i, // en ligne
]

/** The French names that the service shows: countries, places of Cameroon, offices with their cities and addresses. */
const names = [
  ...[...countries, ...regions, ...departments, ...localities].map(({ nameFr }) => nameFr),
  ...listCitySeeds().map(({ nameFr }) => nameFr),
  ...listOfficeSeeds().flatMap(({ nameFr, address }) => [nameFr, address]),
]
const occupationNames = occupations.map(({ descrFr }) => descrFr ?? '')

describe.each(catalogues)('the French texts of %s, except those for SMS', path => {
  const texts = Object.entries(flattenCatalogue(JSON.parse(readText(path)))).filter(([key]) => !isSms(key))

  it('have typographic apostrophes', () => {
    expect(texts.filter(([, text]) => hasStraightApostrophe(text))).toEqual([])
  })

  it('have a no-break space before : ; ? and !, and inside quotation marks', () => {
    expect(texts.filter(([, text]) => lacksNoBreakSpace(text))).toEqual([])
  })

  it('leave no unit alone on the next line: a no-break space is before s, min and h', () => {
    expect(texts.filter(([, text]) => mayBreakBeforeUnit(text))).toEqual([])
  })

  it.each(otherWords)('have one word for a thing: not %s', word => {
    expect(texts.filter(([, text]) => word.test(text))).toEqual([])
  })
})

describe('the SMS in French', () => {
  const texts = Object.entries(flattenCatalogue(JSON.parse(readText('server/i18n/fr.json'))))

  it.each(otherWords)('have the words of the portal: not %s', word => {
    expect(texts.filter(([key, text]) => isSms(key) && word.test(text))).toEqual([])
  })
})

describe('the French names of the seed', () => {
  it('have typographic apostrophes', () => {
    expect([...names, ...occupationNames].filter(hasStraightApostrophe)).toEqual([])
  })

  it('write the ordinal number one as 1er', () => {
    expect(names.filter(name => /\b(?:Ier|1ere?|1ère)\b/.test(name) && !/\b1er\b/.test(name))).toEqual([])
  })

  it('name an occupation by a word for women and men, or by both forms', () => {
    expect(occupationNames.filter(isMasculineOnly)).toEqual([])
  })
})

describe('the checks of French', () => {
  it.each(["l'Ouest", "aujourd'hui"])('find the straight apostrophe in %j', text => {
    expect(hasStraightApostrophe(text)).toBe(true)
  })

  it.each(['Vraiment ?', 'Nom : Biyong', '« Fermer »', 'Vraiment?'])(
    'find the missing no-break space in %j',
    text => {
      expect(lacksNoBreakSpace(text)).toBe(true)
    },
  )

  it.each([
    `Nom${noBreakSpace}: Biyong`,
    'https://exemple.cm',
    '09:30',
    '{count, plural, one {#} other {#}}',
  ])('accept %j', text => {
    expect(lacksNoBreakSpace(text)).toBe(false)
  })

  it.each(['Coiffeur', 'Étudiant(e)', 'Avocat, juriste', 'Pêcheur, forestier / forestière'])(
    'find that %j has only a masculine form, or one with a suffix in brackets',
    name => {
      expect(isMasculineOnly(name)).toBe(true)
    },
  )
})

/** Whether an ordinary space is between a figure, or a placeholder, and its unit. */
function mayBreakBeforeUnit(text: string): boolean {
  return /[\d}] (?:s|min|h)\b|\} \{unit,/.test(text)
}

/**
 * Whether the text of this key is written for SMS; three of these texts are in e-mails too. It needs neither typographic
 * apostrophes nor no-break spaces: the GSM 7-bit alphabet has none, and the server replaces them (`toGsm7`).
 */
function isSms(key: string): boolean {
  return /\.sms(?:\.|$)|^(?:paymentConfirmed|closedDay|freeDay)\.text$/.test(key)
}

function hasStraightApostrophe(text: string): boolean {
  return /\p{L}'\p{L}/u.test(text)
}

/** A mark inside a word or a number, as in an address or a time, is no punctuation. */
function lacksNoBreakSpace(text: string): boolean {
  return / [:;?!»]|[^\u00a0\u202f:;?!](?:[;?!»](?![\p{L}\p{N}/])|:(?= |$))|«(?!\u00a0|\u202f)/u.test(text)
}

/** Names with a masculine ending that do not name a person. */
const otherNames = /^(?:sans profession|hôtellerie et restauration|personnel navigant|petit métier)$/i
const masculineEnding = /(?:eur|ier|ien|ant|ent|if|eux|on|at|al|an|el|é)$/

/** A label lists one or more names, with commas between them. A slash separates the two forms of one name. */
function isMasculineOnly(label: string): boolean {
  return label
    .split(', ')
    .filter(name => !name.includes(' / ') && !otherNames.test(name))
    .some(name => name.includes('(') || name.split(/[ -]/).some(word => masculineEnding.test(word)))
}
