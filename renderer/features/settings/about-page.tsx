import { useWorkbench } from '../../store/app-context.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { PageHead } from './page-head.tsx'

export function AboutPage() {
  const host = useWorkbench(state => state.host)
  return (
    <>
      <PageHead title="About" text="Espalier keeps everything on this computer." />
      {host !== null && (
        <Facts>
          <Fact name="Version">{host.version}</Fact>
          <Fact name="Shell">{host.shell}</Fact>
          <Fact name="System">{host.platform}</Fact>
          <Fact name="Data folder">{host.dataFolder}</Fact>
        </Facts>
      )}
    </>
  )
}
