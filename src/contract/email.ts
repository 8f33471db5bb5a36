/** True for one @, a domain with a dot, and no space, invisible character or any of <>()[],;:\" (SIG08, PER16). */
export function looksLikeEmail(value: string): boolean {
  return /^[^\s\p{Cc}\p{Cf}\p{Cs}@<>()[\],;:\\"]+@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}]{2,}$/u.test(
    value,
  )
}

/** Removes all spaces (SIG07). */
export function normaliseEmail(typed: string): string {
  return typed.replace(/\s/g, '')
}

/** True for a valid address of fewer than 50 characters (SIG08, SIG09). */
export function isSignInEmail(email: string): boolean {
  return looksLikeEmail(email) && Array.from(email).length < 50
}
