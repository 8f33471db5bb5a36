import { useDeferredValue, useId, useRef, useState, type ComponentProps, type RefObject } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import control from './control.module.css'
import { Field, type FieldTexts } from './field.tsx'
import { Icon } from './icon.tsx'
import { ListSearch, type ListSearchTexts, OpenSearchButton } from './list-search.tsx'
import styles from './select-field.module.css'
import { VisuallyHidden } from './visually-hidden.tsx'

export interface SelectOption {
  value: string
  label: string
  disabled?: boolean | undefined
  /** Other names of the option, for the search. */
  aka?: string | undefined
}

/** Whether the options are loaded, loading, failed to load, or depend on another answer that is missing. */
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
    /** Offers a type-ahead search for a list of more than `searchThreshold` options. */
    search?: ListSearchTexts | undefined
  }

const ready: SelectState = { kind: 'ready' }
const searchThreshold = 12
const longListLength = 50

/**
 * A native select with a label. Accepts the result of `register()`, or `value` and `onChange`.
 * A select without options cannot have the value of a saved answer. So `register()` gets no ref until the options have
 * loaded, and then a new select element, into which it writes the value.
 */
export function SelectField({ label, optionalLabel, hint, error, ...props }: SelectFieldProps) {
  const { options, placeholder, state = ready, search, ...select } = props
  const box = useRef<HTMLDivElement>(null)
  const fallback = useId()
  const id = select.id ?? select.name ?? fallback
  const isUnregistered = select.value === undefined && state.kind !== 'ready'
  return (
    <Field id={id} label={label} optionalLabel={optionalLabel} hint={hint} error={error}>
      {aria => (
        <>
          <div ref={box} className={styles.box}>
            <select
              {...select}
              key={isUnregistered ? 'unregistered' : 'registered'}
              ref={isUnregistered ? undefined : select.ref}
              id={id}
              className={classNames(control.control, styles.select)}
              aria-describedby={aria.describedBy}
              aria-invalid={aria.invalid || undefined}
              aria-busy={state.kind === 'loading' || undefined}
              data-state={state.kind === 'ready' ? undefined : state.kind}
            >
              {state.kind === 'ready' ? (
                <Options options={options} placeholder={placeholder} value={select.value} />
              ) : (
                <StateOption value={select.value} text={state.text} />
              )}
            </select>
            <Icon name="down" className={styles.arrow} />
          </div>
          {state.kind === 'failed' && <Retry box={box} state={state} />}
          {search && state.kind === 'ready' && options.length > searchThreshold && (
            <Search box={box} options={options} texts={search} />
          )}
        </>
      )}
    </Field>
  )
}

/** Writes the found value into the native select and dispatches a change event. */
function Search(props: {
  box: RefObject<HTMLDivElement | null>
  options: readonly SelectOption[]
  texts: ListSearchTexts
}) {
  const [open, setOpen] = useState(false)
  function finish(value: string | undefined) {
    setOpen(false)
    const select = props.box.current?.querySelector('select')
    select?.focus()
    if (!select || value === undefined) return
    select.value = value
    select.dispatchEvent(new Event('change', { bubbles: true }))
  }
  if (open) return <ListSearch options={props.options} texts={props.texts} onDone={finish} />
  return <OpenSearchButton label={props.texts.label} onOpen={() => setOpen(true)} />
}

/**
 * A screen with several long lists would block an old phone for a third of a second. So a long list with a `value`
 * first has the chosen option alone, and the others in a later render, which React interrupts for keys and taps.
 */
function Options({
  options,
  placeholder,
  value,
}: Pick<SelectFieldProps, 'options' | 'placeholder' | 'value'>) {
  const isWhole = value === undefined || options.length <= longListLength
  const chosen = options.filter(option => option.value === value)
  const first = isWhole ? options : chosen
  const deferred = useDeferredValue(options, first)
  // `deferred` may still be the list of another region: the select could not show the new value, now or later.
  const isOutdated = chosen.length > 0 && !deferred.some(option => option.value === value)
  const shown = isWhole || isOutdated ? first : deferred
  return (
    <>
      {placeholder !== undefined && <option value="">{placeholder}</option>}
      {shown.map(option => (
        <option key={option.value} value={option.value} disabled={option.disabled}>
          {option.label}
        </option>
      ))}
    </>
  )
}

/**
 * The only option while no options are loaded: it shows the text of the state. It has the current value, so that a controlled
 * select keeps it.
 */
function StateOption({ value, text }: { value: SelectFieldProps['value']; text: string }) {
  return (
    <option value={String(value ?? '')} disabled={value !== undefined}>
      {text}
    </option>
  )
}

type RetryProps = { box: RefObject<HTMLDivElement | null>; state: Extract<SelectState, { kind: 'failed' }> }

function Retry({ box, state }: RetryProps) {
  function retry() {
    // This button is gone while the list loads.
    box.current?.querySelector('select')?.focus()
    state.onRetry()
  }
  return (
    <output className={styles.retry}>
      <VisuallyHidden>{state.text}</VisuallyHidden>
      <Button variant="secondary" onClick={retry}>
        {state.retryLabel}
      </Button>
    </output>
  )
}
