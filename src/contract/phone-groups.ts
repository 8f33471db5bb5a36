/** The usual grouping for each length of a mobile number: 334 means three, three and four digits. */
const usualGroups = ['5', '222', '34', '44', '333', '334', '344']

// Other groupings, each with the dial codes that use it. From libphonenumber-js 1.13.16.
const otherGroups = `
234:27,36,60,64,66,93,94,231,233,242,249,251,258,263,264,353,355,380,385,593,966,971,972,992
2222:45,47,222,223,226,227,228,235,236,241,253,257,378,689,975
233:216,267,359,371,382,383,386,387,389,598,855,961 3222:32,34,213,224,262,265,590,594,596,995
2322:41,46,221,375,994,998 26:232,357,374,993 27:218,260,358,381 36:43,254,256,595 37:57,58,92,977
12222:33,212,237,377 8:350,591,686 17:53,252 25:677,685 35:370,965 46:44,880 133:248,291 134:95,599 144:56,962
244:81,82 322:238,269 3322:7,90 4:690 15:672 18:31 23:682 24:688 28:20 33:376 47:49 55:91 224:509 254:55 323:373
1244:54 2224:225 2232:261 2233:856 22222:229
`

const groupsOfCode = new Map(
  otherGroups
    .trim()
    .split(/\s+/)
    .flatMap(entry => {
      const [groups = '', codes = ''] = entry.split(':')
      return codes.split(',').map((code): [string, string] => [code, groups])
    }),
)

/** Groups the digits of a number, for example 6 71 23 45 67. Returns a text unchanged that has other characters. */
export function formatSubscriberNumber(dialCode: string, digits: string): string {
  if (!/^\d+$/.test(digits)) return digits
  const groups = groupsOf(dialCode, digits.length) ?? groupsOfThree(digits.length)
  const parts = groups.map((length, at) => {
    const start = groups.slice(0, at).reduce((sum, each) => sum + each, 0)
    return digits.slice(start, start + length)
  })
  return parts.join(' ')
}

function groupsOf(dialCode: string, count: number): number[] | undefined {
  const groupings = [groupsOfCode.get(dialCode) ?? '', ...usualGroups].map(grouping =>
    Array.from(grouping, Number),
  )
  return groupings.find(grouping => grouping.reduce((sum, each) => sum + each, 0) === count)
}

/** Groups of three; the last one has two, three or four digits, so that no digit is alone. */
function groupsOfThree(count: number): number[] {
  const last = count % 3 === 1 && count > 1 ? 4 : count % 3 || 3
  const before = Math.max(0, Math.floor((count - last) / 3))
  return [...Array.from({ length: before }, () => 3), Math.min(last, count)]
}
