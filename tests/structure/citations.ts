import { readPieces } from './source-text.mjs'
import type { SourceFile } from './source-tree.ts'

/** Every id that the documents define, such as `D21`, `F7`, `S02` and `PER09`. */
export type DefinedIds = ReadonlySet<string>

const areas = 'NAV|SIG|OTP|LST|FRM|GEN|PER|PAR|REP|DOC|CNF|PAY|APT|FIN|SES|API|ERR|STA|DIC|LIM|OFF'

// A whole word in capitals; I18 is the area of the texts, so I1803 is an id. These are not ids: a colour (#D40), an escape
// (%D3), S with one digit (S3), and a group of a UUID. The key names F1 to F12 and the phone S24 look like ids, and ids
// with these names exist.
const CITATION = new RegExp(
  String.raw`(?<![\w#%\\])(?<![0-9A-Fa-f]{4}-)(?:D\d{1,3}|F\d{1,2}|S\d{2}|I18\d{1,3}|(?:${areas})\d{1,3})(?!\w)(?!-[0-9A-Fa-f]{4})`,
  'g',
)

/** Returns the ids in a text in their order, also undefined ones. */
export function readCitations(text: string): string[] {
  return [...text.matchAll(CITATION)].map(match => match[0])
}

/** Returns one line with the position for each citation of an undefined id. */
export function findUnresolved(files: readonly SourceFile[], defined: DefinedIds): string[] {
  return files.flatMap(file =>
    readProse(file).flatMap(({ text, line }) =>
      text.split('\n').flatMap((part, index) =>
        readCitations(part)
          .filter(id => !defined.has(id))
          .map(id => `${file.path}:${line + index} cites ${id}, which docs/ does not define`),
      ),
    ),
  )
}

// A path from the root of the repository, in prose, in a link or in a diagram; not one that ends in a placeholder.
const PATH = /(?<![\w/.@-])(?:src|server|sw|tests|docs|public)\/[\w./-]*\w(?![\w*{…-]|\.\w|<(?!br)|\/[*<{…])/g

/** Returns one line for each path in a document that does not exist. `examples`: paths that a recipe makes up. */
export function findMissingPaths(
  documents: readonly SourceFile[],
  { exists, examples }: { exists: (path: string) => boolean; examples: readonly string[] },
): string[] {
  return documents.flatMap(({ path, text }) =>
    [...text.matchAll(PATH)]
      .map(match => match[0])
      .filter(named => !exists(named) && !examples.includes(named))
      .map(named => `${path} names ${named}, which does not exist`),
  )
}

/** Returns the ids that `docs/requirements.md` or `docs/first-features.md` defines, in lines such as `- **PER09**: …`. */
export function readDefinitions(markdown: string): string[] {
  return [...markdown.matchAll(/^- \*\*([A-Z][A-Z0-9]+)\*\*: /gm)].map(match => match[1] ?? '')
}

/** Returns the id of a record: `docs/decisions/D21-one-time-code.md` defines D21. Undefined for other files. */
export function readRecordId(path: string): string | undefined {
  return /^docs\/decisions\/(D\d+)-[a-z0-9]+(?:-[a-z0-9]+)*\.md$/.exec(path)?.[1]
}

/**
 * Returns the faults of a record: a wrong file name or title, a missing status or section, a missing file or folder, no line
 * in the index, or a line there that says (planned) when the record does not, or the reverse.
 */
export function findRecordFaults(
  { path, text }: SourceFile,
  { index, exists }: { index: string; exists: (path: string) => boolean },
): string[] {
  const id = readRecordId(path)
  if (id === undefined) return [`${path}: the file name of a record is like D21-one-time-code.md`]
  const code = /^\*\*Code\.\*\* ([^]*)/m.exec(text)?.[1] ?? ''
  const folders = [...code.matchAll(/`([^`]+)`/g)].map(match => match[1] ?? '')
  const isPlanned = text.includes('\nStatus: planned.\n')
  const indexed = `- [${id}](${path.split('/').at(-1)}): `
  const planned = index.split('\n').some(line => line.startsWith(indexed) && line.endsWith(' (planned)'))
  const checks: [isRight: boolean, fault: string][] = [
    [text.startsWith(`# ${id}: `), `the title begins with '# ${id}: '`],
    [
      isPlanned || text.includes('\nStatus: in force.\n'),
      "it needs 'Status: in force.' or 'Status: planned.'",
    ],
    ...['Context', 'Decision', 'Consequence', 'Code'].map((section): [boolean, string] => [
      text.includes(`\n**${section}.** `),
      `it needs a paragraph that begins with '**${section}.**'`,
    ]),
    [index.includes(indexed), `add the line '${indexed}…' to docs/decisions/README.md`],
    [planned === isPlanned, 'the index must say (planned) exactly when the record does'],
    ...folders.map((folder): [boolean, string] => [exists(folder), `${folder} does not exist`]),
  ]
  return checks.filter(([isRight]) => !isRight).map(([, fault]) => `${path}: ${fault}`)
}

/**
 * Returns one line for each name in a document of a file or a function that does not exist: `retry.ts` must end the
 * path of one of `files`, and `queryStatus()` must be a word of `code` before `(`, `:` or `<`.
 */
export function findMissingNames(
  { path, text }: SourceFile,
  { files, code }: { files: readonly string[]; code: string },
): string[] {
  const fileNames = [...text.matchAll(/(?<![\w/.-])[\w-]+(?:\/[\w-]+)*\.(?:tsx?|mjs)\b/g)].map(
    ([name]) => name,
  )
  const functions = [...text.matchAll(/\b([a-z]\w+)\(\)/g)].map(([, name = '']) => name)
  return [
    ...fileNames.filter(name => !files.some(file => `/${file}`.endsWith(`/${name}`))),
    ...functions.filter(name => !new RegExp(`\\b${name}[(:<]`).test(code)).map(name => `${name}()`),
  ].map(name => `${path}: ${name} does not exist`)
}

/** Returns the prose of a file: the whole document, or the comments and literals of source code. */
function readProse({ path, text }: SourceFile): { text: string; line: number }[] {
  if (!/\.(?:tsx?|m[jt]s)$/.test(path)) return [{ text, line: 1 }]
  return readPieces(text)
    .filter(piece => piece.kind !== 'code' && piece.kind !== 'regex')
    .map(piece => ({ text: piece.text, line: text.slice(0, piece.start).split('\n').length }))
}
