import type { Plugin } from 'vite'
import en from './i18n/en.json' with { type: 'json' }
import fr from './i18n/fr.json' with { type: 'json' }
import { neededStyles } from './needed-styles.ts'
import { readBundle } from './prerender-pages.ts'

type Texts = Record<keyof typeof fr, string>

/**
 * `insecure`: an http address of another machine than the browser's. `old`: a browser that lacks what the portal needs.
 */
const reasons = ['insecure', 'old'] as const
type Reason = (typeof reasons)[number]

const textsOf = { fr, en } satisfies Record<string, Texts>
const languages = ['fr', 'en'] as const
const noscriptPlace = '<!-- noscript -->'
const operatorCommand = 'npm start -- --tls'

/** The rules that only these pages need, so the style sheet of the portal lacks them. */
const noticeStyles = `
.first-paint section{max-width:var(--page);margin:0 auto;padding:var(--space-5) var(--gutter)}
.first-paint section+section{border-top:1px solid var(--line-strong)}
.first-paint section p{margin-top:var(--space-3)}
.first-paint section a,.first-paint code{font-size:var(--text-large);font-weight:700}`

/**
 * Writes what a browser that cannot run the portal shows (D65, D66): the `noscript` of index.html, and a page for each
 * reason. The development server writes only the `noscript`. `public/check-browser.js` shows the page of the reason in
 * place of the portal's page, at the same address, or opens its file when the request fails. Browsers of any age run
 * that script, so it is written in ES5.
 *
 * The script checks for import maps (D131). Chromium 92, which has them, and Safari 15, which does not, both lack the function
 * that says so. The script tells the two apart by the style sheets that a script can construct: Chromium 92 has these, and
 * Safari got them in 16.4, together with import maps.
 *
 * The pages are files of their own and their texts are not in `src/i18n`, so that a browser that can run the portal does not
 * download them. `helpPhone` is the number that the notices give.
 */
export function writeUnsupportedNotices(helpPhone: string): Plugin {
  return {
    name: 'unsupported-notices',
    // `generateBundle` runs after Vite has put index.html and the style sheet into the bundle.
    enforce: 'post',
    transformIndexHtml: {
      // Before Vite adds its own elements.
      order: 'pre',
      handler(html) {
        if (!html.includes(noscriptPlace)) throw new Error(`index.html has no ${noscriptPlace}`)
        const filled = html.replace(noscriptPlace, () => renderNoscript(helpPhone))
        // Comments, indentation and empty lines serve only developers who edit index.html. `prerender-pages.ts` needs the two
        // comments with `first-paint`, which enclose what it replaces.
        return filled.replaceAll(/<!-- (?!\/?first-paint)[\s\S]*?-->/g, '').replaceAll(/\n\s*/g, '\n')
      },
    },
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const bodies = reasons.map(reason => ({ reason, body: renderBody(reason, helpPhone) }))
        // Both pages get the same styles, because the Content-Security-Policy lists a hash for each sheet.
        const styles = neededStyles(
          readBundle(bundle).sheet,
          bodies.map(({ body }) => body),
        )
        for (const { reason, body } of bodies)
          this.emitFile({
            type: 'asset',
            // server/http/prerendered-pages.ts allows the styles of the files in this folder.
            fileName: `pages/unsupported/${reason}.html`,
            source: renderPage({ body, styles: styles + noticeStyles }),
          })
      },
    },
  }
}

function renderNoscript(helpPhone: string): string {
  const notices = languages.map(
    language => `<p lang="${language}">${textsOf[language]['noScript.action']} ${renderPhone(helpPhone)}</p>`,
  )
  return `<noscript><div class="first-paint-noscript">${notices.join('')}</div></noscript>`
}

function renderPage({ body, styles }: { body: string; styles: string }): string {
  return `<!doctype html>
<html lang="fr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<title>${languages.map(language => textsOf[language]['frame.service']).join(' · ')}</title>
<style>${styles}</style>
</head>
<body>${body}</body>
</html>
`
}

/** French comes first, because only the portal knows which language the reader chose. */
function renderBody(reason: Reason, helpPhone: string): string {
  const names = languages.map(
    language => `<span lang="${language}">${textsOf[language]['frame.service']}</span>`,
  )
  const sections = languages.map(
    language =>
      `<section lang="${language}">${renderSection(reason, textsOf[language], helpPhone)}</section>`,
  )
  return `<div class="first-paint"><header><p>${names.join('')}</p></header>${sections.join('')}</div>`
}

function renderSection(reason: Reason, texts: Texts, helpPhone: string): string {
  switch (reason) {
    case 'old':
      return `<h1>${texts['old.heading']}</h1>
<p>${texts['old.cause']}</p>
<p>${texts['old.otherBrowser']}</p>
<p>${texts['old.help']} ${renderPhone(helpPhone)}</p>`
    case 'insecure':
      return `<h1>${texts['insecure.heading']}</h1>
<p>${texts['insecure.cause']}</p>
<p>${texts['insecure.action']}</p>
<p>${texts['insecure.operator']}</p>
<p><code>${operatorCommand}</code></p>`
  }
}

function renderPhone(helpPhone: string): string {
  return `<a href="tel:${helpPhone}">${helpPhone}</a>`
}
