/** Sign-in answers that ask for a captcha in place (SIG12). What our server means by each: D20. */
export const captchaCodes = [3, 8, 9, 11, 12] as const

export function asksForCaptcha(statusCode: number): boolean {
  return captchaCodes.some(code => code === statusCode)
}
