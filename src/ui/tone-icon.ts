import type { IconName } from './icon.tsx'

export type Tone = 'success' | 'warning' | 'danger' | 'info'

/** Each tone has a drawing of its own: colour is never the only sign. */
export const toneIcons = {
  success: 'tick',
  warning: 'warning',
  danger: 'danger',
  info: 'info',
} satisfies Record<Tone, IconName>
