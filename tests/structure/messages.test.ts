import { describe, expect, it } from 'vitest'
import {
  findDoubleKeys,
  findLoneKeys,
  findMessageFaults,
  findUnknownKeys,
  findUntranslated,
  findUnusedKeys,
  flattenCatalogue,
  readPlaceholders,
} from './catalogue.ts'
import { isFirstMessage, isInGroup } from '#server/build/message-groups.ts'
import { readImports } from './imports.ts'
import { readLiterals } from './source-text.mjs'
import { readSources, readText, type SourceFile } from './source-tree.ts'

// Prefixes of keys whose rest is a code: a state, a problem, an issue, a field, …
const dynamicPrefixes = [
  'account.dataAs.',
  'account.event.',
  'account.kind.',
  'account.removal.',
  'account.remove.',
  'account.short.',
  'answer.',
  'attemptNext.',
  'dormant.by.',
  'dormant.byHint.',
  'dormant.sent.',
  'dormant.startAgainMeans.',
  'dormant.why.',
  'field.',
  'final.noChange.',
  'for.',
  'forHint.',
  'gender.',
  'help.',
  'issue.',
  'method.',
  'methodDetail.',
  'month.',
  'nic.',
  'paper.',
  'privacy.kept.',
  'privacy.noEnd.',
  'procedure.open.',
  'reason.',
  'representative.',
  'section.',
  'state.',
  'status.',
  'tab.',
  'takeOver.',
  'weekday.',
  'weekdayShort.',
] as const

const serverPrefixes = [
  'code.',
  'contactChange.sms.',
  'deletion.',
  'myData.columns.',
  'myData.tables.',
  'payment.',
  'problem.',
  'proof.methods.',
  'proof.states.',
  'proof.steps.',
  'receipt.fields.',
  'receipt.genders.',
  'receipt.months.',
  'receipt.nicChoices.',
  'receipt.papers.',
  'receipt.paymentStatuses.',
  'receipt.reasons.',
  'receipt.representativeChoices.',
  'receipt.sections.',
] as const

// The catalogues of the portal, the server and the build, and the folders whose code uses their texts.
const catalogues = [
  { folder: 'src/i18n', code: 'src', dynamicPrefixes: [...dynamicPrefixes] as string[] },
  { folder: 'server/i18n', code: 'server', dynamicPrefixes: [...serverPrefixes] as string[] },
  // The notices that the build writes into index.html for browsers that cannot run the portal.
  { folder: 'server/build/i18n', code: 'server/build', dynamicPrefixes: [] as string[] },
]

// Texts that are correct in both languages (I1831): names, codes and shared words.
const equalTexts = [
  'English',
  'Français',
  'Date',
  'Documents',
  'Mobile money',
  'Correction',
  'Contact',
  'E-mail',
  'Cookies',
  'Version {release}',
  'page {page}/{pages}',
  '{count, plural, =1 {1 minute} other {# minutes}}',
] as const

// The files that are loaded before a sign-in page hydrates; `findReached` adds their imports.
const firstFiles = [
  'src/app/main.tsx',
  ...['welcome', 'mobile', 'mail', 'password'].map(name => `src/screens/${name}/${name}-screen.tsx`),
]

describe.each(catalogues)('the two catalogues of $folder', ({ folder, code, dynamicPrefixes: prefixes }) => {
  it('have the same keys (S88)', () => {
    const { french, english } = readCatalogues(folder)
    expect(findLoneKeys(french, english)).toEqual([])
  })

  it('contain each key once', () => {
    expect(findDoubleKeys(readText(`${folder}/fr.json`))).toEqual([])
    expect(findDoubleKeys(readText(`${folder}/en.json`))).toEqual([])
  })

  it('have no empty message and use the same placeholders', () => {
    const { french, english } = readCatalogues(folder)
    expect(findMessageFaults(french, english)).toEqual([])
  })

  it('differ in every text except names and shared words (I1831)', () => {
    const { french, english } = readCatalogues(folder)
    expect(findUntranslated(french, english, equalTexts)).toEqual([])
  })

  it('contain no key that the code does not use', () => {
    const keys = Object.keys(readCatalogues(folder).english)
    expect(findUnusedKeys(keys, readSources(code), prefixes)).toEqual([])
  })

  it('contain every key that the code uses', () => {
    const keys = Object.keys(readCatalogues(folder).english)
    expect(findUnknownKeys(keys, readSources(code), prefixes)).toEqual([])
  })
})

