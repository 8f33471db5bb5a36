import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { encode } from 'uqr'
import { longReceipt, longestReceipt, renderReceipt, shortReceipt } from './sample-receipt.ts'
import { drawnOutsideMarks, qrModules, readPdf, rolesOf, unresolvedReferences } from './read-pdf.ts'

const hasQpdf = spawnSync('qpdf', ['--version']).status === 0
const bytesPerKib = 1_024

describe('the printed receipt', () => {
  it('contains the application number, accents and rare letters as text that can be copied (FIN01)', async () => {
    const { pages } = await readPdf(await renderReceipt(longReceipt))
    const text = pages.map(page => page.text).join(' ')
    expect(text).toContain('Numéro de la demande PP-2026-004172-6')
    expect(text).toContain('NGONO ÉBÉNÉ Anaïs Cœur-de-Marie')
    expect(text).toContain('Lieu de naissance Ŋgaoundéré')
    expect(text).toContain('ÉBÉNÉ BƐLƆ Ŋkoŋ ɔ̀bə́')
    expect(text).toContain('Œcuménique')
    expect(text).toContain('Ngaoundéré Iᵉʳ')
  })

  it('asks the applicant to print it and present it in the enrolment office (FIN02)', async () => {
    const { pages } = await readPdf(await renderReceipt(shortReceipt))
    expect(pages[0]?.text).toContain(shortReceipt.notice)
  })

  it('keeps the order of the sections and omits a section without rows (FIN04, FIN06)', async () => {
    const hollow = { ...longReceipt, sections: [...longReceipt.sections, { heading: 'Vide', rows: [] }] }
    const { pages } = await readPdf(await renderReceipt(hollow))
    const text = pages.map(page => page.text).join(' ')
    const places = longReceipt.sections.map(section => text.indexOf(` ${section.heading} `))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect(text).not.toContain('Vide')
  })

  it('has the same bytes again after another receipt was printed', async () => {
    const first = await renderReceipt(longReceipt)
    const odd = { ...shortReceipt, title: 'i̊ ı̊ ɛ̃\u00A0fi ffi – محمد', footer: 'ñ n\u0303 ı İ' }
    await renderReceipt(odd)
    expect(Buffer.compare(await renderReceipt(longReceipt), first)).toBe(0)
    expect(Buffer.compare(await renderReceipt(shortReceipt), first)).not.toBe(0)
  })

  it('has at most 60 KiB with the longest answers of the form, and two pages with many answers', async () => {
    const long = await renderReceipt(longReceipt)
    const longest = await renderReceipt(longestReceipt)
    expect(long.length).toBeLessThanOrEqual(60 * bytesPerKib)
    expect(longest.length).toBeLessThanOrEqual(60 * bytesPerKib)
    expect((await readPdf(long)).pages).toHaveLength(2)
  })

  it('has one page when it is short, and numbers each page when it is long', async () => {
    const short = await readPdf(await renderReceipt(shortReceipt))
    expect(short.pages.map(page => page.text.includes('PP-2026-004172-6 · page 1/1'))).toEqual([true])
    const { pages } = await readPdf(await renderReceipt(longReceipt))
    pages.forEach((page, index) => {
      expect(page.text).toContain(`PP-2026-004172-6 · page ${index + 1}/2`)
      expect(page.text).toContain(longReceipt.footer)
    })
  })

  it('tells a screen reader its language, its title and the role of each part', async () => {
    const pdf = await readPdf(await renderReceipt(longReceipt))
    expect(pdf.language).toBe('fr')
    expect(pdf.title).toBe('Récépissé de pré-enrôlement PP-2026-004172-6')
    expect(pdf.showsTitle).toBe(true)
    expect(pdf.marked).toBe(true)
    expect(pdf.xmp).toContain('<pdfuaid:part>1</pdfuaid:part>')
    const roles = pdf.pages.flatMap(page => rolesOf(page.structure))
    for (const role of ['H1', 'H2', 'P', 'Sect', 'L', 'LI', 'LBody', 'Figure']) {
      expect(roles).toContain(role)
    }
    expect(roles.filter(role => role === 'H2')).toHaveLength(longReceipt.sections.length + 1)
    expect(JSON.stringify(pdf.pages[0]?.structure)).toContain(shortReceipt.qr.alt)
  })

  it('paints only what is in the structure or marked as decoration', async () => {
    for (const receipt of [shortReceipt, longReceipt]) {
      expect(await drawnOutsideMarks(await renderReceipt(receipt))).toEqual([])
    }
  })

  it('prints exactly the dark modules of the QR code', async () => {
    const printed = qrModules(await renderReceipt(shortReceipt))
    expect(printed).toEqual(encode(shortReceipt.qr.text, { ecc: 'M', border: 0 }).data)
  })

  it('prints a visible replacement for characters without a glyph, and gives screen readers the original', async () => {
    const foreign = { label: 'Nom', value: 'محمد 李\u200F 😀️ A\u0000B' }
    const bytes = await renderReceipt({
      ...shortReceipt,
      sections: [{ heading: 'Identité', rows: [foreign] }],
    })
    const { pages } = await readPdf(bytes)
    expect(pages[0]?.text).toContain('Nom □□□□ □ □ A B')
    expect(pages[0]?.text).toContain(shortReceipt.unprintable)
    const original = Buffer.from('محمد', 'utf16le').swap16().toString('latin1')
    expect(Buffer.from(bytes).toString('latin1')).toContain(original)
  })

  it('prints a letter whose accent has no glyph, and explains □ only on a receipt that has one', async () => {
    const accented = { label: 'Nom', value: 'Ngo e\u0301 ɛ\u0300\u0331 e\u20dd' }
    const sections = [{ heading: 'Identité', rows: [accented] }]
    const { pages } = await readPdf(await renderReceipt({ ...shortReceipt, sections }))
    expect(pages[0]?.text).toContain('e□')
    expect(pages[0]?.text).toContain(shortReceipt.unprintable)
    const plain = await readPdf(await renderReceipt(shortReceipt))
    expect(plain.pages[0]?.text).not.toContain('□')
    expect(plain.pages[0]?.text).not.toContain(shortReceipt.unprintable)
  })

  it.each([
    ['short', 'Ngo'],
    ['of a hundred letters', 'Ngo '.repeat(25)],
    ['of a hundred letters without a space', 'W'.repeat(100)],
  ])('aligns the date with the office, and the time with the date, when the name is %s', async (_, name) => {
    const [, office = [], time = []] = shortReceipt.headline
    for (const where of [office, [{ label: 'Bureau', value: 'Ambassade' }]]) {
      const headline = [[{ label: 'Nom', value: name }], where, time]
      const { pages } = await readPdf(await renderReceipt({ ...shortReceipt, headline }))
      const find = (text: string) => pages[0]?.runs.find(run => run.text === text)
      const [branch, date, hour] = [find(where[0]?.label ?? ''), find('Date'), find('Heure')]
      expect(date?.left).toBe(branch?.left)
      expect(date?.baseline).toBe(hour?.baseline)
      expect(find('01.12.2026')?.baseline).toBe(find('09:30')?.baseline)
      expect(hour?.left).toBeGreaterThan(date?.left ?? 0)
    }
  })

  it('prints very long values and lists', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => ({ label: `Champ ${index}`, value: 'x' }))
    rows.push({ label: 'Sans espace', value: 'W'.repeat(2_000) })
    const items = Array.from({ length: 90 }, (_, index) => `Pièce numéro ${index} à présenter au guichet`)
    const headline = [[{ label: 'Nom', value: 'Anne-Marie '.repeat(200) }]]
    const { pages } = await readPdf(
      await renderReceipt({
        ...shortReceipt,
        headline,
        applicationNumber: 'P'.repeat(64),
        papers: { heading: 'Pièces', items },
        sections: [{ heading: 'Tout', rows }, ...shortReceipt.sections],
      }),
    )
    expect(pages.at(-1)?.text).toContain('TRX-88214076')
    expect(pages.every(page => page.lowest > 20 && page.rightmost < 560)).toBe(true)
  })

  it(`is a valid PDF file (${hasQpdf ? 'own check and qpdf' : 'own check only: qpdf is not installed here'})`, async () => {
    for (const receipt of [shortReceipt, longReceipt]) {
      const bytes = await renderReceipt(receipt)
      expect(unresolvedReferences(bytes)).toEqual([])
      if (hasQpdf) expect(checkWithQpdf(bytes)).toContain('No syntax or stream encoding errors found')
    }
  })
})

function checkWithQpdf(bytes: Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'receipt-'))
  try {
    const file = join(folder, 'receipt.pdf')
    writeFileSync(file, bytes)
    const { stdout, stderr } = spawnSync('qpdf', ['--check', file], { encoding: 'utf8' })
    return stdout + stderr
  } finally {
    rmSync(folder, { recursive: true })
  }
}
