import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createToyWorkbench } from '../../../e2e/support/toy-workbench.ts'
import type { Log } from '../../log.ts'
import { readEnvelope } from './envelope.ts'
import { createPeerHost } from './peer.ts'

function start() {
  const lines: string[] = []
  const sent: string[] = []
  const log: Log = { info: () => {}, warn: text => lines.push(text), error: text => lines.push(text) }
  const toy = createToyWorkbench()
  const host = createPeerHost(toy.router, log)
  const closed: string[] = []
  const connect = () =>
    host.connect({
      send: async text => {
        sent.push(text)
      },
      close: reason => closed.push(reason),
    })
  return { toy, host, connect, sent, lines, closed }
}

const ask = (i: string) => JSON.stringify({ i, p: { u: '/diagnostics/host' } })
const subscribe = (i: string) =>
  JSON.stringify({
    i,
    p: { u: '/stream/subscribe', b: { json: { subscription: 's', watch: { open: [], listed: [] } } } },
  })

describe('a peer', () => {
  it('answers a request', async () => {
    const { connect, sent } = start()

    connect().receive(ask('1'))

    await vi.waitFor(() => expect(sent).toHaveLength(1))
    expect(JSON.parse(sent[0]!)).toMatchObject({ i: '1', p: { b: { json: { version: '0.0.0-toy' } } } })
  })

  it('drops what is no message, counts it, says so once and goes on', async () => {
    const { connect, host, sent, lines } = start()
    const peer = connect()
    const junk = [
      '',
      'x',
      '{',
      '[]',
      'null',
      '{"i":1,"p":{"u":"/x"}}',
      '{"i":"1"}',
      '{"i":"1","p":null}',
      7,
      null,
    ]
    const worse = [
      { i: '1', p: { u: 'http://elsewhere/' } },
      { i: '1', p: { u: '/a/../b' } },
      { i: '1', p: { u: '/x', h: { 'content-type': 5 } } },
      { i: '1', p: { u: '/x', m: 'GET' } },
      { i: '1', t: 2, p: {} },
      { i: 'x'.repeat(65), p: { u: '/x' } },
    ].map(message => JSON.stringify(message))

    for (const message of [...junk, ...worse, Buffer.from(ask('1'))]) peer.receive(message)
    peer.receive(ask('2'))

    await vi.waitFor(() => expect(sent).toHaveLength(1))
    expect(host.undecodable()).toBe(junk.length + worse.length + 1)
    expect(lines).toEqual(['A message that is none was dropped; further ones are only counted.'])
  })

  it('never fails on any text', () => {
    const { connect } = start()
    const peer = connect()
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.anything()), message => {
        peer.receive(message)
        expect(readEnvelope(message) === null || typeof message === 'string').toBe(true)
      }),
    )
  })

  it('aborts the handlers of a connection that goes, and of no other', async () => {
    const { connect, toy, sent } = start()
    const [one, two] = [connect(), connect()]
    one.receive(subscribe('1'))
    two.receive(subscribe('1'))
    await vi.waitFor(() => expect(sent).toHaveLength(4))

    one.gone()

    await vi.waitFor(() => expect(toy.streams).toEqual({ open: 1, aborted: 1 }))
    one.receive(ask('9'))
    two.gone()
    await vi.waitFor(() => expect(toy.streams).toEqual({ open: 0, aborted: 2 }))
    expect(toy.connections).toEqual([])
  })

  it('aborts one handler when its caller cancels', async () => {
    const { connect, toy, sent } = start()
    const peer = connect()
    peer.receive(subscribe('1'))
    await vi.waitFor(() => expect(sent).toHaveLength(2))

    peer.receive(JSON.stringify({ i: '1', t: 4 }))

    await vi.waitFor(() => expect(toy.streams).toEqual({ open: 0, aborted: 1 }))
  })

  it('ends a connection that asks for too much at once', async () => {
    const { connect, closed } = start()
    const peer = connect()

    for (let i = 0; i <= 1_000; i += 1) peer.receive(subscribe(String(i)))

    expect(closed).toEqual(['Too many requests at once.'])
    peer.gone()
  })
})
