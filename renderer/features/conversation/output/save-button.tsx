import { Button } from '../../../ui/button.tsx'
import { formatBytes } from '../../../ui/format.ts'
import type { OutputSource } from './output-source.ts'
import { useSave } from './use-save.ts'

interface SaveButtonProps {
  readonly source: OutputSource
  readonly size: number
  readonly name: string
}

/** "Save…", and while it is at it how far it is. */
export function SaveButton({ source, size, name }: SaveButtonProps) {
  const { saving, save, cancel } = useSave(source, name)
  if (saving.kind === 'saving')
    return (
      <>
        <span role="status">
          Saving {formatBytes(saving.saved)} of {formatBytes(size)}
        </span>
        <Button size="small" onClick={cancel}>
          Cancel
        </Button>
      </>
    )
  return (
    <>
      <Button size="small" variant="quiet" onClick={save}>
        Save…
      </Button>
      {saving.kind === 'failed' && <span role="alert">It could not be saved: {saving.failure.detail}</span>}
    </>
  )
}
