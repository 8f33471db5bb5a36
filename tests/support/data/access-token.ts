/** Returns an access token with an invalid signature. The page in the browser does not check signatures; the server does. */
export function makeToken(claims: Record<string, unknown> = {}): string {
  const whole = { msisdn: '237671234567', email: '', applicantId: 'ap-1', iat: 1_000, exp: 1_900, ...claims }
  return `${encode({ alg: 'HS256' })}.${encode(whole)}.signature`
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
