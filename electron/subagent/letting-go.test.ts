import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { delegatesOnce, openTestTree, writes } from '../tree-fixture.ts'
import type { TestWorkbench } from '../workbench-fixture.ts'
import { listChildren } from './catalog/list-children.ts'

const open: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of open.splice(0)) await bench.dispose()
})

describe('a child that is let go', () => {
  it('is listed as what it became at once, not as its last checkpoint had it', async () => {
    const one = await openTestTree({ root: delegatesOnce({ background: true }), child: writes })
    open.push(one)
    const root = await one.root('ask')
    await one.send(root, 'Go')
    await one.until(async () => (await one.workbench.approvals.open()).length === 1)
    const [question] = await one.workbench.approvals.open()
    await setTimeout(150) // its checkpoint is written
    if (question === undefined) throw new Error('nothing was asked')

    await one.workbench.approvals.decide(question.sessionId, question.approval.approvalId, {
      kind: 'allow',
      scope: 'once',
    })
    const cold = new Set<string>()
    while (!cold.has('completed')) {
      const [row] = await listChildren(one.workbench.catalog, root, { with: ['facts'] })
      if (row?.kind === 'child' && row.activity === 'inactive') cold.add(row.facts?.outcome?.kind ?? 'none')
    }

    expect([...cold]).toEqual(['completed'])
  })
})
