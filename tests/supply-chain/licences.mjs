/** The licences that a production package may have, each with the reason. A new one needs a decision. */
export const allowedLicences = {
  MIT: 'permissive',
  ISC: 'permissive',
  'Apache-2.0': 'permissive; a notice file stays with the package',
  'BSD-3-Clause': 'permissive',
  'BSD-2-Clause': 'permissive',
  'BlueOak-1.0.0': 'permissive',
  '0BSD': 'permissive, without conditions',
  'MIT-0': 'permissive, without conditions',
  Unlicense: 'public domain',
  '(MIT OR CC0-1.0)': 'permissive: MIT is chosen',
  'MPL-2.0':
    'changes of its own files must be published: none is changed, and none is in what applicants download',
  'CC-BY-4.0':
    'data about browsers, which only the build reads; the credit that the licence demands is in docs/licences.md',
}

/** The further licences of packages that only tests and development use: the portal and its build need none of them. */
export const allowedInDevelopment = {
  'MIT AND OFL-1.1': 'fonts of the tests',
  'SEE LICENSE IN README.md AND LICENSE': 'the DejaVu fonts of the tests, whose licence is permissive',
}

/** Returns docs/licences.md: every production package under its licence. */
export function describeLicences(packages) {
  const shipped = packages.filter(({ scope }) => scope !== 'development')
  const sections = Object.entries(allowedLicences).map(([licence, reason]) => {
    const lines = shipped
      .filter(each => each.licence === licence)
      .map(each => `- ${each.name} ${each.version}`)
    const unique = [...new Set(lines)]
    return [`## ${licence}`, '', `${unique.length} packages; ${reason}.`, '', ...unique, ''].join('\n')
  })
  return [
    '# Licences of the packages',
    '',
    'Every package that a production installation needs, from `package-lock.json`: the packages of the server, of the',
    'portal and of its build, for all platforms. A licence that is not a heading here fails a test. Write this page again',
    'with `npm run sbom`. The fonts and the data in the repository are in',
    '[server/seed/ATTRIBUTION.md](../server/seed/ATTRIBUTION.md).',
    '',
    ...sections,
  ].join('\n')
}
