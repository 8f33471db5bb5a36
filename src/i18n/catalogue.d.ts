/**
 * A catalogue as vite.config.ts compiles it: every message already parsed, so that no ICU parser is shipped; in two
 * parts (server/build/first-messages.ts). As they are, `fr.json` and `en.json` are the plain texts, and name the keys for the compiler.
 */
declare module '*.json?first' {
  import type { MessageFormatElement } from 'react-intl'

  const messages: Record<string, MessageFormatElement[]>
  export default messages
}

declare module '*.json?rest' {
  import type { MessageFormatElement } from 'react-intl'

  const messages: Record<string, MessageFormatElement[]>
  export default messages
}
