import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { firstTextField, type PeerField, peerForm } from './peer-form.ts'
import { buildPage, type PageFiles } from './reference-pages.ts'

/** The cache folder of the compared form libraries, which the portal does not contain. */
const peerCache = fileURLToPath(new URL('../../node_modules/.cache/bench-peers', import.meta.url))
const installTimeoutMs = 180_000

type Peer = {
  library: string
  version: string
  /** All of this version. */
  packages: readonly string[]
  script: string
  /** The selector of the first text field. */
  field: string
}

const peers: readonly Peer[] = [
  {
    library: 'SurveyJS',
    version: '3.0.0',
    packages: ['survey-core', 'survey-react-ui'],
    // React is the portal's.
    script: `import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { Model } from 'survey-core'
import { Survey } from 'survey-react-ui'
import 'survey-core/survey-core.fontless.min.css'
const model = new Model(${JSON.stringify(surveyDefinition())})
model.onAfterRenderSurvey.add(() => performance.mark('portal-alive'))
createRoot(document.getElementById('root')).render(createElement(Survey, { model }))
`,
    field: `[data-name=${firstTextField}] input`,
  },
  {
    library: 'Form.io',
    version: '5.6.0',
    packages: ['@formio/js'],
    // The entry without the form builder, and the style sheets that its documentation asks for.
    script: `import { Formio } from '@formio/js/form'
import 'bootstrap/dist/css/bootstrap.min.css'
import '@formio/js/dist/formio.form.min.css'
Formio.createForm(document.getElementById('root'), ${JSON.stringify(formioDefinition())})
  .then(() => performance.mark('portal-alive'))
`,
    field: `[name="data[${firstTextField}]"]`,
  },
]

export type BuiltPeer = { name: string; field: string; files: PageFiles }

/** Installs the peers from npm into the cache and builds a page of each. Leaves out those that npm cannot install. */
export async function buildPeers(): Promise<BuiltPeer[]> {
  const built: BuiltPeer[] = []
  for (const peer of peers) {
    const folder = install(peer)
    if (folder === undefined) continue
    const files = await buildPage(join(folder, 'page'), peer.script)
    built.push({ name: nameOf(peer), field: peer.field, files })
  }
  return built
}

const nameOf = ({ library, version }: Peer) => `${library} ${version}`

/** Returns undefined when the packages are not in the cache and npm cannot install them. */
function install(peer: Peer): string | undefined {
  const folder = join(peerCache, nameOf(peer).replace(' ', '-').toLowerCase())
  if (existsSync(folder)) return folder
  const partial = `${folder}.${process.pid}`
  mkdirSync(partial, { recursive: true })
  try {
    const dependencies = Object.fromEntries(peer.packages.map(name => [name, peer.version]))
    writeFileSync(join(partial, 'package.json'), JSON.stringify({ private: true, dependencies }))
    process.stdout.write(`Downloading ${nameOf(peer)} from npm…\n`)
    const options = ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund']
    const retryOptions = ['--fetch-retries=1', '--fetch-timeout=30000', '--loglevel=error']
    execFileSync('npm', [...options, ...retryOptions], {
      cwd: partial,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: installTimeoutMs,
    })
    renameSync(partial, folder)
    return folder
  } catch (error) {
    const lines = String(error).split('\n')
    const reason = lines.find(line => line.startsWith('npm error')) ?? lines[0]
    process.stdout.write(`${nameOf(peer)} is not measured, because npm could not install it: ${reason}\n`)
    return undefined
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

function surveyDefinition() {
  const types = { text: 'text', choice: 'radiogroup', flag: 'boolean' }
  return {
    pages: peerForm.map(({ title, fields }) => ({
      title,
      elements: fields.map(({ name, label, kind }) => ({
        type: types[kind],
        name,
        title: label,
        ...(kind === 'choice' && { choices: ['A', 'B'] }),
      })),
    })),
  }
}

function formioDefinition() {
  const types = { text: 'textfield', choice: 'radio', flag: 'checkbox' }
  const component = ({ name, label, kind }: PeerField) => ({
    type: types[kind],
    key: name,
    label,
    input: true,
    ...(kind === 'choice' && { values: ['A', 'B'].map(value => ({ label: value, value })) }),
  })
  return {
    display: 'wizard',
    components: peerForm.map(({ title, fields }, index) => ({
      type: 'panel',
      key: `page${index}`,
      title,
      components: fields.map(component),
    })),
  }
}
