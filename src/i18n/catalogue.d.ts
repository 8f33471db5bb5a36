/**
 * A catalogue as vite.config.ts compiles it: with parsed messages, so that the portal ships no ICU parser, and in parts
 * (server/build/message-groups.ts). Without a query, `en.json` has plain texts; TypeScript reads the keys from it.
 */
declare module '*.json?first' {
  import type { MessageFormatElement } from 'react-intl'

  const messages: Record<string, MessageFormatElement[]>
  export default messages
}

declare module '*.json?verify' {
  import type { MessageFormatElement } from 'react-intl'

  const messages: Record<string, MessageFormatElement[]>
  export default messages
}

declare module '*.json?help' {
  import type { MessageFormatElement } from 'react-intl'

  const messages: Record<string, MessageFormatElement[]>
  export default messages
}

declare module '*.json?legal' {
  import type { MessageFormatElement } from 'react-intl'

  const messages: Record<string, MessageFormatElement[]>
  export default messages
}

declare module '*.json?tools' {
  import type { MessageFormatElement } from 'react-intl'

  const messages: Record<string, MessageFormatElement[]>
  export default messages
}

declare module '*.json?rest' {
  import type { MessageFormatElement } from 'react-intl'

  const messages: Record<string, MessageFormatElement[]>
  export default messages
}
