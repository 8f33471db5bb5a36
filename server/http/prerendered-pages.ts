import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultLanguage, type Language, languageStorageKey, languages } from '#contract/codes.ts'

/** The sign-in pages, which the build wrote complete before any script (NAV01, NAV02). */
const prerenderedPaths = ['/', '/mobile', '/mail', '/password'] as const

/** The file of a painted page under the built portal, in the language asked for; undefined where there is none. */
export function prerenderedFile(root: string, path: string, language: Language): string | undefined {
  if (!prerenderedPaths.some(each => each === path)) return undefined
  const file = `pages/${language}/${path === '/' ? 'welcome' : path.slice(1)}.html`
  return existsSync(join(root, file)) ? file : undefined
}

type LanguageRequest = {
  query: unknown
  cookies: Record<string, string | undefined>
}

/** As the address says, else as the browser was told last time, else French (NAV19). */
export function languageAskedFor({ query, cookies }: LanguageRequest): Language {
  const said =
    typeof query === 'object' && query !== null ? new Map(Object.entries(query)).get(languageStorageKey) : ''
  return (
    [said, cookies[languageStorageKey]].flatMap(name => languages.filter(each => each === name))[0] ??
    defaultLanguage
  )
}

/** For `style-src`: the styles that stand in the painted pages, and no others. */
export function prerenderedStyleHashes(root: string | undefined): string[] {
  const folder = join(root ?? '', 'pages')
  if (root === undefined || !existsSync(folder)) return []
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.html'),
  )
  const styles = files.flatMap(name =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
      ([, style = '']) => style,
    ),
  )
  return [...new Set(styles)].map(style => `'sha256-${createHash('sha256').update(style).digest('base64')}'`)
}
