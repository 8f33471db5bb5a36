import { useId, useState } from 'react'
import control from './control.module.css'
import styles from './list-search.module.css'
import { matchOptions, type Searchable } from './match-options.ts'

export interface ListSearchTexts {
  /** Of the button that opens the search, and of the search box. */
  label: string
  /** How many were found, and what is shown of them. */
  found: (count: number) => string
}

export interface FoundOption extends Searchable {
  value: string
}

interface ListSearchProps<Option extends FoundOption> {
  options: readonly Option[]
  texts: ListSearchTexts
  /** Called with the chosen value, or with nothing when the search is left. */
  onDone: (value: string | undefined) => void
}

const maxShown = 6

/**
 * Type-ahead for a list longer than a screen. What is found are plain buttons under the box: one tap, or Tab and
 * Enter; Enter in the box takes the first. The native list stays the one that holds the answer.
 */
export function ListSearch<Option extends FoundOption>({ options, texts, onDone }: ListSearchProps<Option>) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const found = matchOptions(options, typed)
  return (
    <div className={styles.search}>
      <label className={styles.label} htmlFor={id}>
        {texts.label}
      </label>
      <input
        id={id}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- opened by the applicant's own press: the box is what they asked for
        autoFocus
        type="search"
        autoComplete="off"
        spellCheck={false}
        className={control.control}
        value={typed}
        onChange={event => setTyped(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Escape') onDone(undefined)
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (found[0]) onDone(found[0].value)
        }}
      />
      <output className={styles.count} htmlFor={id}>
        {typed.trim() === '' ? '' : texts.found(found.length)}
      </output>
      {found.length > 0 && (
        <ul className={styles.results}>
          {found.slice(0, maxShown).map(option => (
            <li key={option.value}>
              <button type="button" className={styles.result} onClick={() => onDone(option.value)}>
                {option.label}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
