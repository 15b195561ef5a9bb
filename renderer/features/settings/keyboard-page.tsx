import { Keys } from '../../ui/kbd.tsx'
import { PageHead } from './page-head.tsx'
import styles from './settings.module.css'

export type Places = readonly {
  readonly place: string
  readonly items: readonly { readonly keys: readonly string[]; readonly text: string }[]
}[]

export function KeyboardPage({ places }: { readonly places: Places }) {
  return (
    <>
      <PageHead title="Keyboard" text="Everything can be done without a pointer." />
      {places.map(({ place, items }) => (
        <section key={place} className={styles.keysOf} aria-label={place}>
          <h3>{place}</h3>
          {items.map(({ keys, text }) => (
            <div key={text} className={styles.keyLine}>
              <span>{text}</span>
              <Keys keys={keys} />
            </div>
          ))}
        </section>
      ))}
    </>
  )
}
