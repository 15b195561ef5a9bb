import type { BrowserContext } from '@playwright/test'

const REPORT = '__policyBroken'

/** Collects what the page's policy refuses, in every page of the context. Call it before one is opened. */
export async function watchPolicy(context: BrowserContext): Promise<readonly string[]> {
  const violations: string[] = []
  await context.exposeBinding(REPORT, (_source, what: string) => violations.push(what))
  await context.addInitScript(report => {
    document.addEventListener('securitypolicyviolation', event => {
      const tell: unknown = Reflect.get(window, report)
      if (typeof tell === 'function')
        tell(`${event.violatedDirective}: ${event.blockedURI || event.sourceFile}`)
    })
  }, REPORT)
  return violations
}
