import { expect, test } from '@playwright/test'
import { makeProject } from './journey.ts'
import { type LaunchedWorkbench, type LaunchOptions, launchWorkbench } from './launch.ts'

/** A project for the journeys of a file, removed after the last of them. */
export function oneProject(): { readonly folder: string } {
  const project = makeProject()
  test.afterAll(() => project.remove())
  return project
}

/** Launches the workbench of a journey. It ends with the journey, and then the policy of its page has refused nothing. */
export function oneWorkbench(): (options: LaunchOptions) => Promise<LaunchedWorkbench> {
  let current: LaunchedWorkbench | undefined
  test.afterEach(async () => {
    const violations = current?.violations() ?? []
    await current?.close()
    current = undefined
    expect(violations).toEqual([])
  })
  return async options => {
    current = await launchWorkbench(options)
    return current
  }
}
