import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hiddenText } from './other-ways.ts'

/** Writes a folder as the build does, with files in it and beside it that the server must not send. */
export function createServedPortal(): { root: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  const root = join(folder, 'client')
  for (const each of ['assets', 'pages/fr', 'pages/en']) mkdirSync(join(root, each), { recursive: true })
  const text = '<!doctype html><title>portal</title>'
  for (const file of ['index.html', 'pages/fr/welcome.html', 'pages/en/welcome.html', 'assets/main.js'])
    writeFileSync(join(root, file), text)
  for (const file of ['hidden.txt', 'client/.env']) writeFileSync(join(folder, file), hiddenText)
  return { root, remove: () => rmSync(folder, { recursive: true }) }
}
