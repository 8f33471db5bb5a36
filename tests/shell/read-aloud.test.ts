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

it('splits a text at each <br>, so that the speech pauses there (NAV30)', () => {
  document.body.innerHTML = `<p data-listen>Sur votre
    téléphone<br>MTN : 67<br><strong>110 000 FCFA</strong></p>`
  expect(findSpokenTexts(document.body)).toEqual(['Sur votre téléphone', 'MTN : 67', '110 000 FCFA'])
})
