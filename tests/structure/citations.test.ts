import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  findMissingNames,
  findMissingPaths,
  findRecordFaults,
  findUnresolved,
  readCitations,
  readDefinitions,
  readRecordId,
} from './citations.ts'
import { listFiles, projectRoot, readSources, readText } from './source-tree.ts'

const documents = listFiles('docs').filter(path => path.endsWith('.md'))
const records = documents.filter(path => path.startsWith('docs/decisions/') && !path.endsWith('/README.md'))

describe('the documents', () => {
  it('define every id that the repository cites', () => {
    const files = listReadFiles().map(path => ({ path, text: readText(path) }))
    expect(files.length).toBeGreaterThan(500)
    expect(findUnresolved(files, defineIds())).toEqual([])
  })

  it('define each id once', () => {
    const ids = [
      ...records.flatMap(path => readRecordId(path) ?? []),
      ...readDefinitions(readText('docs/requirements.md')),
      ...readDefinitions(readText('docs/first-features.md')),
    ]
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  it('contain a complete record for each decision and list it in the index', () => {
    const index = readText('docs/decisions/README.md')
    const faults = records.flatMap(path =>
      findRecordFaults({ path, text: readText(path) }, { index, exists }),
    )
    expect(faults).toEqual([])
  })

  it('link from the index of decisions to existing files', () => {
    const linked = [...readText('docs/decisions/README.md').matchAll(/^- \[D\d+\]\((.+?)\)/gm)]
    expect(linked.map(([, name]) => `docs/decisions/${name}`).toSorted()).toEqual(records)
  })
})

describe('the paths in the documents', () => {
  it('exist', () => {
    const texts = [...documents, 'README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md']
    const read = texts.map(path => ({ path, text: readText(path) }))
    expect(findMissingPaths(read, { exists, examples: recipePaths })).toEqual([])
  })

  it('are found in prose, links and diagrams, and not with a placeholder', () => {
    const text =
      'See `src/a.ts`, [b](docs/b.md), c["Label<br/>server/c.ts"], `tests/d/*.ts`, `server/features/…`, https://x.example/src/e.ts.'
    const missing = findMissingPaths([{ path: 'docs/x.md', text }], { exists: () => false, examples: [] })
    expect(missing.map(line => line.split(' ')[2])).toEqual(['src/a.ts,', 'docs/b.md,', 'server/c.ts,'])
  })
})

describe('the names in the description of the code', () => {
  const path = 'docs/architecture.md'

  it('are those of files of the repository and functions of the product', () => {
    const files = ['src', 'server', 'sw', 'tests'].flatMap(listFiles)
    const code = readSources('src', 'server', 'sw')
      .map(({ text }) => text)
      .join('\n')
    expect(findMissingNames({ path, text: readText(path) }, { files, code })).toEqual([])
  })

  it('are found in prose and diagrams', () => {
    const text = 'c["ask()<br/>server/c.ts, d.ts"], e.ts, `find()`'
    const product = { files: ['server/c.ts', 'server/d.ts'], code: 'function ask(' }
    expect(findMissingNames({ path, text }, product)).toEqual([
      `${path}: e.ts does not exist`,
      `${path}: find() does not exist`,
    ])
  })
})

describe('readCitations and findUnresolved', () => {
  it.each([
    ['shows the code (D21, F6)', ['D21', 'F6']],
    ['PAY25–PAY30 and S09-S11', ['PAY25', 'PAY30', 'S09', 'S11']],
    ['I1804 in both languages; DOC12.', ['I1804', 'DOC12']],
    ['[D21](D21-one-time-code.md): one-time code', ['D21', 'D21']],
    ['D999, S00, F77 and PER099 look like ids', ['D999', 'S00', 'F77', 'PER099']],
    ['#D40 and #F1F1F1 are colours, %D3 and \\D3 escapes', []],
    ['6F9619FF-8B86-D011-B42D-00C04FC964FF and 1234-D123', []],
    ['S3, 3D, MD5, HS256, UTF-16, I18n, A4, H264, SD12, D3x', []],
    ['d21 and per09, because they are in lower case', []],
  ])('reads %j', (text, ids) => {
    expect(readCitations(text)).toEqual(ids)
  })

  it('finds an unknown id in a comment, a string and a document, with its line, and not in other code', () => {
    const source = '// Keeps it (D99).\nconst D98 = 1\n\nit(`works (PER77) ${D98}`, f)\n'
    const files = [
      { path: 'src/a.ts', text: source },
      { path: 'docs/a.md', text: 'One (D21).\nTwo (F99).\n' },
    ]
    expect(findUnresolved(files, new Set(['D21']))).toEqual([
      'src/a.ts:1 cites D99, which docs/ does not define',
      'src/a.ts:4 cites PER77, which docs/ does not define',
      'docs/a.md:2 cites F99, which docs/ does not define',
    ])
  })
})

describe('findRecordFaults', () => {
  const path = 'docs/decisions/D21-one-time-code.md'
  const text =
    '# D21: One-time code\n\nStatus: in force.\n\n**Context.** a\n\n**Decision.** b\n\n**Consequence.** c\n\n**Code.** `src`\n'
  const facts = { index: '- [D21](D21-one-time-code.md): One-time code\n', exists: () => true }

  it('accepts a complete record', () => {
    expect(findRecordFaults({ path, text }, facts)).toEqual([])
  })

  it.each([
    ['another title', { text: text.replace('# D21', '# D22') }],
    ['no status', { text: text.replace('in force', 'unclear') }],
    ['no consequence', { text: text.replace('**Consequence.**', '') }],
    ['the status "planned" without "(planned)" in the index', { text: text.replace('in force', 'planned') }],
    ['a wrong file name', { path: 'docs/decisions/one-time-code.md' }],
  ])('finds %s', (_, change) => {
    expect(findRecordFaults({ path, text, ...change }, facts)).toHaveLength(1)
  })

  it('finds a folder that does not exist, and a record that the index does not list', () => {
    expect(findRecordFaults({ path, text }, { ...facts, exists: () => false })).toHaveLength(1)
    expect(findRecordFaults({ path, text }, { ...facts, index: '' })).toHaveLength(1)
  })
})

// Files that the recipes of CONTRIBUTING.md create.
const recipePaths = [
  'src/screens/offices/offices-screen.tsx',
  'server/cli/count.ts',
  'server/integrations/wave.ts',
  'server/integrations/simulators/wave-simulator.ts',
]

// These two tests contain made-up ids.
const madeUp = ['tests/structure/citations.test.ts', 'tests/requirements/coverage.test.ts']

function listReadFiles(): string[] {
  const folders = ['src', 'server', 'sw', 'tests', 'docs'].flatMap(folder => listFiles(folder))
  const single = [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'SECURITY.md',
    '.env.example',
    'index.html',
    'vite.config.ts',
  ]
  return [...folders, ...single.filter(path => exists(path))].filter(
    path => /\.(?:tsx?|m[jt]s|md|css|html|example|csv)$/.test(path) && !madeUp.includes(path),
  )
}

function defineIds(): Set<string> {
  return new Set([
    ...records.flatMap(path => readRecordId(path) ?? []),
    ...readDefinitions(readText('docs/requirements.md')),
    ...readDefinitions(readText('docs/first-features.md')),
  ])
}

function exists(path: string): boolean {
  return existsSync(join(projectRoot, path))
}
