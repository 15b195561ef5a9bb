import styles from './settings.module.css'

interface ChoiceGroupProps<T extends string> {
  readonly name: string
  readonly value: T
  readonly choices: readonly { readonly value: T; readonly label: string; readonly text?: string }[]
  readonly onChange: (value: T) => void
}

/** One of a few: native radio buttons, so that every key and reader knows them. */
export function ChoiceGroup<T extends string>({ name, value, choices, onChange }: ChoiceGroupProps<T>) {
  return (
    <fieldset className={styles.choices}>
      <legend>{name}</legend>
      {choices.map(choice => (
        <label key={choice.value} className={styles.choice}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          <span>
            {choice.label}
            {choice.text !== undefined && <small>{choice.text}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
