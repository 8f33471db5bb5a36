import { describe, expect, it } from 'vitest'
import { listFiles, readText } from './source-tree.ts'

/** The forms of keys and tokens that some service accepts. */
const secretForms = {
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*[A-Za-z0-9+/]{40}/,
  'a key of a cloud': /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[\w-]{35}\b/,
  'a token of a code host or a registry': /\b(?:gh[pousr]|npm)_[A-Za-z0-9]{36}\b|\bglpat-[\w-]{20}/,
  'a token of a chat': /\bxox[abprs]-[\w-]{10,}/,
  'an access token': /\beyJ[\w-]{20,}\.eyJ[\w-]{20,}\.[\w-]{20,}/,
}

describe('the repository', () => {
  it('contains no key and no token of these forms in its folders and documents', () => {
    const folders = ['src', 'sw', 'server', 'tests', 'docs', 'public', '.github']
    const single = ['.env.example', '.npmrc', 'README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
    const files = [...folders.flatMap(listFiles), ...single, 'vite.config.ts'].filter(
      path => !/\.(?:png|ttf|woff2|ico|pdf|gz|br)$/.test(path) && !path.endsWith('/secrets.test.ts'),
    )
    expect(files.length).toBeGreaterThan(1_000)
    expect(files.flatMap(path => findSecrets(path, readText(path)))).toEqual([])
  })

  it.each([
    ['a private key', `-----BEGIN PRIVATE KEY-----\n${'Q'.repeat(48)}`],
    ['a key of a cloud', `AKIA${'Q'.repeat(16)}`],
    ['a token of a code host or a registry', `ghp_${'a'.repeat(36)}`],
    ['a token of a chat', `xoxb-${'1'.repeat(12)}`],
    ['an access token', `eyJ${'a'.repeat(30)}.eyJ${'b'.repeat(30)}.${'c'.repeat(43)}`],
  ])('is searched for %s', (name, text) => {
    expect(findSecrets('a.ts', `const key = '${text}'`)).toEqual([`a.ts: ${name}`])
  })
})

function findSecrets(path: string, text: string): string[] {
  return Object.entries(secretForms).flatMap(([name, form]) => (form.test(text) ? [`${path}: ${name}`] : []))
}
