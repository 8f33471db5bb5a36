import type { Language } from './codes.ts'
import { homeDialCode } from './codes.ts'

export type DialCode = {
  code: string
  /**
   * ISO 3166 alpha-2, and AC, TA and XK, which are not in that list but have a name in browsers. Several countries share a
   * code; for code 1 only the two largest are listed.
   */
  countries: readonly string[]
}

// From libphonenumber-js 1.13.16. Each entry is a dial code and its countries.
const list = `
1US,CA 7RU,KZ 20EG 27ZA 30GR 31NL 32BE 33FR 34ES 36HU 39IT,VA 40RO 41CH 43AT 44GB,GG,IM,JE 45DK 46SE 47NO,SJ
48PL 49DE 51PE 52MX 53CU 54AR 55BR 56CL 57CO 58VE 60MY 61AU,CC,CX 62ID 63PH 64NZ 65SG 66TH 81JP 82KR 84VN
86CN 90TR 91IN 92PK 93AF 94LK 95MM 98IR 211SS 212MA,EH 213DZ 216TN 218LY 220GM 221SN 222MR 223ML 224GN 225CI
226BF 227NE 228TG 229BJ 230MU 231LR 232SL 233GH 234NG 235TD 236CF 237CM 238CV 239ST 240GQ 241GA 242CG 243CD
244AO 245GW 246IO 247AC 248SC 249SD 250RW 251ET 252SO 253DJ 254KE 255TZ 256UG 257BI 258MZ 260ZM 261MG
262RE,YT 263ZW 264NA 265MW 266LS 267BW 268SZ 269KM 290SH,TA 291ER 297AW 298FO 299GL 350GI 351PT 352LU 353IE
354IS 355AL 356MT 357CY 358FI,AX 359BG 370LT 371LV 372EE 373MD 374AM 375BY 376AD 377MC 378SM 380UA 381RS
382ME 383XK 385HR 386SI 387BA 389MK 420CZ 421SK 423LI 500FK 501BZ 502GT 503SV 504HN 505NI 506CR 507PA 508PM
509HT 590GP,BL,MF 591BO 592GY 593EC 594GF 595PY 596MQ 597SR 598UY 599CW,BQ 670TL 672NF 673BN 674NR 675PG
676TO 677SB 678VU 679FJ 680PW 681WF 682CK 683NU 685WS 686KI 687NC 688TV 689PF 690TK 691FM 692MH 850KP 852HK
853MO 855KH 856LA 880BD 886TW 960MV 961LB 962JO 963SY 964IQ 965KW 966SA 967YE 968OM 970PS 971AE 972IL 973BH
974QA 975BT 976MN 977NP 992TJ 993TM 994AZ 995GE 996KG 998UZ
`

/** All dial codes of the world (SIG01, SIG04). */
export const dialCodes: readonly DialCode[] = list
  .trim()
  .split(/\s+/)
  .map(entry => ({ code: entry.replace(/\D/g, ''), countries: entry.replace(/\d/g, '').split(',') }))

/** The codes only, for splitting an international number. */
export const knownDialCodes: readonly string[] = dialCodes.map(({ code }) => code)

export type DialCodeChoice = { value: string; label: string }

const lists = new Map<Language, readonly DialCodeChoice[]>()

/** The options of the dial code list: Cameroon first, then by name. Cached, because sorting is slow on a phone. */
export function listDialCodes(language: Language): readonly DialCodeChoice[] {
  const choices = lists.get(language) ?? sortDialCodes(language, dialCodes)
  lists.set(language, choices)
  return choices
}

/** The codes of Cameroon, of its neighbours, and of the countries where most Cameroonians abroad live. */
const commonCodes = '237 1 27 32 33 34 39 41 44 49 86 90 221 225 234 235 236 240 241 242 971'.split(' ')

/** The options of `listDialCodes` that most applicants need, in the same order. */
export function listCommonDialCodes(language: Language): readonly DialCodeChoice[] {
  return sortDialCodes(
    language,
    dialCodes.filter(({ code }) => commonCodes.includes(code)),
  )
}

function sortDialCodes(language: Language, codes: readonly DialCode[]): DialCodeChoice[] {
  const nameOf = countryNames(language)
  const home = codes.filter(({ code }) => code === homeDialCode)
  const others = codes.filter(({ code }) => code !== homeDialCode)
  const toChoice = ({ code, countries }: DialCode) => ({
    value: code,
    label: `${countries.map(nameOf).join(', ')} (+${code})`,
  })
  const compare = new Intl.Collator(language).compare
  const sorted = others.map(toChoice).sort((one, other) => compare(one.label, other.label))
  return [...home.map(toChoice), ...sorted]
}

/** Browsers without `Intl.DisplayNames` show the two-letter code instead of the name. */
function countryNames(language: Language): (country: string) => string {
  if (!('DisplayNames' in Intl)) return country => country
  const names = new Intl.DisplayNames([language], { type: 'region' })
  return country => names.of(country) ?? country
}
