import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin, type PluginOption, type Rollup } from 'vite'
import { emptyMap, readMap } from './chunk-names.ts'
import { neededStyles } from './needed-styles.ts'

type PrerenderedPage = { path: string; language: string; title: string; html: string }

const prerenderEntry = 'src/app/prerender.tsx'
const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Prerenders the sign-in pages as complete HTML, with the styles that they need in a `style` element: one file for each page
 * and language, such as `pages/fr/mobile.html`, for the server, and one file with all pages for the service worker.
 * `index.html` stays the page of every other URL; it only gets preloads.
 */
export function prerenderPages(plugins: () => PluginOption[]): Plugin {
  return {
    name: 'prerender-pages',
    apply: 'build',
    // After Vite has written index.html with the names of all chunks.
    enforce: 'post',
    generateBundle: {
      order: 'post',
      async handler({ dir = '' }, bundle) {
        if (!existsSync(`${root}${prerenderEntry}`)) return
        const pages = await renderPages(plugins(), `${dir}.prerendering`)
        const { template, sheet } = readBundle(bundle)
        const styles = neededStyles(
          sheet,
          pages.map(({ html }) => `${html}<noscript></noscript>${noscriptOf(template)}`),
        )
        const files = pages.map(page => ({ ...page, file: fillTemplate(template, { page, styles, bundle }) }))
        for (const { path, language, file } of files)
          this.emitFile({ type: 'asset', fileName: `pages/${language}${fileOf(path)}.html`, source: file })
        preloadParts(bundle)
        const all = Object.fromEntries(
          files.map(({ path, language, file }) => [`${language} ${path}`, forWorker(file)]),
        )
        this.emitFile({ type: 'asset', name: 'pages.json', source: JSON.stringify(all) })
      },
    },
  }
}

/**
 * Builds the portal again for Node and runs it. The output is beside the build, so inside the repository, where Node
 * finds its packages.
 */
async function renderPages(plugins: PluginOption[], outDir: string): Promise<PrerenderedPage[]> {
  try {
    await build({
      root,
      configFile: false,
      envDir: false,
      logLevel: 'warn',
      plugins,
      build: {
        ssr: prerenderEntry,
        outDir,
        target: 'node20',
        copyPublicDir: false,
        rollupOptions: { checks: { bundlerTimings: false } },
      },
    })
    const module: { pages: PrerenderedPage[] } = await import(pathToFileURL(`${outDir}/prerender.js`).href)
    return module.pages
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

/** Returns index.html and the style sheet of the portal. Throws when the build lacks one of them. */
export function readBundle(bundle: Rollup.OutputBundle): { template: string; sheet: string } {
  return {
    template: textOf(bundle['index.html']),
    sheet: textOf(bundle[nameOf(bundle, sheetFile)]),
  }
}

function textOf(file: Rollup.OutputAsset | Rollup.OutputChunk | undefined): string {
  if (file?.type !== 'asset') throw new Error('The build lacks index.html or its style sheet')
  return String(file.source)
}

function nameOf(bundle: Rollup.OutputBundle, pattern: RegExp): string {
  const found = Object.keys(bundle).find(name => pattern.test(name))
  if (found === undefined) throw new Error(`The build has no file like ${pattern}`)
  return found
}

function fileOf(path: string): string {
  return path === '/' ? '/welcome' : path
}

const skeleton = /<!-- first-paint:[\s\S]*<!-- \/first-paint -->\s*/
const sheetFile = /\/style-[\w-]{8}\.css$/
const sheetLink = /\s*<link rel="stylesheet"[^>]*>/

function noscriptOf(template: string): string {
  return /<noscript>([\s\S]*)<\/noscript>/.exec(template)?.[1] ?? ''
}

/** A page that is not prerendered needs the router at once. Most screens also need the parts `wire` and `sign-in`. */
function preloadParts(bundle: Rollup.OutputBundle): void {
  const file = bundle['index.html']
  if (file?.type !== 'asset') throw new Error('The build lacks index.html')
  const links = ['router', 'wire', 'sign-in'].map(part =>
    preload(nameOf(bundle, new RegExp(`/${part}-[\\w-]{8}\\.js$`))),
  )
  file.source = String(file.source).replace('</head>', `${links.join('')}</head>`)
}

function preload(name: string): string {
  return `<link rel="modulepreload" crossorigin href="/${name}">`
}

function fillTemplate(
  template: string,
  { page, styles, bundle }: { page: PrerenderedPage; styles: string; bundle: Rollup.OutputBundle },
): string {
  const sheet = nameOf(bundle, sheetFile)
  // Preloads the chunks that the first script imports.
  const preloads = [
    nameOf(bundle, /\/sign-in-[\w-]{8}\.js$/),
    nameOf(bundle, new RegExp(`/${page.language}-[\\w-]{8}\\.js$`)),
  ]
    .map(preload)
    .join('')
  const filled = replaceOnce(template, [
    [/<html lang="fr">/, `<html lang="${page.language}">`],
    [/<title>[^<]*<\/title>/, `<title>${page.title}</title><style>${styles}</style>`],
    // The complete sheet would delay the script: the portal loads it after hydration.
    [sheetLink, ''],
    [/<\/head>/, `${preloads}</head>`],
    [
      /<div id="root">\s*/,
      `<div id="root" data-painted="${page.language} ${page.path}" data-whole-sheet="/${sheet}">`,
    ],
    [skeleton, page.html],
  ])
  return filled.replaceAll(/\n\s*/g, '\n')
}

/**
 * Returns the page that the service worker sends. The worker runs only where JavaScript does, and no search engine reads its
 * pages. It fills in the import map and the file names of the chunks itself, so that after a release that changes only these
 * the browser does not load the pages again.
 */
function forWorker(file: string): string {
  const page = replaceOnce(file, [
    [/<noscript>[\s\S]*<\/noscript>\s*/, ''],
    [/<meta\s+name="description"[^>]*>\s*/, ''],
  ])
  return Object.entries(readMap(page)).reduce(
    (text, [name, chunk]) => text.replaceAll(`"${chunk}"`, `"${name}"`),
    emptyMap(page),
  )
}

function replaceOnce(text: string, replacements: [RegExp, string][]): string {
  return replacements.reduce((page, [pattern, replacement]) => {
    if (!pattern.test(page)) throw new Error(`The page has nothing like ${pattern}`)
    return page.replace(pattern, () => replacement)
  }, text)
}
