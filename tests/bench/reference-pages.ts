import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const style =
  'body{font:17px/1.5 system-ui,sans-serif;margin:0;color:#18201c}header{background:#0b5a3c;color:#fff;padding:1rem}main{max-width:36rem;margin:auto;padding:1rem}label{display:block;font-weight:700}input{font:inherit;width:100%;box-sizing:border-box;min-height:3rem;padding:.5rem;border:1px solid #66726b;border-radius:.5rem}button{font:inherit;min-height:3rem;margin-top:1rem;padding:.5rem 1.5rem;background:#0b5a3c;color:#fff;border:0;border-radius:.5rem}'

function page(body: string, head = ''): string {
  return `<!doctype html><html lang="fr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Connexion par téléphone</title><style>${style}</style>${head}</head><body>${body}</body></html>`
}

const form =
  '<header>Passeport électronique</header><main><h1>Connexion par téléphone</h1><p>Nous vous envoyons un code à usage unique par SMS.</p><form method="post"><label for="f">Numéro de téléphone</label><input id="f" name="phoneNumber" type="tel"><button>Continuer</button></form></main>'

/** The fastest possible page: static, with one field and no script. */
export const staticPage = { '/index.html': page(form) }

/** The static page, cached by a minimal service worker. */
export const staticPageWithWorker = {
  '/index.html': page(`${form}<script>navigator.serviceWorker.register('/sw.js')</script>`),
  '/sw.js':
    "addEventListener('install',e=>e.waitUntil(caches.open('a').then(c=>c.add('/')).then(()=>skipWaiting())));addEventListener('activate',e=>e.waitUntil(clients.claim()));addEventListener('fetch',e=>e.respondWith(caches.match(e.request).then(r=>r||fetch(e.request))))",
}

/** Builds a minimal React page with one field, with the installed packages. */
export function buildReactPage(): Promise<PageFiles> {
  return buildPage(
    fileURLToPath(new URL('../../node_modules/.cache/bench-react', import.meta.url)),
    `import { createElement as h, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
function Field() {
  const [text, setText] = useState('')
  useEffect(() => void performance.mark('portal-alive'), [])
  return h('main', null, h('h1', null, 'Connexion par téléphone'), h('label', { htmlFor: 'f' }, 'Numéro de téléphone'),
    h('input', { id: 'f', name: 'phoneNumber', type: 'tel', value: text, onChange: event => setText(event.target.value) }))
}
createRoot(document.getElementById('root')).render(h(Field))
`,
  )
}

/** By path. */
export type PageFiles = Readonly<Record<string, string | Uint8Array>>

/**
 * Builds a page whose script shows everything. The script imports packages that Vite finds from `folder`, and must set
 * the mark `portal-alive`.
 */
export async function buildPage(folder: string, script: string): Promise<PageFiles> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'index.html'),
    page('<div id="root"></div>', '<script type="module" src="./main.js"></script>'),
  )
  writeFileSync(join(folder, 'main.js'), script)
  const built = await build({
    root: folder,
    configFile: false,
    envDir: false,
    logLevel: 'error',
    mode: 'production',
    // Form.io (peers.ts) uses the global object under its name in Node, `global`.
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    build: { write: false, chunkSizeWarningLimit: 4_000, modulePreload: { polyfill: false } },
  })
  const [result] = Array.isArray(built) ? built : [built]
  if (!result || !('output' in result)) throw new Error(`The page in ${folder} was not built`)
  return Object.fromEntries(
    result.output.map(file => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]),
  )
}
