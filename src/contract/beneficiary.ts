/** Whom an application can be for: the account holder, a child, or someone else (LST14). */
const beneficiaries = ['me', 'child', 'other'] as const
export type Beneficiary = (typeof beneficiaries)[number]

/** Returns the stored answer; undefined when it is missing or of another kind. */
export function toBeneficiary(value: unknown): Beneficiary | undefined {
  return beneficiaries.find(each => each === value)
}
