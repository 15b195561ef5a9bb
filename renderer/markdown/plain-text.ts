import { isValidElement, type ReactNode } from 'react'

/** The words of rendered elements. */
export function plainText(node: ReactNode): string {
  if (typeof node === 'string') return node
  if (typeof node === 'number') return String(node)
  if (Array.isArray(node)) return node.map(plainText).join('')
  return isValidElement<{ readonly children?: ReactNode }>(node) ? plainText(node.props.children) : ''
}
