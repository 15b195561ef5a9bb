import { memo, useState } from 'react'
import styles from './markdown.module.css'
import { openBlock, settledBlock } from './markdown-block.tsx'
import { createBlockSplitter } from './split-blocks.ts'

interface MarkdownTextProps {
  readonly text: string
  /** The last block may still grow. */
  readonly live?: boolean
}

/** Hostile markdown as text. A block that is finished is rendered once and never again. */
export const MarkdownText = memo(function MarkdownText({ text, live = false }: MarkdownTextProps) {
  const [split] = useState(createBlockSplitter)
  const blocks = split(text)
  return (
    <div className={styles.markdown}>
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a settled block keeps its place
        <Block key={index} text={block} open={live && index === blocks.length - 1} />
      ))}
    </div>
  )
})

const Block = memo(function Block({ text, open }: { readonly text: string; readonly open: boolean }) {
  return open ? openBlock(text) : settledBlock(text)
})
