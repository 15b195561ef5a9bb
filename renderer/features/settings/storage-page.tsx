import { useWorkbench } from '../../store/app-context.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { PageHead } from './page-head.tsx'

/** What uses space, and what can be brought back or deleted for good. */
export function StoragePage() {
  const host = useWorkbench(state => state.host)
  return (
    <>
      <PageHead title="Storage" text="Everything Espalier keeps is in one folder of this computer." />
      {host !== null && (
        <Facts>
          <Fact name="Data folder">{host.dataFolder}</Fact>
        </Facts>
      )}
    </>
  )
}
