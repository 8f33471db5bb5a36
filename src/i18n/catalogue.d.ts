/**
 * A catalogue as vite.config.ts compiles it: every message already parsed, so that no ICU parser is shipped.
 * Without `?parsed`, `fr.json` and `en.json` are the plain texts, and name the keys for the compiler.
 */
declare module '*.json?parsed' {
  import type { MessageFormatElement } from 'react-intl'

  const messages: Record<keyof typeof import('#i18n/en.json'), MessageFormatElement[]>
  export default messages
}
