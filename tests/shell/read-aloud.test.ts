// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { findSpokenTexts } from '#shell/read-aloud.ts'

it.each([
  ['', ['Mes demandes', 'Suivi']],
  ['open', ['Mes demandes', 'Suivi', 'Ordre PO-1']],
])('reads the headings inside a disclosure only while it is open: "%s" (NAV30)', (state, expected) => {
  document.body.innerHTML = `<h1>Mes demandes</h1>
    <details ${state}><summary data-listen>Suivi</summary><div><h3>Ordre PO-1</h3></div></details>`
  expect(findSpokenTexts(document.body)).toEqual(expected)
})
