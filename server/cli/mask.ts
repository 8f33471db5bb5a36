/** Masks personal data so that an operator can compare it with what a caller says, but cannot learn it. */

/** `Ngo Marie` becomes `N** M****`. */
export function maskName(name: string): string {
  return name
    .split(/\s+/)
    .map(word => word.replace(/(?<=.)./gu, '*'))
    .join(' ')
}

/** `237671234567` becomes `+237*******67`; `awa@example.cm` becomes `a**@example.cm`. */
export function maskContact({ kind, value }: { kind: 'phone' | 'email'; value: string }): string {
  if (kind === 'phone')
    return `+${value.slice(0, 3)}${'*'.repeat(Math.max(value.length - 5, 0))}${value.slice(-2)}`
  const at = value.lastIndexOf('@')
  return `${value.slice(0, 1)}${'*'.repeat(Math.max(at - 1, 0))}${value.slice(at)}`
}
