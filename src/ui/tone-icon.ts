import type { IconName } from './icon.tsx'

export type Tone = 'success' | 'warning' | 'danger' | 'info'

/** Each tone has its own icon, so that colour is never the only difference. */
export const toneIcons = {
  success: 'tick',
  warning: 'warning',
  danger: 'danger',
  info: 'info',
} satisfies Record<Tone, IconName>
