import { Icon } from '../ui/icon.tsx'
import styles from './markdown.module.css'
import { imageSource } from './safe-url.ts'

/**
 * Bytes that came with the message are shown. An image of the network is never fetched by the page: its
 * placeholder names the host and opens it outside.
 */
export function MarkdownImage({ src, alt }: { readonly src: string | undefined; readonly alt: string }) {
  const source = imageSource(src)
  if (source === null)
    return <span className={styles.image}>{alt === '' ? 'Image that cannot be shown' : alt}</span>
  if (source.kind === 'inline') return <img className={styles.picture} src={source.src} alt={alt} />
  return (
    <a
      className={styles.image}
      href={source.href}
      title={source.href}
      target="_blank"
      rel="noopener noreferrer"
    >
      <Icon name="image" size={14} />
      <span>Image from {source.host}, not loaded</span>
      <Icon name="external" size={12} />
      {alt !== '' && <span className={styles.alt}>{alt}</span>}
    </a>
  )
}
