import { basename } from 'node:path'
import type { Plugin } from 'vite'

/**
 * Names each class of a CSS module after its rule and its file: `.primary` of button.module.css becomes `_primary_button`.
 * Vite's own names have a hash of the file and a number of the line instead: more bytes in the style sheet and in the
 * scripts, and another name for each class below a line that is added. No two style sheets may have the same name.
 *
 * Also leaves out the variables that Lightning CSS adds for `light-dark()` in older browsers: no style uses this function.
 */
export function shortenStyleNames(): Plugin {
  return {
    name: 'shorten-style-names',
    config: () => ({
      css: { modules: { generateScopedName: nameStyle }, lightningcss: { exclude: lightDark } },
    }),
  }
}

/** Returns the name that the class `rule` of a CSS module gets. `file`: the path of the module. */
export function nameStyle(rule: string, file: string): string {
  return `_${rule}_${basename(file, '.module.css')}`
}

/** `Features.LightDark` of Lightning CSS, which is a dependency of Vite. */
const lightDark = 1 << 20
