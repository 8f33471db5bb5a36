// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { findNextAct } from './in-page.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

describe('findNextAct', () => {
  it('skips answers that are prefilled or preselected, and controls that are disabled or read-only', () => {
    show(`
      <select name="country"><option value="10998" selected></select>
      <input name="sex" type="radio" value="F" checked><input name="sex" type="radio" value="M">
      <input name="phone" type="tel" value="6 71 23 45 67">
      <input name="card" disabled><input name="email" readonly>`)
    const answers = { country: '10998', sex: 'F', phone: '671234567', card: '11', email: 'a@b.cm' }
    expect(findNextAct(answers)).toEqual({ kind: 'done' })
  })

  it('goes from top to bottom, whatever the order of the answers', () => {
    show(`<input name="sex" type="radio" value="F"><select name="city"><option value="2"></select>`)
    expect(findNextAct({ city: '2', sex: 'F' })).toMatchObject({ kind: 'tap', name: 'sex', value: 'F' })
  })

  it('returns "loading" for a list that does not have the wanted option yet', () => {
    show(`<select name="city"><option value="">Chargement…</select>`)
    expect(findNextAct({ city: '2' })).toEqual({ kind: 'loading', name: 'city' })
  })

  it.each([
    ['surname', 'page', 'surname', 'the wanted field itself, because the page has set the focus'],
    ['surname', 'next', 'first', 'the text field before the wanted one, past a button and a radio button'],
    ['birthPlace', 'tap', 'list', 'the list before the wanted field, because a list closes the keyboard'],
    ['surname', 'tap', 'far', 'a text field with another field between'],
    ['birthPlace', 'tap', 'surname', 'a text field with a list between'],
  ])(
    'for the wanted field "%s" returns the focus "%s" when "%s" has the focus now: %s',
    (wanted, focus, focused) => {
      show(`
      <input name="far"><input name="first"><button type="button"></button><input type="radio" name="sex" value="F">
      <input name="surname"><select name="list"></select><input name="birthPlace">`)
      document.querySelector<HTMLElement>(`[name="${focused}"]`)?.focus()
      expect(document.activeElement).toHaveProperty('name', focused)
      expect(findNextAct({ [wanted]: 'Ngo' })).toMatchObject({ kind: 'type', name: wanted, focus })
    },
  )
})

function show(controls: string) {
  document.body.innerHTML = `<main><form>${controls}</form></main>`
}
