import { renderToString } from 'react-dom/server'
import { type EntryPath, entryPaths, type Language, languages } from '#contract/codes.ts'
import { createLanguage } from '#i18n/language.ts'
import { createNoopDevice } from '#device/noop-device.ts'
import { createPortal } from './create-portal.tsx'
import { loadEntryScreen } from './entry-screens.ts'

/** A page as HTML, complete before its script runs. */
export type PrerenderedPage = { path: string; language: Language; title: string; html: string }

/**
 * Each entry page in each language; server/http and sw/ send these pages. The build imports this module in Node.js; a
 * browser never does.
 */
export const pages: PrerenderedPage[] = []
for (const language of languages)
  for (const path of entryPaths) pages.push(await prerenderPage(path, language))

async function prerenderPage(path: EntryPath, language: Language): Promise<PrerenderedPage> {
  const portal = createPortal({
    device: createNoopDevice(),
    language: await createLanguage(language, () => undefined),
    path,
  })
  const html = renderToString(portal.elementFor(await loadEntryScreen(path)))
  // React renders the title before the other elements, to hoist it. In a file it belongs into the head.
  const title = /^<title>([^<]*)<\/title>/.exec(html)?.[1]
  if (title === undefined) throw new Error(`${path} was prerendered without a title: ${html.slice(0, 200)}`)
  return { path, language, title, html: html.replace(/^<title>[^<]*<\/title>/, '') }
}
