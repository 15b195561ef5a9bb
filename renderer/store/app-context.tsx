import { createContext, type ReactNode, useContext } from 'react'
import { useStore } from 'zustand'
import type { App } from './app.ts'
import type { State } from './state.ts'

const AppContext = createContext<App | null>(null)

export function AppProvider({ app, children }: { readonly app: App; readonly children: ReactNode }) {
  return <AppContext value={app}>{children}</AppContext>
}

/** The store, the client and the loaders of this window: what actions take. */
export function useApp(): App {
  const app = useContext(AppContext)
  if (app === null) throw new Error('useApp is used outside AppProvider')
  return app
}

/** The selector returns an existing reference: it builds nothing. */
export function useWorkbench<T>(selector: (state: State) => T): T {
  return useStore(useApp().store, selector)
}
