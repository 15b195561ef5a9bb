interface Node {
  readonly type: string
  readonly value?: string
  readonly tagName?: string
  readonly properties?: object
  children?: Node[]
}

/** HTML in markdown is shown as it was written: the reader sees that it is there, and it does nothing. */
export function rawHtmlAsText(): (tree: Node) => void {
  return tree => {
    const pending = [tree]
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (node.children === undefined) continue
      const isBlock = node.type === 'root'
      node.children = node.children.map(child => {
        if (child.type !== 'raw') return child
        const text: Node = { type: 'text', value: child.value ?? '' }
        return isBlock ? { type: 'element', tagName: 'p', properties: {}, children: [text] } : text
      })
      pending.push(...node.children)
    }
  }
}
