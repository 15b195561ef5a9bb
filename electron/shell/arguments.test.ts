import { describe, expect, it } from 'vitest'
import { parseDesktopArguments } from './arguments.ts'

describe('the arguments of the desktop shell', () => {
  it('are found between those of Chromium', () => {
    const args = [
      '/app',
      '--no-sandbox',
      '--home',
      '/data',
      '--type=x',
      '--workspace=project',
      '--enable-features=A,B',
    ]

    expect(parseDesktopArguments(args, '/here')).toEqual({
      home: '/data',
      workspace: '/here/project',
      open: null,
    })
  })

  it('never come out of a link', () => {
    const args = ['/app', 'espalier://session/a', 'espalier:--home=/evil', '--home']

    expect(parseDesktopArguments(args, '/here')).toEqual({ home: undefined, workspace: null, open: 'a' })
  })
})
