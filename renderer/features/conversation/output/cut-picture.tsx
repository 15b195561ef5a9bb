import { MarkdownImage } from '../../../markdown/markdown-image.tsx'
import { useCall } from '../../../store/use-call.ts'
import { formatBytes } from '../../../ui/format.ts'
import type { OutputSource } from './output-source.ts'
import styles from './output-viewer.module.css'
import { readWhole } from './save-output.ts'

const MOST_BYTES = 16_000_000
/** How the kinds that a page may show begin in base64. */
const KINDS: Readonly<Record<string, string>> = {
  iVBORw: 'image/png',
  '/9j/': 'image/jpeg',
  R0lGOD: 'image/gif',
  UklGR: 'image/webp',
}

interface CutPictureProps {
  readonly source: OutputSource
  readonly size: number
}

/** A picture that was too large to come with its event. */
export function CutPicture({ source, size }: CutPictureProps) {
  const called = useCall(`picture ${size}`, async signal =>
    size > MOST_BYTES ? '' : new TextDecoder().decode(await readWhole(source, signal)),
  )
  if (called.status === 'loading')
    return <p className={styles.more}>Reading a picture of {formatBytes(size)}</p>
  if (called.status === 'failed') return <p className={styles.problem}>A picture could not be read.</p>
  const kind = Object.entries(KINDS).find(([start]) => called.value.startsWith(start))?.[1]
  if (kind === undefined) return <p className={styles.more}>A picture of {formatBytes(size)}, not shown</p>
  return <MarkdownImage src={`data:${kind};base64,${called.value}`} alt="Picture" />
}
