import { describe, expect, it } from 'vitest'
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
  rest: { mode?: 'ask' | 'allow'; rules?: Rule[]; sessionRules?: Rule[] } = {},
) => needsApproval({ tool: named(name), input, cwd, mode: 'ask', rules: [], sessionRules: [], ...rest })

describe('approval', () => {
  it.each([
    ['read', { path: 'a.txt' }, 'run', 'run'],
    ['read', { path: '../secret' }, 'ask', 'ask'],
    ['glob', { pattern: '**/*' }, 'run', 'run'],
    ['glob', { pattern: '/etc/*' }, 'ask', 'ask'],
    ['grep', { pattern: 'x' }, 'run', 'run'],
    ['grep', { pattern: 'x', path: '/etc' }, 'ask', 'ask'],
    ['todo', { items: [] }, 'run', 'run'],
    ['write', { path: 'a.txt', content: '' }, 'ask', 'run'],
    ['write', { path: '/etc/passwd', content: '' }, 'ask', 'ask'],
    ['edit', { path: 'a.txt', oldText: 'a', newText: 'b' }, 'ask', 'run'],
    ['shell', { command: 'ls' }, 'ask', 'run'],
  ])('of %s %o is %s when asking and %s when allowing', (name, input, asking, allowing) => {
    expect(ask(name, input)).toBe(asking)
    expect(ask(name, input, { mode: 'allow' })).toBe(allowing)
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
    expect(outside.pattern).toBe('outside the folder, write: ../a.txt')
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
