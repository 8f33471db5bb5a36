import { useId, useState } from 'react'
import { classNames } from './class-names.ts'
import control from './control.module.css'
import { Icon } from './icon.tsx'
import styles from './list-search.module.css'
import { matchOptions, type Searchable } from './match-options.ts'

export interface ListSearchTexts {
  /** Label of the button that opens the search, and of the search field. */
  label: string
  hint?: string | undefined
  /** Returns the text for the number of results. */
  found: (count: number) => string
}

export interface FoundOption extends Searchable {
  value: string
}

interface ListSearchProps<Option extends FoundOption> {
  options: readonly Option[]
  texts: ListSearchTexts
  /**
   * The search is a separate field, which may be shown from the start. Otherwise it is part of another field, and replaces the
   * button that opened it.
   */
  isSeparateField?: boolean | undefined
  /** Moves the focus into the field, which replaces the button that opened it. */
  isFocused?: boolean | undefined
  /** Called with the chosen value, or with undefined when the applicant presses Escape. */
  onDone: (value: string | undefined) => void
}

/** All seven places of Yaoundé; no other town has more. */
const maxShown = 7

/**
 * Type-ahead search for a long list. The results are buttons below the search field: one tap, or Tab and Enter. Enter
 * in the search field chooses the first result. The search keeps no choice: `onDone` hands it to the caller.
 */
export function ListSearch<Option extends FoundOption>(props: ListSearchProps<Option>) {
  const { options, texts, isSeparateField = false, isFocused = !isSeparateField } = props
  const id = useId()
  const [query, setQuery] = useState('')
  const found = matchOptions(options, query)

  function finish(value: string | undefined) {
    setQuery('')
    props.onDone(value)
  }

  return (
    <div className={classNames(styles.search, isSeparateField && styles.separateField)}>
      {/* The button that reads the page aloud reads a label only if it has `data-listen`. */}
      <label className={styles.label} htmlFor={id} data-listen>
        {texts.label}
      </label>
      {texts.hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {texts.hint}
        </p>
      )}
      <input
        id={id}
        aria-describedby={texts.hint && `${id}-hint`}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the applicant has pressed the button that opens this field
        autoFocus={isFocused}
        type="search"
        autoComplete="off"
        spellCheck={false}
        className={control.control}
        value={query}
        onChange={event => setQuery(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Escape') finish(undefined)
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (found[0]) finish(found[0].value)
        }}
      />
      <output className={styles.count} htmlFor={id}>
        {query.trim() === '' ? '' : texts.found(found.length)}
      </output>
      {found.length > 0 && (
        <ul className={styles.results}>
          {found.slice(0, maxShown).map(option => (
            <li key={option.value}>
              <button type="button" className={styles.result} onClick={() => finish(option.value)}>
                {option.label}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Opens a search in place of this button. */
export function OpenSearchButton({ label, onOpen }: { label: string; onOpen: () => void }) {
  return (
    <button type="button" className={styles.open} onClick={onOpen}>
      <Icon name="search" />
      {label}
    </button>
  )
}
