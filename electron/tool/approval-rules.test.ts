import { describe, expect, it } from 'vitest'
import { APPROVAL_MODES, type ApprovalMode } from '#shared/session/approval-mode.ts'
import { needsApproval, type Rule, ruleOf } from './approval-rules.ts'
import { createBuiltInTools } from './built-in-tools.ts'
import { commandPattern } from './command-pattern.ts'
import type { Tool } from './tool.ts'

const cwd = '/tmp'
const tools = new Map(createBuiltInTools({ env: {} }).map(tool => [tool.name, tool]))
const named = (name: string): Tool => tools.get(name)!
const ask = (
  name: string,
  input: unknown,
  rest: { mode?: ApprovalMode; rules?: Rule[]; sessionRules?: Rule[] } = {},
) => needsApproval({ tool: named(name), input, cwd, mode: 'ask', rules: [], sessionRules: [], ...rest })

describe('approval', () => {
  const [R, A, X] = ['run', 'ask', 'refuse'] as const
  it.each([
    // read-only, ask, accept-edits, workspace, unattended
    ['read', { path: 'a.txt' }, [R, R, R, R, R]],
    ['read', { path: '../secret' }, [A, A, A, A, R]],
    ['glob', { pattern: '**/*' }, [R, R, R, R, R]],
    ['glob', { pattern: '/etc/*' }, [A, A, A, A, R]],
    ['grep', { pattern: 'x' }, [R, R, R, R, R]],
    ['grep', { pattern: 'x', path: '/etc' }, [A, A, A, A, R]],
    ['todo', { items: [] }, [R, R, R, R, R]],
    ['write', { path: 'a.txt', content: '' }, [X, A, R, R, R]],
    ['write', { path: '/etc/passwd', content: '' }, [X, A, A, A, A]],
    ['edit', { path: 'a.txt', oldText: 'a', newText: 'b' }, [X, A, R, R, R]],
    ['edit', { path: '../a.txt', oldText: 'a', newText: 'b' }, [X, A, A, A, A]],
    ['shell', { command: 'ls' }, [X, A, A, R, R]],
  ] as const)('of %s %o is, from mode to mode, %o', (name, input, verdicts) => {
    expect(APPROVAL_MODES.map(mode => ask(name, input, { mode }))).toEqual(verdicts)
  })

  it('refuses in a read-only session what was allowed elsewhere', () => {
    const rule = ruleOf(named('shell'), { command: 'ls' }, cwd)

    expect(ask('shell', { command: 'ls' }, { mode: 'read-only', rules: [rule] })).toBe('refuse')
  })

  it('holds in every folder where the rule names none', () => {
    const rule = { ...ruleOf(named('shell'), { command: 'npm test -u' }, '/elsewhere'), folder: null }
    const outside = { ...ruleOf(named('read'), { path: '../notes.md' }, '/elsewhere/deep'), folder: null }

    expect(ask('shell', { command: 'npm test --bail' }, { rules: [rule] })).toBe('run')
    expect(ask('read', { path: '/elsewhere/notes.md' }, { rules: [outside] })).toBe('run')
    expect(ask('read', { path: '../notes.md' }, { rules: [outside] })).toBe('ask')
  })

  it('holds for the same pattern in the same folder, of either scope', () => {
    const rule = ruleOf(named('shell'), { command: 'npm test --watch' }, cwd)

    expect(rule).toEqual({ pattern: 'shell: npm test *', folder: cwd })
    expect(ask('shell', { command: 'npm test -u' }, { rules: [rule] })).toBe('run')
    expect(ask('shell', { command: 'npm test -u' }, { sessionRules: [rule] })).toBe('run')
    expect(ask('shell', { command: 'npm test -u' }, { rules: [{ ...rule, folder: '/other' }] })).toBe('ask')
    expect(ask('shell', { command: 'npm test; rm -rf /' }, { rules: [rule] })).toBe('ask')
  })

  it('never covers a call outside with a rule made inside', () => {
    const inside = ruleOf(named('write'), { path: 'a.txt', content: '' }, cwd)
    const outside = ruleOf(named('write'), { path: '../a.txt', content: '' }, cwd)

    expect(inside.pattern).toBe('write: *')
    expect(outside.pattern).toBe('outside the folder, write: /a.txt')
    expect(ask('write', { path: 'b.txt', content: '' }, { rules: [inside] })).toBe('run')
    expect(ask('write', { path: '../a.txt', content: '' }, { rules: [inside] })).toBe('ask')
    expect(ask('write', { path: '../b.txt', content: '' }, { rules: [outside] })).toBe('ask')
  })

  it('covers reading files of a folder but not below it', () => {
    const rule = ruleOf(named('edit'), { path: 'src/a.ts', oldText: 'a', newText: 'b' }, cwd)

    expect(rule.pattern).toBe('edit: src/*')
    expect(ask('edit', { path: 'src/b.ts', oldText: 'a', newText: 'b' }, { rules: [rule] })).toBe('run')
    expect(ask('edit', { path: 'src/deep/b.ts', oldText: 'a', newText: 'b' }, { rules: [rule] })).toBe('ask')
  })
})

describe('command pattern', () => {
  it.each([
    ['npm test', 'npm test'],
    ['npm test --watch src', 'npm test *'],
    ['npm run build', 'npm run build'],
    ['npm run build --force', 'npm run build *'],
    ['npm install x', 'npm install x'],
    ['cargo test -p quill', 'cargo test *'],
    ['pytest -k name', 'pytest *'],
    ['make', 'make'],
    ['rm -rf build', 'rm -rf build'],
    ['git push --force', 'git push --force'],
    ['constructor x', 'constructor x'],
    ['npm test; rm x', 'npm test; rm x'],
    ['npm test && rm x', 'npm test && rm x'],
    ['npm test | sh', 'npm test | sh'],
    ['npm test `x`', 'npm test `x`'],
    ['npm test $(x)', 'npm test $(x)'],
    ['npm test > file', 'npm test > file'],
    ['npm test\nrm x', 'npm test\nrm x'],
    ["npm test 'a b'", "npm test 'a b'"],
    ['A=1 npm test', 'A=1 npm test'],
  ])('of %j is %j', (command, pattern) => {
    expect(commandPattern(command)).toBe(pattern)
  })
})
