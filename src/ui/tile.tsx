import { type ComponentProps, Fragment, type ReactNode } from 'react'
import choice from './choice.module.css'
import { classNames } from './class-names.ts'
import { Fieldset, type FieldTexts } from './field.tsx'
import { checkedness } from './radio-group.tsx'
import styles from './tile.module.css'

interface TileOption {
  value: string
  label: string
  detail?: ReactNode | undefined
  /** A logo or an amount at the end of the tile. */
  aside?: ReactNode | undefined
  disabled?: boolean | undefined
  /** Shown directly under the tile, also when the option is not chosen: give it only to the chosen option. */
  content?: ReactNode | undefined
}

type TileGroupProps = Omit<ComponentProps<'input'>, 'className' | 'style' | 'type' | 'children' | 'name'> &
  FieldTexts & {
    name: string
    options: readonly TileOption[]
  }

/**
 * Large radio buttons, such as payment methods. Accepts the result of `register()`, or `value` and `onChange`. `data-listen`:
 * the button that reads the page aloud reads the text of the tile, and the detail as a text of its own.
 */
export function TileGroup({ label, optionalLabel, hint, error, options, ...props }: TileGroupProps) {
  const { id = props.name, value, defaultValue, ...input } = props
  return (
    <Fieldset id={id} label={label} optionalLabel={optionalLabel} hint={hint} error={error}>
      {() => (
        <div className={styles.tiles}>
          {options.map(option => (
            <Fragment key={option.value}>
              <label
                className={classNames(choice.row, styles.tile, option.content ? styles.open : undefined)}
                data-listen
              >
                <input
                  {...input}
                  type="radio"
                  value={option.value}
                  className={choice.radio}
                  disabled={option.disabled ?? input.disabled}
                  {...checkedness(option.value, value, defaultValue)}
                />
                <span className={choice.words}>
                  <span className={styles.label}>{option.label}</span>
                  {option.detail && (
                    <span className={choice.detail} data-listen>
                      {option.detail}
                    </span>
                  )}
                </span>
                {option.aside && <span className={styles.aside}>{option.aside}</span>}
              </label>
              {option.content && <div className={styles.content}>{option.content}</div>}
            </Fragment>
          ))}
        </div>
      )}
    </Fieldset>
  )
}
