import type { Plugin, Rollup } from 'vite'
import { importMapElement } from '#contract/import-map.ts'

/** Vite's file with the import map. It is deleted, because each page has the map. */
const mapFile = 'importmap.json'

/**
 * Shortens the names with which chunks import each other: `/assets/form.js`, which the import map of the page translates
 * to the file `/assets/form-BJo7ADqQ.js`. Vite's own names have a second hash, so each page would be 0.2 KiB larger.
 */
export function shortenChunkNames(): Plugin {
  return {
    name: 'shorten-chunk-names',
    apply: 'build',
    // After Vite has written the map into index.html.
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const imports = readImports(bundle)
        delete bundle[mapFile]
        const shortened = shortenNames(Object.keys(imports))
        const shorten = (text: string) =>
          text.replaceAll(/[\w.-]+-[\w-]{8}\.js/g, name => shortened.get(name) ?? name)
        for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = shorten(file.code)
        const page = bundle['index.html']
        if (page?.type !== 'asset') throw new Error('The build lacks index.html')
        page.source = writeMap(String(page.source), shortenKeys(imports, shorten))
      },
    },
  }
}

/** Returns the import map of a page: names of chunks and their files. @throws Error when the page has none */
export function readMap(page: string): Record<string, string> {
  const text = importMapElement.exec(page)?.[1]
  if (text === undefined) throw new Error('The page has no import map')
  return readNames(text)
}

/** Returns the page without the text of its import map: the service worker fills it in. */
export function emptyMap(page: string): string {
  return page.replace(importMapElement, '<script type="importmap"></script>')
}

function writeMap(page: string, imports: Record<string, string>): string {
  return page.replace(
    importMapElement,
    () => `<script type="importmap">${JSON.stringify({ imports })}</script>`,
  )
}

function readImports(bundle: Rollup.OutputBundle): Record<string, string> {
  const file = bundle[mapFile]
  if (file?.type !== 'asset') throw new Error(`The build lacks ${mapFile}`)
  return readNames(String(file.source))
}

function readNames(text: string): Record<string, string> {
  const { imports }: { imports: Record<string, string> } = JSON.parse(text)
  return imports
}

/** Returns the short name of each file name. @throws Error when two chunks have the same one */
function shortenNames(paths: string[]): Map<string, string> {
  const names = new Map(
    paths.map(path => [path.replace(/^.*\//, ''), path.replace(/^.*\/(.*)-[\w-]{8}\.js$/, '$1.js')]),
  )
  const short = [...names.values()]
  const repeated = short.find((name, index) => short.indexOf(name) !== index)
  if (repeated !== undefined) throw new Error(`Two chunks have the name ${repeated}`)
  return names
}

/** Sorted, so that compression finds more repetitions. */
function shortenKeys(
  imports: Record<string, string>,
  shorten: (text: string) => string,
): Record<string, string> {
  const entries = Object.entries(imports).map(([name, file]) => [shorten(name), file] as const)
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
