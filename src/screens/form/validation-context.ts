import { createContext, useContext } from 'react'
import type { FormValidation } from './form-validation.ts'

/** The tabs are routes inside the form, so they cannot get its validation as a property. */
export const ValidationContext = createContext<FormValidation | undefined>(undefined)

export function useValidation(): FormValidation {
  const validation = useContext(ValidationContext)
  if (!validation) throw new Error('Outside a form')
  return validation
}
