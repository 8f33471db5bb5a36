/** Returns an access token with these claims and an invalid signature, which the portal does not check. */
export function makeToken(claims: Record<string, unknown> = {}): string {
  const whole = { msisdn: '237671234567', email: '', applicantId: 'ap-1', iat: 1_000, exp: 1_900, ...claims }
  return `${encode({ alg: 'HS256' })}.${encode(whole)}.signature`
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
