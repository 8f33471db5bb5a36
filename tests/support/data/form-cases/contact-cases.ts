import type { IssueCode } from '#contract/issues.ts'
import { firstPassport } from '#support/data/applicants.ts'
import type { FormCase } from './form-case.ts'

const numbers: [rows: string, dialCode: string, digits: number, issue: IssueCode | undefined][] = [
  ['PER11 LIM02 S05', '237', 5, 'phone-home'],
  ['PER11 LIM02 S05', '237', 6, undefined],
  ['LIM02 S07', '237', 12, undefined],
  ['LIM02 S07', '237', 13, 'phone-home'],
  ['LIM02 S07', '237', 31, 'phone-home'],
  ['PER12 LIM03 S06', '33', 4, 'phone-international'],
  ['PER12 LIM03 S06', '33', 5, undefined],
  ['LIM03 S07', '33', 13, undefined],
  ['LIM03 S07', '33', 14, 'phone-international'],
  ['PER12 LIM03 S06', '1', 5, 'phone-international'],
  ['PER12 LIM03 S06', '1', 6, undefined],
  ['LIM03 S07', '1', 14, undefined],
  ['LIM03 S07', '1', 15, 'phone-international'],
  ['PER12 LIM03 S06', '998', 3, 'phone-international'],
  ['PER12 LIM03 S06', '998', 4, undefined],
]

const typedNumbers: [rows: string, dialCode: string, typed: string, issue: IssueCode | undefined][] = [
  ['PER11', '237', '6 71.23-45 (67)', undefined],
  ['PER11', '237', '+237 6 71 23 45 67', undefined],
  ['PER11', '237', '\u202a+237\u00a06\u202f71 23 45 67\u202c', undefined],
  ['PER11', '237', '671–23–45–67', undefined],
  ['PER11', '237', '+237 6 71 23', 'phone-home'],
  ['PER11', '237', '0067123', 'phone-home'],
  ['PER11', '237', '012345', 'phone-home'],
  ['PER11', '237', '67123456x', 'digits-only'],
  ['PER11', '237', '٦٧١٢٣٤٥٦٧', 'digits-only'],
  ['PER11', '237', '671234567\0', 'digits-only'],
  ['PER11', '237', '2'.repeat(101), 'too-long-100'],
  ['PER12', '33', '+33 (0)6 12 34 56 78', undefined],
  ['PER12', '33', '06 12', 'phone-international'],
  ['PER12', '33', '06 123', 'phone-international'],
  ['PER12 D109', '33', '0899 12 34 56', 'phone-premium'],
  ['PER12 D109', '44', '0909 879 0000', 'phone-premium'],
  ['PER12', '33', '0800 12 34 56', undefined],
  ['PER12', '39', '0123', 'phone-international'],
  ['PER12', '39', '01234', undefined],
]

const addresses: [typed: string, issue: IssueCode | undefined][] = [
  ['a@b.cm', undefined],
  [' a@b.cm ', undefined],
  ['jean.ndi+pass@mail.gov.cm', undefined],
  ["o'neil@exämple.org", undefined],
  ['ngo’o@example.cm', undefined],
  ['\u200b', 'email-invalid'],
  ['a', 'email-invalid'],
  ['a@b', 'email-invalid'],
  ['a@b.c', 'email-invalid'],
  ['a@b.cm.', 'email-invalid'],
  ['@b.cm', 'email-invalid'],
  ['a b@c.cm', 'email-invalid'],
  ['a@@b.cm', 'email-invalid'],
  ['a@b..cm', 'email-invalid'],
  ['a@-b.cm', 'email-invalid'],
  ['<a@b.cm>', 'email-invalid'],
  ['a,b@c.cm', 'email-invalid'],
  ['\u202aa@b.cm\u202c', undefined],
  ['\u200ba@b.cm', 'email-invalid'],
  ['a\r\nBcc: b@b.cm', 'email-invalid'],
]

/** PER11–PER13, PER16, LIM02, LIM03: valid and invalid phone numbers, dial codes and e-mail addresses. */
export const contactCases: FormCase[] = [
  ...numbers.map(([rows, dialCode, digits, issue]) =>
    phone(rows, { dialCode, phoneNumber: '6'.repeat(digits) }, issue),
  ),
  ...typedNumbers.map(([rows, dialCode, phoneNumber, issue]) =>
    phone(rows, { dialCode, phoneNumber }, issue),
  ),
  ...addresses.map(([email, issue]): FormCase => ({
    rows: 'PER16',
    name: `the address ${JSON.stringify(email)}`,
    of: firstPassport,
    change: { email },
    faults: issue ? { email: issue } : {},
  })),
  ...['0', '0237', '9999'].map((dialCode): FormCase => ({
    rows: 'PER13',
    name: `no country has the dial code ${dialCode}`,
    of: firstPassport,
    change: { dialCode },
    faults: { dialCode: 'not-in-list' },
  })),
  {
    rows: 'PER13',
    name: 'a dial code is digits',
    of: firstPassport,
    change: { dialCode: 'CM' },
    faults: { dialCode: 'digits-only' },
  },
]

function phone(
  rows: string,
  change: { dialCode: string; phoneNumber: string },
  issue: IssueCode | undefined,
): FormCase {
  const name = `+${change.dialCode} and ${JSON.stringify(change.phoneNumber.slice(0, 40))}`
  return { rows, name, of: firstPassport, change, faults: issue ? { phoneNumber: issue } : {} }
}
