/** An address that looks valid: one @, a dotted domain, no spaces, no unseen marks (SIG08, PER16). */
export function looksLikeEmail(value: string): boolean {
  return /^[^\s\p{Cc}\p{Cf}\p{Cs}@<>()[\],;:\\"]+@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}]{2,}$/u.test(
    value,
  )
}

/** Sign-in e-mail: spaces stripped, valid, under 50 characters (SIG07–SIG09). */
export function normaliseEmail(typed: string): string {
  return typed.replace(/\s/g, '')
}

export function isSignInEmail(email: string): boolean {
  return looksLikeEmail(email) && Array.from(email).length < 50
}
