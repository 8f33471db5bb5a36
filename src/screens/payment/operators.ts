import { formatPhone } from '#contract/phone.ts'

/** What the portal knows of a mobile operator. The ranges are the national prefixes of Cameroon. */
export type Operator = {
  name: string
  /** The payer dials it to find a payment that waits, when no message came. */
  dial: string
  ranges: string
  pattern: RegExp
}

/** The operators whose wallets the mobile payment uses. A number can move to another operator, so a range is a guess. */
export const operators: readonly Operator[] = [
  {
    name: 'MTN',
    dial: '*126#',
    ranges: '67, 650–654, 680–683',
    pattern: /^237(?:65[0-4]|67|68[0-3])/,
  },
  {
    name: 'Orange',
    dial: '#150*50#',
    ranges: '69, 640, 655–659, 686–689',
    pattern: /^237(?:640|65[5-9]|68[6-9]|69)/,
  },
]

/** Returns the operator of a payment by the wallet that the server names, else by the number; undefined when unknown. */
export function operatorOf({ method, phone }: { method: string; phone: string }): Operator | undefined {
  if (method === '') return operators.find(({ pattern }) => pattern.test(phone))
  return operators.find(({ name }) => method.startsWith(name))
}

/** Hides the middle of a number, because other people may see the screen: `+237 6 •• •• •• 67`. */
export function maskPhone(msisdn: string): { masked: string; end: string } {
  const shown = formatPhone(msisdn)
  const digitCount = msisdn.length
  let at = 0
  const masked = shown.replaceAll(/\d/g, digit => {
    at += 1
    return at <= 4 || at > digitCount - 2 ? digit : '•'
  })
  return { masked, end: msisdn.slice(-2) }
}
