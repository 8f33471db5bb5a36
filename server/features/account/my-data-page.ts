import { createHash } from 'node:crypto'
import { clearHidden, readForm } from '#contract/application.ts'
import { homeTimeZone, type Language } from '#contract/codes.ts'
import { mapInBatches } from '#server/calls/in-batches.ts'
import { formRows, formSections } from '#server/features/receipt/form-rows.ts'
import { rememberFormats } from '#server/i18n/intl-formats.ts'
import { isTextKey, type Translate, translateTo } from '#server/i18n/translate.ts'
import { exportedTables, type ExportedTable, type MyData } from './my-data.ts'

type Row = Record<string, unknown>
type Page = { t: Translate; language: Language }

const style = [
  'body{max-width:46rem;margin:0 auto;padding:1rem;font:1rem/1.5 sans-serif;color:#1a1a1a;background:#fff}',
  'section{margin-top:2rem}article{margin:1rem 0;padding:0 1rem 1rem;border:1px solid #767676}',
  'dt{margin-top:.5rem;color:#444}dd{margin:0;font-weight:bold;overflow-wrap:anywhere}',
].join('')

/** Allows only the style of this page. The policy is part of the page, so it is in force in a saved file too. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** Writes the exported data of an account as a page to read. `writeMyData` writes the same rows as JSON. */
export async function renderMyData(data: MyData, language: Language): Promise<string> {
  const t = translateTo(language)
  const page = { t, language }
  const title = escapeHtml(t('myData.title'))
  const tables: string[] = []
  for (const table of exportedTables) tables.push(await renderTable(table, data.tables[table], page))
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">',
    `<title>${title}</title><style>${style}</style></head><body><h1>${title}</h1>`,
    `<p>${escapeHtml(t('myData.lead', { date: showMoment(new Date(data.madeAt), language) }))}</p>`,
    ...tables,
    '</body></html>',
  ].join('')
}

async function renderTable(table: ExportedTable, rows: Row[], page: Page): Promise<string> {
  const { t } = page
  const content = (await mapInBatches(rows, row => renderRow(table, row, page))).join('')
  return [
    `<section><h2>${escapeHtml(t(`myData.tables.${table}`))}</h2>`,
    content === '' ? `<p>${escapeHtml(t('myData.nothing'))}</p>` : content,
    '</section>',
  ].join('')
}

function renderRow(table: ExportedTable, row: Row, page: Page): string {
  const answers = table === 'application' ? renderForm(row['data'], page) : ''
  return `<article>${renderList(Object.entries(row), page)}${answers}</article>`
}

/** The answers of a form as the receipt shows them. Before them, `renderList` shows each answer as it is stored. */
function renderForm(form: unknown, { t, language }: Page): string {
  const rows = formRows(clearHidden(readForm(form)), language)
  return formSections
    .filter(section => rows[section].length > 0)
    .map(section => {
      const answers = rows[section].map(({ label, value }) => renderPair(label, value)).join('')
      return `<h3>${escapeHtml(t(`receipt.sections.${section}`))}</h3><dl>${answers}</dl>`
    })
    .join('')
}

function renderList(values: readonly (readonly [string, unknown])[], page: Page): string {
  const shown = values.filter(([, value]) => value !== null && value !== '')
  return `<dl>${shown.map(([name, value]) => renderPair(labelOf(name, page.t), showValue(value, page))).join('')}</dl>`
}

function renderPair(label: string, value: string): string {
  return `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd></div>`
}

/** A column whose name has no translation is shown under its own name, so that no value is missing. */
function labelOf(column: string, t: Translate): string {
  const key = `myData.columns.${column}`
  return isTextKey(key) ? t(key) : column
}

function showValue(value: unknown, { t, language }: Page): string {
  if (value instanceof Date) return showMoment(value, language)
  if (typeof value === 'boolean') return t(value ? 'myData.yes' : 'myData.no')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .filter(([, part]) => part !== '' && part !== null)
      .map(([name, part]) => `${name}: ${typeof part === 'object' ? JSON.stringify(part) : String(part)}`)
      .join(' · ')
  return String(value)
}

const momentFormat = rememberFormats(
  (language: Language) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: homeTimeZone }),
)

function showMoment(moment: Date, language: Language): string {
  return momentFormat(language).format(moment)
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
