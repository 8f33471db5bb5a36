import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultLanguage, entryPaths, type Language, languageStorageKey, languages } from '#contract/codes.ts'
import { importMapElement } from '#contract/import-map.ts'

/** Returns the path of a prerendered page, relative to `root`. Undefined when the page is not prerendered. */
export function prerenderedFile(root: string, path: string, language: Language): string | undefined {
  if (!entryPaths.some(each => each === path)) return undefined
  const file = `pages/${language}/${path === '/' ? 'welcome' : path.slice(1)}.html`
  return existsSync(join(root, file)) ? file : undefined
}

type LanguageRequest = {
  query: unknown
  cookies: Record<string, string | undefined>
}

/** Language of the URL, else of the cookie from the last visit, else French (NAV19). */
export function languageAskedFor({ query, cookies }: LanguageRequest): Language {
  const requested =
    typeof query === 'object' && query !== null ? new Map(Object.entries(query)).get(languageStorageKey) : ''
  return (
    [requested, cookies[languageStorageKey]].flatMap(name => languages.filter(each => each === name))[0] ??
    defaultLanguage
  )
}

/** What the pages of a release have inline, as entries of `style-src` and `script-src`. */
export type InlineHashes = { styles: readonly string[]; scripts: readonly string[] }

/**
 * Returns the hashes of the inline styles in the prerendered pages and in the pages for unsupported browsers, and of the
 * import map in all pages (D131).
 */
export function inlineHashes(root: string | undefined): InlineHashes {
  if (root === undefined) return { styles: [], scripts: [] }
  const folder = join(root, 'pages')
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  const files = ['index.html', ...names.map(name => join('pages', name))]
  const pages = files
    .filter(file => file.endsWith('.html') && existsSync(join(root, file)))
    .map(file => readFileSync(join(root, file), 'utf8'))
  return {
    styles: hashesOf(
      pages.flatMap(page => [...page.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style = '']) => style)),
    ),
    scripts: hashesOf(pages.flatMap(page => importMapElement.exec(page)?.[1] ?? [])),
  }
}

function hashesOf(texts: string[]): string[] {
  return [...new Set(texts)].map(text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
}
