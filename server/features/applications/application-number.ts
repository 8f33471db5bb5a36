/** Formats a number like `PP-2026-000012-1`: year, sequence number, check digit. */
export function applicationNumber(year: string, sequence: number): string {
  const digits = `${year}${String(sequence).padStart(6, '0')}`
  return `PP-${year}-${digits.slice(year.length)}-${checkDigit(digits)}`
}

/** Whether the text has the format and the check digit of an application number. */
export function isApplicationNumber(text: string): boolean {
  const match = /^PP-(\d{4})-(\d{6,})-(\d)$/.exec(text)
  return match !== null && checkDigit(`${match[1]}${match[2]}`) === Number(match[3])
}

/** ISO 7064, MOD 11,10: detects each change of one digit and nearly every swap of two neighbours. */
function checkDigit(digits: string): number {
  let product = 10
  for (const digit of digits) {
    const sum = (product + Number(digit)) % 10
    product = ((sum === 0 ? 10 : sum) * 2) % 11
  }
  return (11 - product) % 10
}
