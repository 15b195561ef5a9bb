import { useEffect } from 'react'
import { useWorkbench } from '../store/app-context.tsx'
import { useMedia } from './use-media.ts'

/** Puts theme, contrast, platform and visibility on the page's root, where the tokens read them. */
export function useTheme(): void {
  const theme = useWorkbench(state => state.settings?.theme ?? 'system')
  const contrast = useWorkbench(state => state.settings?.contrast ?? 'system')
  const shell = useWorkbench(state => state.host?.shell ?? (window.espalier ? 'desktop' : 'browser'))
  const platform = useWorkbench(state => state.host?.platform ?? window.espalier?.platform ?? '')
  const wantsMore = useMedia('(prefers-contrast: more)')

  useEffect(() => {
    const { dataset } = document.documentElement
    dataset['theme'] = theme
    dataset['contrast'] = contrast === 'more' || (contrast === 'system' && wantsMore) ? 'more' : 'normal'
    dataset['shell'] = shell
    dataset['platform'] = platform
  }, [theme, contrast, wantsMore, shell, platform])

  useEffect(() => {
    const note = () => document.documentElement.toggleAttribute('data-hidden', document.hidden)
    document.addEventListener('visibilitychange', note)
    return () => document.removeEventListener('visibilitychange', note)
  }, [])
}
