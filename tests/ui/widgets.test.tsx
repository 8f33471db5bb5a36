// @vitest-environment happy-dom
import { useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { useForm, useWatch } from 'react-hook-form'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Button } from '#ui/button.tsx'
import { MonthCalendar, type CalendarTexts } from '#ui/calendar.tsx'
import { CodeField } from '#ui/code-field.tsx'
import { DatePartsField, type DateParts } from '#ui/date-field.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Drawing } from '#ui/drawing.tsx'
import { ErrorSummary } from '#ui/error-summary.tsx'
import { NoticeRegion } from '#ui/notice.tsx'
import { SelectField, type SelectState } from '#ui/select-field.tsx'
import { Steps } from '#ui/steps.tsx'
import { SummaryList } from '#ui/summary-list.tsx'
import { TextField } from '#ui/text-field.tsx'

let page: HTMLElement
let unmount: () => void

beforeEach(() => {
  page = document.body.appendChild(document.createElement('div'))
})

afterEach(() => {
  flushSync(() => unmount())
  page.remove()
})

describe('NoticeRegion', () => {
  it('starts the timer of the notice again only when neither the pointer nor the focus is there (WCAG 2.2.1)', () => {
    const calls: string[] = []
    show(
      <NoticeRegion label="Avis" onPause={() => calls.push('pause')} onResume={() => calls.push('resume')}>
        <button type="button">Fermer</button>
      </NoticeRegion>,
    )
    const button = page.querySelector('button')
    flushSync(() => button?.focus())
    movePointerOut(find('section'))
    expect(calls).toEqual(['pause'])
    // happy-dom knows no pointer.
    const isHovered = vi.spyOn(find('section'), 'matches').mockReturnValue(true)
    flushSync(() => button?.blur())
    expect(calls).toEqual(['pause'])
    isHovered.mockReturnValue(false)
    movePointerOut(find('section'))
    expect(calls).toEqual(['pause', 'resume'])
  })
})

function movePointerOut(from: Element) {
  flushSync(() => {
    from.dispatchEvent(new MouseEvent('mouseout', { bubbles: true }))
  })
}

