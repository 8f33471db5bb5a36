import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Page } from 'playwright-core'
import { isFullRun } from '#support/test-tier.ts'

const require = createRequire(import.meta.url)

/**
 * The normal and the bold face of common font families of phones, the narrowest first. DejaVu Sans is as wide as
 * Verdana. tests/journeys/narrow-screen.test.ts measures the order with the texts of the portal.
 */
const faces = {
  'Roboto Condensed': facesOf('roboto-condensed', 'RobotoCondensed'),
  Roboto: facesOf('roboto', 'Roboto'),
  'Noto Sans': facesOf('noto-sans', 'NotoSans'),
  Montserrat: facesOf('montserrat', 'Montserrat'),
  'DejaVu Sans': ['dejavu-fonts-ttf/ttf/DejaVuSans.ttf', 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'],
} satisfies Record<string, string[]>

export type FontFamily = keyof typeof faces

// Object.keys loses the type of the keys.
export const fontFamilies = Object.keys(faces) as readonly FontFamily[]
export const narrowestFamily: FontFamily = 'Roboto Condensed'
export const widestFamily: FontFamily = 'DejaVu Sans'

/** The families that each layout test tries: the narrowest and the widest in the daily run, all in the full run. */
export const triedFamilies = isFullRun ? fontFamilies : [narrowestFamily, widestFamily]

/**
 * Writes a fontconfig configuration that replaces the fonts of the machine by these families: `systemFont` is what
 * `system-ui` and every unknown name stand for, the others answer to their names. Returns the environment of a browser
 * that uses the configuration, and a function that deletes its files.
 */
export function createFontFolder(systemFont: FontFamily) {
  const folder = mkdtempSync(join(tmpdir(), 'fonts-'))
  const files = join(folder, 'files')
  mkdirSync(files)
  for (const file of Object.values(faces).flat())
    symlinkSync(require.resolve(file), join(files, basename(file)))
  const config = join(folder, 'fonts.conf')
  writeFileSync(
    config,
    `<?xml version="1.0"?><fontconfig><dir>${files}</dir><cachedir>${join(folder, 'cache')}</cachedir>` +
      `<match><edit name="family" mode="append" binding="strong"><string>${systemFont}</string></edit></match>` +
      '</fontconfig>',
  )
  return {
    environment: { FONTCONFIG_FILE: config },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

function facesOf(packageName: string, name: string): string[] {
  return ['400Regular', '700Bold'].map(
    face => `@expo-google-fonts/${packageName}/${face}/${name}_${face}.ttf`,
  )
}

/** Sets the font of the page; undefined sets the system font. */
export function setFont(page: Page, family: FontFamily | undefined): Promise<void> {
  return page.evaluate(name => {
    const { style } = document.documentElement
    if (name === undefined) style.removeProperty('--font')
    else style.setProperty('--font', `'${name}'`)
  }, family)
}
