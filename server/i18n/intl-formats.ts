/**
 * Makes each format at its first use and remembers it: to make a format takes many times as long as to use it, and the
 * page with all data of an account has thousands of dates (D121).
 */
export function rememberFormats<Names extends readonly string[], Format>(
  make: (...names: Names) => Format,
): (...names: Names) => Format {
  const made = new Map<string, Format>()
  return (...names) => {
    const key = names.join(' ')
    const format = made.get(key) ?? make(...names)
    made.set(key, format)
    return format
  }
}
