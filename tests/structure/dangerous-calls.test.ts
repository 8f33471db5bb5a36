import { describe, expect, it } from 'vitest'
import { listFiles, readText } from './source-tree.ts'
import { blankLiterals } from './source-text.mjs'

type Rule = {
  /** In the source with blanks in place of comments, regular expressions and the contents of strings; the quotes stay. */
  code?: RegExp
  /** In the whole source, for the name of a module or a statement of SQL. */
  text?: RegExp
  /** Files that may have it, each with the reason why it is safe there. */
  allowed?: Record<string, string>
}

/** Code that makes a program, HTML or a query from a text, trusts any certificate, or fails after a migration. */
const rules: Record<string, Rule> = {
  'starts a program': { text: /from ['"](?:node:)?(?:child_process|cluster|vm)['"]/ },
  'runs a text as a program': { code: /(?<![.\w])eval\s*\(|\bnew\s+Function\b|\bsetTimeout\s*\(\s*['"`]/ },
  'writes HTML into the page': {
    code: /\b(?:innerHTML|outerHTML|srcdoc|dangerouslySetInnerHTML|insertAdjacentHTML)\b|\bdocument\.write/,
  },
  'reads HTML': {
    code: /\bDOMParser\b/,
    allowed: { 'src/screens/payment/card-page.ts': 'the page of a bank, which is read and never shown' },
  },
  'trusts any certificate': { code: /rejectUnauthorized|checkServerIdentity|NODE_TLS_REJECT_UNAUTHORIZED/ },
  'makes a regular expression from a text': {
    code: /\bRegExp\s*\(/,
    allowed: {
      'src/contract/premium-numbers.ts': 'a constant list of patterns',
      'src/screens/payment/payment-outcome.ts': 'a constant path',
      'server/build/prerender-pages.ts': 'constant names of chunks, and the two languages',
    },
  },
  'reads columns that it does not name': {
    // A prepared statement that reads all columns fails after a migration that adds one (D73).
    text: /\b(?:selectAll|returningAll)\(|\b(?:select|returning)\s+(?:\w+\.)?\*/i,
    allowed: {
      'server/features/account/my-data.ts': 'everything that is kept about a person; it is not prepared',
      'server/features/appointments/confirm.ts': 'the columns that an earlier part of its statement lists',
      'server/features/session/send-limits.ts': 'the columns that an earlier part of its statement lists',
    },
  },
  'makes a query from a text': {
    code: /\bsql\.raw\s*\(|\bCompiledQuery\.raw\s*\(/,
    allowed: {
      'server/database/connect.ts': 'settings of the connection, which are constants and numbers',
      'server/database/copy-database.ts': 'the definitions of the tables themselves',
      'server/database/probe.ts': 'a constant statement',
      'server/features/deletion/delete-expired-rows.ts': 'constant statements',
    },
  },
}

const paths = ['src', 'sw', 'server']
  .flatMap(listFiles)
  .filter(path => /\.(?:tsx?|mjs)$/.test(path) && !path.endsWith('.d.ts'))
  // Statements of migrations are constants; a released one never changes (D73).
  .filter(path => !path.startsWith('server/database/migrations/'))

const files = paths.map(path => {
  const text = readText(path)
  return { path, text, code: blankLiterals(text) }
})

describe('the product', () => {
  it.each(Object.keys(rules))('never %s, except in the listed files', name => {
    const allowed = rules[name]?.allowed ?? {}
    const found = files.filter(file => has(rules[name], file)).map(({ path }) => path)
    expect(found.filter(path => !(path in allowed))).toEqual([])
    expect(Object.keys(allowed).filter(path => !found.includes(path))).toEqual([])
  })
})

describe('the rules', () => {
  it.each([
    ['starts a program', "import { exec } from 'node:child_process'"],
    ['runs a text as a program', 'eval(text)'],
    ['runs a text as a program', 'new Function(text)'],
    ['runs a text as a program', "setTimeout('run()')"],
    ['writes HTML into the page', 'element.innerHTML = text'],
    ['writes HTML into the page', '<p dangerouslySetInnerHTML={text} />'],
    ['reads HTML', 'new DOMParser()'],
    ['trusts any certificate', 'connect({ rejectUnauthorized: false })'],
    ['makes a regular expression from a text', 'new RegExp(text)'],
    ['makes a query from a text', 'sql.raw(text)'],
  ])('find code that %s: %s', (name, text) => {
    expect(has(rules[name], sourceOf(text))).toBe(true)
    expect(has(rules[name], sourceOf(`// ${text}`))).toBe(name === 'starts a program')
  })
})

function has(rule: Rule | undefined, { text, code }: { text: string; code: string }): boolean {
  return rule?.text?.test(text) === true || rule?.code?.test(code) === true
}

function sourceOf(text: string): { text: string; code: string } {
  return { text, code: blankLiterals(text) }
}
