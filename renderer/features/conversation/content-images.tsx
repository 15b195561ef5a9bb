import type { Content } from '#shared/session/content.ts'
import { MarkdownImage } from '../../markdown/markdown-image.tsx'
import styles from './content-images.module.css'

/** Pictures that came with a message, of the kinds a page may show. */
export function ContentImages({ content }: { readonly content: Content }) {
  const images = content.filter(block => block.type === 'image')
  if (images.length === 0) return null
  return (
    <div className={styles.images}>
      {images.map((image, index) => (
        <MarkdownImage
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks of a logged message never move
          key={index}
          src={`data:${image.mediaType};base64,${image.data}`}
          alt={`Picture ${index + 1}`}
        />
      ))}
    </div>
  )
}
