import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from './log.ts'
import { openSettings, settingsProblems } from './settings-store.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-settings-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('settings of an earlier Espalier', () => {
  it('are read with its word for everything within the folder, and its rules hold where they held', () => {
    const allowed = [{ pattern: 'shell: npm test *', folder: '/here' }]
    writeFileSync(
      join(folder, 'settings.json'),
      JSON.stringify({ theme: 'dark', approvalMode: 'allow', allowed }),
    )

    expect(settingsProblems(folder)).toEqual([])
    const settings = openSettings(folder, silentLog)

    expect(settings.get()).toMatchObject({ theme: 'dark', approvalMode: 'workspace' })
    expect(settings.allowed()).toEqual(allowed)
    expect(readdirSync(folder)).toEqual(['settings.json'])
  })
})

describe('a rule', () => {
  it('for one folder and one for all are two, and both are read again', () => {
    const rules = [
      { pattern: 'shell: ls', folder: '/here' },
      { pattern: 'shell: ls', folder: null },
    ]
    const settings = openSettings(folder, silentLog)
    for (const rule of [...rules, ...rules]) settings.allow(rule)

    expect(openSettings(folder, silentLog).allowed()).toEqual(rules)
  })
})
