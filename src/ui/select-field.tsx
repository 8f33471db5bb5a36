import { useId, useRef, useState, type ComponentProps, type RefObject } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import control from './control.module.css'
import { Field, type FieldTexts } from './field.tsx'
import { Icon } from './icon.tsx'
import { ListSearch, type ListSearchTexts } from './list-search.tsx'
import styles from './select-field.module.css'
import { VisuallyHidden } from './visually-hidden.tsx'

export interface SelectOption {
  value: string
  label: string
  disabled?: boolean | undefined
  /** Other names it is searched by. */
  also?: string | undefined
}

/** Where the options are: here, on their way, not reached, or waiting for another answer. */
export type SelectState =
  | { kind: 'ready' }
  | { kind: 'loading'; text: string }
  | { kind: 'failed'; text: string; retryLabel: string; onRetry: () => void }
  | { kind: 'waiting'; text: string }

type SelectFieldProps = Omit<ComponentProps<'select'>, 'className' | 'style' | 'children' | 'multiple'> &
  FieldTexts & {
    options: readonly SelectOption[]
    /** The first, empty option. */
    placeholder?: string | undefined
    state?: SelectState | undefined
    /** Offers type-ahead where the list is longer than a screen. */
    search?: ListSearchTexts | undefined
  }

const ready: SelectState = { kind: 'ready' }
const searchThreshold = 12

/**
 * A labelled native list. It takes what `register()` returns, or `value` and `onChange`.
 * An answer chosen before its options have come survives: without options a list cannot hold it, so a form that
 * keeps the value itself (`register()`) is shown no list until there are some, and then a new one, which it fills.
 */
export function SelectField({ label, optionalLabel, hint, error, ...props }: SelectFieldProps) {
  const { options, placeholder, state = ready, search, ...select } = props
  const box = useRef<HTMLDivElement>(null)
  const fallback = useId()
  const id = select.id ?? select.name ?? fallback
  const unseen = select.value === undefined && state.kind !== 'ready'
  return (
    <Field id={id} label={label} optionalLabel={optionalLabel} hint={hint} error={error}>
      {wiring => (
        <>
          <div ref={box} className={styles.box}>
            <select
              {...select}
              key={unseen ? 'unseen' : 'seen'}
              ref={unseen ? undefined : select.ref}
              id={id}
              className={classNames(control.control, styles.select)}
              aria-describedby={wiring.describedBy}
              aria-invalid={wiring.invalid || undefined}
              aria-busy={state.kind === 'loading' || undefined}
              data-state={state.kind === 'ready' ? undefined : state.kind}
            >
              {state.kind === 'ready' ? (
                <Options options={options} placeholder={placeholder} />
              ) : (
                <DisabledSelect value={select.value} text={state.text} />
              )}
            </select>
            <Icon name="down" className={styles.arrow} />
          </div>
          {state.kind === 'failed' && <Retry state={state} />}
          {search && state.kind === 'ready' && options.length > searchThreshold && (
            <Search box={box} options={options} words={search} />
          )}
        </>
      )}
    </Field>
  )
}

/** What is found is put into the native list as if it had been picked there. */
function Search(props: {
  box: RefObject<HTMLDivElement | null>
  options: readonly SelectOption[]
  words: ListSearchTexts
}) {
  const [open, setOpen] = useState(false)
  const list = () => props.box.current?.querySelector('select')
  function finish(value: string | undefined) {
    setOpen(false)
    const select = list()
    select?.focus()
    if (!select || value === undefined) return
    select.value = value
    select.dispatchEvent(new Event('change', { bubbles: true }))
  }
  if (open) return <ListSearch options={props.options} texts={props.words} onDone={finish} />
  return (
    <button type="button" className={styles.open} onClick={() => setOpen(true)}>
      <Icon name="search" />
      {props.words.label}
    </button>
  )
}

function Options({ options, placeholder }: Pick<SelectFieldProps, 'options' | 'placeholder'>) {
  return (
    <>
      {placeholder !== undefined && <option value="">{placeholder}</option>}
      {options.map(option => (
        <option key={option.value} value={option.value} disabled={option.disabled}>
          {option.label}
        </option>
      ))}
    </>
  )
}

/** The only option while there are none; it carries the present value, so that a list told its value still holds it. */
function DisabledSelect({ value, text }: { value: SelectFieldProps['value']; text: string }) {
  return (
    <option value={String(value ?? '')} disabled={value !== undefined}>
      {text}
    </option>
  )
}

function Retry({ state }: { state: Extract<SelectState, { kind: 'failed' }> }) {
  return (
    <output className={styles.retry}>
      <VisuallyHidden>{state.text}</VisuallyHidden>
      <Button variant="secondary" onClick={state.onRetry}>
        {state.retryLabel}
      </Button>
    </output>
  )
}