describe('the catalogues of the portal', () => {
  it('have every text of the sign-in pages and of the page frame in the first part', () => {
    const keys = Object.keys(readCatalogues().english)
    const sources = findReached(readSources('src'), firstFiles)
    const named = sources.flatMap(({ path, text }) =>
      readLiterals(text)
        .filter(literal => keys.includes(literal.text) && !isFirstMessage(literal.text))
        .map(
          literal =>
            `${path} uses '${literal.text}', which is not in the first part; see server/build/message-groups.ts`,
        ),
    )
    expect(sources.length).toBeGreaterThan(firstFiles.length + 20)
    expect(named).toEqual([])
  })

  it('have every text of the page that verifies receipts in the group "verify" or in the first part (F7)', () => {
    const keys = Object.keys(readCatalogues().english)
    const texts = readSources('src/screens/verify').flatMap(({ text }) => readLiterals(text))
    const used = texts.map(({ text }) => text).filter(text => keys.includes(text))
    expect(used.length).toBeGreaterThan(10)
    expect(used.filter(key => !isInGroup(key, 'first') && !isInGroup(key, 'verify'))).toEqual([])
  })
})

describe('the catalogue checks', () => {
  it('flatten nested keys', () => {
    expect(flattenCatalogue({ form: { title: 'Form' }, 'state.NEW': 'New' })).toEqual({
      'form.title': 'Form',
      'state.NEW': 'New',
    })
  })

  it('find a key that occurs twice', () => {
    expect(findDoubleKeys('{\n  "a": "1",\n  "b": "a\\": 2",\n  "a": "3"\n}')).toEqual(['a'])
  })

  it('find a key that only one catalogue has', () => {
    expect(findLoneKeys({ a: 'un' }, { a: 'one', b: 'two' })).toEqual(['b: write it in fr.json'])
  })

  it.each([
    ['plain words', []],
    ['{count} left', ['count']],
    ['{count, plural, one {# time} other {# times for {name}}}', ['count', 'name']],
    ['{kind, select, card {Card} other {Other}}', ['kind:select(card,other)']],
    ['<b>{at, time, short}</b>', ['<b>', 'at']],
  ])('read the placeholders of %j', (message, placeholders) => {
    expect(readPlaceholders(message)).toEqual(placeholders)
  })

  it.each([
    ['{count} fois', '{number} times'],
    [' ', 'a'],
    ['{count', '{count}'],
    ['{kind, select, card {Carte} other {Autre}}', '{kind, select, cash {Cash} other {Other}}'],
  ])('find a fault in the pair %j and %j', (french, english) => {
    expect(findMessageFaults({ a: french }, { a: english })).toHaveLength(1)
  })

  it('allow different plural forms', () => {
    const french = '{count, plural, one {une seule fois} other {# fois}}'
    expect(findMessageFaults({ a: french }, { a: '{count} time' })).toEqual([])
  })

  it('find an untranslated text', () => {
    const same = { a: 'Confirm', b: 'EN', c: '{amount} {currency}', d: '12' }
    expect(findUntranslated(same, same, ['EN'])).toHaveLength(1)
  })

  it('find a key that no code uses, and a used key that is missing', () => {
    const text = [
      "intl.formatMessage({ id: 'form.title' })",
      '<FormattedMessage id="form.lead" values={{ a }} />',
      'const words = t(`state.${state}`)',
      "// t('form.old')",
    ].join('\n')
    const sources = [{ path: 'src/screens/form/form-screen.tsx', text }]
    const keys = ['form.title', 'form.old', 'state.NEW', 'step.1']
    expect(findUnusedKeys(keys, sources, ['state.', 'step.']).map(firstWord)).toEqual([
      'form.old:',
      'step.1:',
    ])
    expect(findUnknownKeys(keys, sources, ['state.'])).toEqual([
      "src/screens/form/form-screen.tsx:2 uses 'form.lead'; add it to both catalogues",
    ])
    expect(findUnknownKeys(keys, sources, [])).toHaveLength(2)
  })
})

function readCatalogues(folder = 'src/i18n') {
  return {
    french: flattenCatalogue(JSON.parse(readText(`${folder}/fr.json`))),
    english: flattenCatalogue(JSON.parse(readText(`${folder}/en.json`))),
  }
}

/** Returns these files and all files that they import statically and not only as types, directly or indirectly. */
function findReached(sources: SourceFile[], roots: readonly string[]): SourceFile[] {
  const reached = new Set(roots)
  for (const path of reached) {
    const source = sources.find(each => each.path === path)
    for (const { file, typeOnly, dynamic } of source ? readImports(source) : [])
      if (file !== undefined && !typeOnly && !dynamic) reached.add(file)
  }
  return sources.filter(({ path }) => reached.has(path))
}

function firstWord(text: string): string | undefined {
  return text.split(' ')[0]
}
