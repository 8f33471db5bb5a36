import type { Translate } from './translate.ts'

/** Returns a duration as text, in minutes if that is a whole number: `5 minutes`, `90 seconds`. */
export function durationText(t: Translate, seconds: number): string {
  const isMinutes = seconds >= 60 && seconds % 60 === 0
  return isMinutes ? t('code.minutes', { count: seconds / 60 }) : t('code.seconds', { count: seconds })
}
