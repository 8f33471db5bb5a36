/**
 * A wait in one unit: up to 60 s in seconds, up to 60 min in minutes, else in hours. Minutes and hours are rounded up, because
 * a try that comes too soon is refused again. The units are those of the texts: `{unit, select, second …}`.
 */
export function waitInOneUnit(seconds: number): { count: number; unit: 'second' | 'minute' | 'hour' } {
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 2) return { count: seconds, unit: 'second' }
  return minutes <= 60 ? { count: minutes, unit: 'minute' } : { count: Math.ceil(minutes / 60), unit: 'hour' }
}