describe('TextField', () => {
  it('shows label, hint, error and control in this order and connects them', () => {
    show(<TextField name="surname" label="Nom" hint="Comme sur l’acte" error="Obligatoire" />)
    expect(page.textContent).toBe('NomComme sur l’acteObligatoire')
    const input = find('input')
    expect(find('label').getAttribute('for')).toBe(input.id)
    expect(input.getAttribute('aria-invalid')).toBe('true')
    expect(describedTexts(input)).toEqual(['Comme sur l’acte', 'Obligatoire'])
    expect(find('#surname-error').compareDocumentPosition(input)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  })

  it('describes why a verified value cannot be changed', () => {
    show(
      <TextField name="mail" label="Adresse" readOnly value="a@b.cm" readOnlyReason="Adresse de connexion" />,
    )
    expect(describedTexts(find('input'))).toEqual(['Adresse de connexion'])
  })
})

describe('Drawing', () => {
  it.each(['documents', 'emptyList'] as const)('of %s has aria-hidden and the colour of the text', name => {
    show(<Drawing name={name} />)
    const drawing = find('svg')
    expect(drawing.getAttribute('aria-hidden')).toBe('true')
    expect(drawing.getAttribute('stroke')).toBe('currentColor')
    expect(drawing.getAttribute('stroke-width')).toBe('2')
  })
})

describe('SelectField with other options and a value of these', () => {
  it.each([2, 60])('shows the new value in a list of %i (FRM15)', async count => {
    const field = (letter: string) => (
      <SelectField
        name="department"
        label="Département"
        placeholder="Choisissez"
        options={optionsOf(letter, count)}
        value={`${letter}-1`}
        onChange={() => undefined}
      />
    )
    const update = show(field('a'))
    expect(find<HTMLSelectElement>('select').value).toBe('a-1')
    update(field('b'))
    expect(find<HTMLSelectElement>('select').value).toBe('b-1')
    // A long list follows in a later render.
    await vi.waitFor(() => expect(page.querySelectorAll('option')).toHaveLength(count + 1))
  })
})

describe('SelectField with options that load late', () => {
  it.each([true, false])('keeps the value of the form (controlled: %s)', controlled => {
    const update = show(
      <RegionForm controlled={controlled} state={{ kind: 'loading', text: 'Chargement…' }} />,
    )
    expect(find('select').textContent).toBe('Chargement…')
    expect(find('output').textContent).toBe('south')
    update(<RegionForm controlled={controlled} state={{ kind: 'ready' }} />)
    expect(find<HTMLSelectElement>('select').value).toBe('south')
    expect(find('output').textContent).toBe('south')
  })

  it('offers a retry after a failure', () => {
    let tries = 0
    const state = {
      kind: 'failed',
      text: 'Non chargée',
      retryLabel: 'Réessayer',
      onRetry: () => (tries += 1),
    } as const
    show(<SelectField name="region" label="Région" options={[]} state={state} />)
    press('button')
    expect(tries).toBe(1)
    // The button is gone while the list loads.
    expect(document.activeElement).toBe(find('select'))
  })
})

describe('SummaryList', () => {
  it.each([
    [true, true],
    [false, false],
    [undefined, false],
  ])('may be read aloud with isReadAloud %s: %s (NAV30)', (isReadAloud, isMarked) => {
    show(<SummaryList rows={[{ term: 'Nom', value: 'Ngo' }]} isReadAloud={isReadAloud} />)
    expect(find('dl').hasAttribute('data-listen')).toBe(isMarked)
  })
})

describe('a busy Button', () => {
  it('stays focusable and submits nothing', () => {
    let sent = 0
    show(
      <form
        onSubmit={event => {
          event.preventDefault()
          sent += 1
        }}
      >
        <Button type="submit" busy busyLabel="Envoi…">
          Envoyer
        </Button>
      </form>,
    )
    press('button')
    expect(sent).toBe(0)
    expect(find('button').textContent).toBe('Envoi…')
    expect(find<HTMLButtonElement>('button').disabled).toBe(false)
  })
})

describe('CodeField', () => {
  it('hides the code until the applicant shows it, and allows autofill', () => {
    show(<CodeField name="code" label="Code" showLabel="Afficher" hideLabel="Masquer" />)
    const input = find<HTMLInputElement>('input')
    expect([input.type, input.inputMode, input.autocomplete]).toEqual([
      'password',
      'numeric',
      'one-time-code',
    ])
    press('button')
    expect(find<HTMLInputElement>('input').type).toBe('text')
    expect(find('button').textContent).toBe('Masquer')
  })
})

describe('DatePartsField', () => {
  const words = {
    label: 'Naissance',
    names: { day: 'd', month: 'm', year: 'y' },
    partLabels: { day: 'Jour', month: 'Mois', year: 'Année' },
    monthNames: ['janvier', 'février'],
    monthPlaceholder: 'Mois',
  }

  function Birth({ mode }: { mode: 'full' | 'year-only' }) {
    const [value, setValue] = useState<DateParts>({ day: '3', month: '02', year: '1990' })
    return <DatePartsField {...words} id="birth" mode={mode} value={value} onChange={setValue} />
  }

  it('shows the year alone in the mode year-only', () => {
    const update = show(<Birth mode="full" />)
    expect(page.querySelectorAll('input, select')).toHaveLength(3)
    expect(find<HTMLSelectElement>('#birth-month').value).toBe('02')
    update(<Birth mode="year-only" />)
    expect(page.querySelectorAll('input, select')).toHaveLength(1)
    expect(find<HTMLInputElement>('#birth-year').value).toBe('1990')
  })

  it('ignores a space before or after the digits, which some keyboards add (FRM18)', () => {
    show(<Birth mode="full" />)
    type(find<HTMLInputElement>('#birth-day'), '5 ')
    type(find<HTMLInputElement>('#birth-year'), ' 1991')
    expect(find<HTMLInputElement>('#birth-day').value).toBe('5')
    expect(find<HTMLInputElement>('#birth-year').value).toBe('1991')
  })
})

describe('ErrorSummary', () => {
  it('focuses the first control of a group', () => {
    show(
      <>
        <ErrorSummary title="Il y a un problème" items={[{ href: '#person.birth', text: 'Date' }]} />
        <fieldset id="person.birth">
          <input id="day" />
        </fieldset>
      </>,
    )
    press('a')
    expect(document.activeElement?.id).toBe('day')
  })
})

describe('Steps', () => {
  it('mark the current step and state each step in words', () => {
    const steps = [
      { name: 'Connexion', state: 'done', stateWord: 'terminé' },
      { name: 'Saisie', state: 'current', stateWord: 'en cours' },
    ] as const
    show(<Steps label="Étapes" steps={steps} summary="Étape 2 sur 2 · Saisie" />)
    expect(find('[aria-current="step"]').textContent).toContain('Saisie, en cours')
    expect(find('li').textContent).toBe('Connexion, terminé')
  })
})

describe('Dialog', () => {
  it('opens, and removes its content when closed', () => {
    const update = show(
      <Dialog open heading="Toujours là ?" onClose={ignore}>
        60 s
      </Dialog>,
    )
    expect(find<HTMLDialogElement>('dialog').open).toBe(true)
    update(
      <Dialog open={false} heading="Toujours là ?" onClose={ignore}>
        60 s
      </Dialog>,
    )
    expect(find<HTMLDialogElement>('dialog').open).toBe(false)
    expect(find('dialog').textContent).toBe('')
  })
})

describe('MonthCalendar', () => {
  const words: CalendarTexts = {
    label: 'Dates',
    previousLabel: 'Avant',
    nextLabel: 'Après',
    monthNames: ['jan', 'fév', 'mars', 'avril', 'mai', 'juin', 'juil', 'août', 'sept', 'oct', 'nov', 'déc'],
    weekdayNames: ['lu', 'ma', 'me', 'je', 've', 'sa', 'di'].map(short => ({ short, long: `${short}…` })),
    formatDayLabel: date => date,
  }

  function Booking({ dates, first = dates[0] ?? '' }: { dates: string[]; first?: string }) {
    const [date, setDate] = useState(first)
    const chosen = dates.includes(date) ? date : first
    return <MonthCalendar availableDates={dates} selected={chosen} onSelect={setDate} texts={words} />
  }

  it('selects only available dates (APT03)', () => {
    show(<Booking dates={['2026-03-03', '2026-03-05']} />)
    press('[aria-label="2026-03-04"]')
    expect(find('[aria-selected="true"]').textContent).toBe('3')
    press('[aria-label="2026-03-05"]')
    expect(find('[aria-selected="true"]').textContent).toBe('5')
    expect(find<HTMLButtonElement>('[aria-label="2026-03-04"]').disabled).toBe(true)
  })

  it('says which date is pressed on its button, not on its cell alone (APT03)', () => {
    show(<Booking dates={['2026-03-03', '2026-03-05']} />)
    expect(find('[aria-pressed="true"]').textContent).toBe('3')
    press('[aria-label="2026-03-05"]')
    expect(find('[aria-pressed="true"]').textContent).toBe('5')
    expect(find('[aria-pressed="true"]').tagName).toBe('BUTTON')
    expect(page.querySelectorAll('[aria-pressed="true"]')).toHaveLength(1)
  })

  it('is one Tab stop, and ArrowRight moves the focus to the next available date, also in a later month', () => {
    show(<Booking dates={['2026-03-31', '2026-05-02']} />)
    const stop = find<HTMLElement>('td [tabindex="0"]')
    flushSync(() => stop.focus())
    flushSync(() => {
      stop.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))
    })
    expect(document.activeElement?.getAttribute('aria-label')).toBe('2026-05-02')
    expect(find('[aria-live]').textContent).toBe('mai 2026')
    expect(page.querySelectorAll('td [tabindex="0"]')).toHaveLength(1)
  })

  it.each([
    ['ArrowLeft', '2026-03-10'],
    ['ArrowDown', '2026-04-07'],
    ['ArrowUp', '2026-03-10'],
    ['PageDown', '2026-05-02'],
    ['PageUp', '2026-02-27'],
    ['Home', '2026-03-10'],
    ['End', '2026-03-31'],
  ])('moves the focus with %s to %s, past the dates that are not available', (key, expected) => {
    const dates = ['2026-02-27', '2026-03-10', '2026-03-17', '2026-03-31', '2026-04-07', '2026-05-02']
    const start = key === 'ArrowDown' || key === 'PageDown' ? '2026-03-31' : '2026-03-17'
    const from = key === 'PageUp' ? '2026-03-31' : start
    show(<Booking dates={dates} first={from} />)
    const stop = find<HTMLElement>('td [tabindex="0"]')
    flushSync(() => stop.focus())
    flushSync(() => {
      stop.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
    })
    expect(document.activeElement?.getAttribute('aria-label')).toBe(expected)
  })

  it('begins the weeks on Monday and shows the days of the month only', () => {
    show(<Booking dates={['2026-02-27']} />)
    const weeks = [...page.querySelectorAll('tbody tr')].map(row =>
      [...row.children].map(cell => cell.textContent),
    )
    expect(weeks[0]).toEqual(['', '', '', '', '', '', '1'])
    expect(weeks.at(-1)).toEqual(['23', '24', '25', '26', '27', '28', ''])
  })

  it('keeps the focus on a date that is selected in another month', () => {
    show(<Booking dates={['2026-03-31', '2026-04-02']} />)
    press('[aria-label="Après"]')
    flushSync(() => find<HTMLElement>('[aria-label="2026-04-02"]').focus())
    press('[aria-label="2026-04-02"]')
    expect(find('[aria-selected="true"]').textContent).toBe('2')
    expect(document.activeElement?.getAttribute('aria-label')).toBe('2026-04-02')
  })

  it('navigates no further than the months of the first and the last date', () => {
    show(<Booking dates={['2026-03-31', '2026-05-02']} />)
    expect(find('[aria-label="Avant"]').getAttribute('aria-disabled')).toBe('true')
    press('[aria-label="Après"]')
    press('[aria-label="Après"]')
    expect(find('[aria-live]').textContent).toBe('mai 2026')
    expect(find('[aria-label="Après"]').getAttribute('aria-disabled')).toBe('true')
  })

  it('shows the month of the new dates when the dates change', () => {
    const update = show(<Booking dates={['2026-03-31']} />)
    update(<Booking dates={['2026-07-01']} />)
    expect(find('[aria-live]').textContent).toBe('juil 2026')
  })
})

