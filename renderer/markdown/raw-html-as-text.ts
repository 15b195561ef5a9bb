interface Node {
  readonly type: string
  readonly value?: string
  children?: Node[]
}

/** HTML in markdown is shown as it was written: the reader sees that it is there, and it does nothing. */
export function rawHtmlAsText(): (tree: Node) => void {
  return tree => {
    const pending = [tree]
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (node.children === undefined) continue
      node.children = node.children.map(child =>
        child.type === 'raw' ? { type: 'text', value: child.value ?? '' } : child,
      )
      pending.push(...node.children)
    }
  }
}
