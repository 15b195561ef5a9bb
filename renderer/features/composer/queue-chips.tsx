import type { ProjectionValues } from '#shared/projection/units.ts'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import styles from './queue-chips.module.css'

type Queued = NonNullable<ProjectionValues['inbox']>[number]

interface QueueChipsProps {
  readonly messages: readonly Queued[]
  /** With `text`, the message goes back into the draft. */
  readonly onTakeBack: (messageId: string, text: string | null) => void
}

/** Messages accepted and not yet read, in the order in which they will be. */
export function QueueChips({ messages, onTakeBack }: QueueChipsProps) {
  if (messages.length === 0) return null
  return (
    <ul className={styles.queue} aria-label="Queued messages">
      {messages.map((message, index) => (
        <li key={message.messageId} className={styles.chip}>
          <Icon
            name={message.source.kind === 'person' ? 'clock' : 'branch'}
            size={14}
            className={styles.icon}
          />
          <span className={styles.when}>
            {message.mode === 'steer' ? 'Steers' : index === 0 ? 'Next' : 'Then'}
          </span>
          <bdi className={styles.text} title={message.text}>
            {message.text}
          </bdi>
          {message.source.kind === 'person' && (
            <>
              <IconButton
                size="small"
                icon="pencil"
                label="Edit queued message"
                onClick={() => onTakeBack(message.messageId, message.text)}
              />
              <IconButton
                size="small"
                icon="x"
                label="Remove queued message"
                onClick={() => onTakeBack(message.messageId, null)}
              />
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