function RegionForm({ state, controlled }: { state: SelectState; controlled: boolean }) {
  const { register, control } = useForm({ defaultValues: { region: 'south' } })
  const region = useWatch({ control, name: 'region' })
  const field = controlled ? { name: 'region', value: region, onChange: ignore } : register('region')
  const options = state.kind === 'ready' ? ['north', 'south'].map(value => ({ value, label: value })) : []
  return (
    <>
      <SelectField {...field} label="Région" placeholder="Choisissez" options={options} state={state} />
      <output>{region}</output>
    </>
  )
}

function ignore() {}

function optionsOf(letter: string, count: number) {
  return Array.from({ length: count }, (_, index) => ({
    value: `${letter}-${index}`,
    label: `${letter} ${index}`,
  }))
}

function show(content: ReactNode) {
  const root = createRoot(page)
  flushSync(() => root.render(content))
  unmount = () => root.unmount()
  return (next: ReactNode) => flushSync(() => root.render(next))
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- like querySelector
function find<Kind extends Element = Element>(selector: string): Kind {
  const element = page.querySelector<Kind>(selector)
  if (!element) throw new Error(`nothing on the page matches ${selector}`)
  return element
}

function press(selector: string) {
  flushSync(() => find<HTMLElement>(selector).click())
}

/** Sets the value as the browser does after a key: React sees only what the native setter stores. */
function type(field: HTMLInputElement, text: string) {
  flushSync(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

function describedTexts(control: Element): (string | undefined)[] {
  const ids = control.getAttribute('aria-describedby')?.split(' ') ?? []
  return ids.map(id => document.getElementById(id)?.textContent)
}
