const KEY = 'espalier.token'

/** Survives a page whose storage is switched off, until it is loaded again. */
let remembered: string | null = null

/**
 * The token of this run: from the address's fragment (and out of the address bar at once, so that it is not copied
 * or kept in the browser's history), else as this tab kept it. `null`: this page was opened without one.
 */
export function takeToken(): string | null {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const given = fragment.get('token')
  if (!given) return remembered ?? stored()
  fragment.delete('token')
  const rest = fragment.toString()
  history.replaceState(history.state, '', location.pathname + location.search + (rest && `#${rest}`))
  keepToken(given)
  return given
}

export function keepToken(token: string): void {
  remembered = token
  try {
    sessionStorage.setItem(KEY, token)
  } catch {
    // Storage is switched off for this page: a reload needs the printed address again.
  }
}

function stored(): string | null {
  try {
    return sessionStorage.getItem(KEY)
  } catch {
    return null // switched off, as above
  }
}
