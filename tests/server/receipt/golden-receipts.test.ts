import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { translateTo } from '#server/i18n/translate.ts'
import { goldenContent, goldenReceipts, renderGolden } from '#support/data/golden-receipts.ts'
import { readPdf, rolesOf, unresolvedReferences } from './read-pdf.ts'

/** The sections of a receipt in their order (FIN04). */
const inOrder = [
  'biographic',
  'residence',
  'nic',
  'passport',
  'parents',
  'representative',
  'appointment',
  'payment',
] as const

/** Applicants with so many answers or papers that their receipt may need a second page. */
const long = ['minorWithRepresentative', 'stolenPassport', 'additionalPassport']

/** Debian's tools check more; without them only pdf.js and the test's own reader read the file. */
const hasQpdf = spawnSync('qpdf', ['--version']).status === 0
const hasPdftotext = spawnSync('pdftotext', ['-v']).status === 0
const folder = mkdtempSync(join(tmpdir(), 'receipts-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe(`the receipt of each golden applicant (D44; ${hasQpdf ? 'qpdf' : 'no qpdf'}, ${hasPdftotext ? 'pdftotext' : 'pdf.js'})`, () => {
  it.each(goldenReceipts.map(golden => ({ ...golden, who: `${golden.name} in ${golden.language}` })))(
    'is valid, tagged, usually one page, at most 60 KiB, always the same, in reading order and with whole sections: $who',
    async golden => {
      const bytes = await renderGolden(golden)
      expect(Buffer.compare(await renderGolden(golden), bytes)).toBe(0)
      expect(bytes.length).toBeLessThanOrEqual(60 * 1_024)
      const { pages, title, language, marked } = await readPdf(bytes)
      expect(pages.length).toBeLessThanOrEqual(long.includes(golden.name) ? 2 : 1)
      expect({ language, marked }).toEqual({ language: golden.language, marked: true })
      expect(title).toContain('PP-2026-000042-9')
      expect(pages.flatMap(page => rolesOf(page.structure))).toEqual(
        expect.arrayContaining(['H1', 'H2', 'Figure', 'L']),
      )
      expect(unresolvedReferences(bytes)).toEqual([])
      for (const { rows } of goldenContent(golden, () => 'code').sections) {
        const pageOf = (row = rows[0]) => pages.findLastIndex(({ text }) => row && text.includes(row.label))
        expect([rows[0]?.label, pageOf(rows.at(-1))]).toEqual([rows[0]?.label, pageOf()])
      }
      const path = join(folder, `${golden.name}-${golden.language}.pdf`)
      writeFileSync(path, bytes)
      if (hasQpdf) expect(spawnSync('qpdf', ['--check', path], { encoding: 'utf8' }).status).toBe(0)
      const text = hasPdftotext ? textOf(path) : pages.map(page => page.text).join(' ')
      const t = translateTo(golden.language)
      const headings = new Set(goldenContent(golden, () => 'code').sections.map(({ heading }) => heading))
      const order = [
        t('receipt.title'),
        'PP-2026-000042-9',
        golden.form.surname,
        'CNPP',
        'Tongolo',
        golden.startsAt === null ? t('receipt.generalQueue') : '01.12.2026',
        t('receipt.papersHeading'),
        ...inOrder.map(section => t(`receipt.sections.${section}`)).filter(heading => headings.has(heading)),
      ]
      let from = 0
      for (const part of order) {
        const at = text.indexOf(part, from)
        expect([part, at >= 0]).toEqual([part, true])
        from = at
      }
    },
  )
})

/** Returns the text in the order of the page's content, as a reader copies it. */
function textOf(path: string): string {
  const { stdout } = spawnSync('pdftotext', ['-raw', '-enc', 'UTF-8', path, '-'], { encoding: 'utf8' })
  return stdout.replaceAll(/\s+/g, ' ')
}
