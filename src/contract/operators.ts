/**
 * The mobile prefixes of the operators in Cameroon, for a national number without its country code. A number can move to
 * another operator, so a prefix is a guess.
 */
export const operatorPrefixes = {
  mtn: /^(?:65[0-4]|67|68[0-3])/,
  orange: /^(?:640|65[5-9]|68[6-9]|69)/,
} as const
