import { describe, expect, it } from 'vitest'
import { asvsLevels } from './asvs-levels.ts'
import { readSources, readText } from './source-tree.ts'
import { exists, readPaths, readRows } from './tables.ts'

const asvs = readText('docs/asvs.md')
const threats = readText('docs/threat-model.md')
const testTable = readText('docs/test-table.md')
const answers = ['met', 'not applicable', 'deviation', 'open']

describe('docs/asvs.md', () => {
  // The first table has the counts.
  const rows = readRows(asvs).filter(([id = '']) => /^\d+\.\d+\.\d+$/.test(id))

  it('answers each requirement of levels 1 and 2 once, and the chosen ones of level 3', () => {
    expect(countLevels(asvsLevels.map(([, level]) => level))).toEqual({ 1: 70, 2: 183, 3: 11 })
    expect(rows.map(([id, level]) => [id, level])).toEqual(asvsLevels)
  })

  it('has a subject and an answer of the closed list in each row', () => {
    const faults = rows.filter(row => row.length !== 5 || !answers.includes(row[3] ?? '') || row[2] === '')
    expect(faults).toEqual([])
  })

  it.each(['met', 'deviation'])('names a file for each row that says %s', answer => {
    const faults = rows.filter(row => row[3] === answer && readPaths(row[4] ?? '').length === 0)
    expect(faults).toEqual([])
  })

  it('has a reason for each other row', () => {
    const others = rows.filter(row => row[3] === 'not applicable' || row[3] === 'open')
    expect(others.filter(row => !/\w{2,} \w{2,}/.test(row[4] ?? ''))).toEqual([])
  })

  it('names files that exist', () => {
    expect(readPaths(asvs).length).toBeGreaterThan(200)
    expect(readPaths(asvs).filter(path => !exists(path))).toEqual([])
  })

  it('counts its rows at the top', () => {
    const counted = ['1', '2', '3'].map(level => {
      const ofLevel = rows.filter(row => row[1] === level)
      const numbers = answers.map(answer => ofLevel.filter(row => row[3] === answer).length)
      return [level, ...numbers, ofLevel.length].map(String)
    })
    expect(readRows(asvs).slice(0, 3)).toEqual(counted)
  })
})

describe('docs/threat-model.md', () => {
  const sections = ['Sign-in and session', 'Phones and kiosks', 'Data and rules of the service', 'Payments']
  const rows = [...sections, 'Network, operators, database, build'].flatMap(name => readRows(threats, name))

  it('names a control, a test and what remains for each threat', () => {
    expect(rows.length).toBeGreaterThan(40)
    const faults = rows.filter(
      ([, control, proof = '', remains]) =>
        control === '' || remains === '' || !readPaths(proof).some(path => path.startsWith('tests/')),
    )
    expect(faults).toEqual([])
  })

  it('names files that exist', () => {
    expect(readPaths(threats).filter(path => !exists(path))).toEqual([])
  })

  it('lists every file that uses cryptography, and no other', () => {
    const found = readSources('src', 'sw', 'server')
      .concat({ path: 'server/start/start.mjs', text: readText('server/start/start.mjs') })
      .filter(({ text }) => usesCryptography(text))
      .map(({ path }) => path)
    const listed = readRows(threats, 'Keys and algorithms').filter(row => row.length === 2)
    expect(listed.flatMap(([, files = '']) => readPaths(files)).toSorted()).toEqual(found.toSorted())
  })

  it.each([
    ["import { createHmac } from 'node:crypto'", true],
    ["import { SignJWT } from 'jose'", true],
    ['globalThis.crypto.subtle.digest(name, bytes)', true],
    ['device.randomId()', false],
  ])('finds cryptography in %s: %s', (text, isFound) => {
    expect(usesCryptography(text)).toBe(isFound)
  })
})

describe('docs/test-table.md', () => {
  const lines = { TA: 6, TB: 14, TC: 5, TD: 4, TE: 11, TF: 13 }
  const rows = readRows(testTable).filter(([id = '']) => /^T[A-F]\d+$/.test(id))

  it('has each line once, in order', () => {
    const ids = Object.entries(lines).flatMap(([part, count]) =>
      Array.from({ length: count }, (_, index) => `${part}${index + 1}`),
    )
    expect(rows.map(([id]) => id)).toEqual(ids)
  })

  it('names a test for each line that is covered, and says what is missing for each other line', () => {
    const faults = rows.filter(([, , covered = '', daily = '', full = '', missing = '–']) => {
      const hasTest = readPaths(daily + full).some(path => path.startsWith('tests/'))
      if (covered === 'yes') return !hasTest
      if (covered === 'in part') return !hasTest || missing === '–'
      return !['no', 'by hand'].includes(covered) || missing === '–'
    })
    expect(faults).toEqual([])
  })

  it('names files that exist, and counts its lines', () => {
    expect(readPaths(testTable).filter(path => !exists(path))).toEqual([])
    const counted = ['yes', 'in part', 'by hand', 'no'].map(covered => [
      covered,
      String(rows.filter(row => row[2] === covered).length),
    ])
    expect(readRows(testTable).slice(0, 4)).toEqual(counted)
  })
})

describe('the attacks of docs/test-table.md', () => {
  const rows = readRows(testTable, 'Attacks that once succeeded')

  it('have a test whose title is in its file, and say what happened before', () => {
    expect(rows.length).toBeGreaterThan(20)
    const faults = rows.filter(([, test = '', title = '', before = '']) => {
      const [path = ''] = readPaths(test)
      return title === '' || before === '' || !exists(path) || !readText(path).includes(title)
    })
    expect(faults).toEqual([])
  })
})

function usesCryptography(text: string): boolean {
  return (
    /from '(?:node:crypto|jose|@noble\/[\w/.-]+|altcha-lib[\w/.-]*|selfsigned)'/.test(text) ||
    /\bcrypto\??\.(?:subtle|getRandomValues|randomUUID)\b/.test(text)
  )
}

function countLevels(levels: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    ['1', '2', '3'].map(level => [level, levels.filter(each => each === level).length]),
  )
}
