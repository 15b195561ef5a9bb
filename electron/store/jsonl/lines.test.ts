import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StoredEvent } from '#shared/session/events.ts'
import { storableJson } from '#shared/session/fixtures/storable-json.ts'
import { readRow } from '../event-rows.ts'
import { ENCODINGS, MOST_FRAME_BYTES } from './encoding.ts'
import { damagedLine, eventLine, lineRow } from './line.ts'
import { LogIndex, readIndex } from './log-index.ts'
import { frameEnd, packFrame, unpackFrame } from './zstd-frames.ts'

const event = fc.record({
  seq: fc.nat(),
  time: fc.oneof(fc.integer({ min: 0 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
  type: fc.oneof(fc.constantFrom('turn/start', 'x"\\y', ''), fc.string({ unit: 'grapheme' })),
  data: storableJson,
  ignorable: fc.boolean(),
})

function lineOf({
  seq,
  time,
  type,
  data,
  ignorable,
}: Omit<StoredEvent, 'ignorable'> & { ignorable: boolean }) {
  return eventLine(
    ignorable ? { seq, time, type, ignorable: true } : { seq, time, type },
    JSON.stringify(data),
  )
}

describe('a line', () => {
  test('gives back its event, the text of its data byte for byte', () => {
    fc.assert(
      fc.property(event, one => {
        const line = lineOf(one)
        expect(line).not.toMatch(/[\r\n]/)
        const row = lineRow(line, 999)
        expect(row[3]).toBe(JSON.stringify(one.data))
        const { ignorable, ...rest } = one
        expect(readRow(row)?.event).toEqual(
          JSON.parse(JSON.stringify(ignorable ? { ...rest, ignorable } : rest)),
        )
      }),
      { numRuns: 2000 },
    )
  })

  test('reads the same when a person or a tool wrote it anew', () => {
    fc.assert(
      fc.property(event, one => {
        const object = JSON.parse(lineOf(one))
        const turned = JSON.stringify(Object.fromEntries(Object.entries(object).toReversed()))
        expect(readRow(lineRow(turned, 999))?.event).toEqual(readRow(lineRow(lineOf(one), 999))?.event)
      }),
    )
  })

  test('that holds no event is damage at the seq that is due, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.jsonValue().map(value => JSON.stringify(value)),
          fc.uint8Array(),
        ),
        line => {
          const row = lineRow(line, 7)
          if (typeof line !== 'string' || !line.includes('"seq"')) expect(row[0]).toBe(7)
          if (row[0] === 7) expect(readRow(row)).toBeNull()
        },
      ),
      { numRuns: 2000 },
    )
    expect(readRow(lineRow('{"seq":3,"time":1,"type":"x"}', 3))).toBeNull()
    expect(readRow(lineRow('{"seq":3,"time":1,"type":"x","data":{"a":}', 3))).toBeNull()
  })

  test('keeps a row that no line could hold, bytes too', () => {
    for (const row of [
      [4, 'yesterday', 'x', '{"a":1}', null],
      [4, 5, 'x', '{"turn":', 1],
      [4, 5, null, Buffer.from([0xff, 0, 0xfe]), null],
    ] as const) {
      expect(lineRow(damagedLine(4, row), 4)).toEqual(row)
      expect(readRow(lineRow(damagedLine(4, row), 4))).toBeNull()
    }
  })
})

describe('frames', () => {
  test('are found without being unpacked, and told apart from torn and broken ones (8.13.17)', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), fc.nat(), fc.nat(), (payload, cut, flip) => {
        const frame = packFrame(payload)
        expect(frameEnd(Buffer.concat([frame, frame]), 0)).toEqual({ kind: 'frame', to: frame.length })
        expect(unpackFrame(frame)?.equals(payload)).toBe(true)
        expect(frameEnd(frame.subarray(0, cut % frame.length), 0).kind).toMatch(/incomplete|invalid/)
        const broken = Buffer.from(frame)
        const at = flip % frame.length
        broken.writeUInt8(broken.readUInt8(at) ^ 1, at)
        const end = frameEnd(broken, 0)
        const unpacked = end.kind === 'frame' ? unpackFrame(broken.subarray(0, end.to)) : null
        // A flag that changes nothing is no damage.
        expect(unpacked === null || unpacked.equals(payload)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test('hold at most 64 KiB of lines, or one longer line alone', () => {
    const { pack, units } = ENCODINGS.zstd
    const lines = [10, 40_000, 20_000, 10_000, 200_000, 5, 65_536, 65_535, 1].map(length =>
      'x'.repeat(length),
    )
    const packed = pack(lines)
    const frames = [...units(packed.bytes, true)]
    expect(frames.flatMap(frame => frame.lines)).toEqual(lines)
    expect(frames.map(({ to, at }) => to - at)).toEqual(packed.units.map(({ bytes }) => bytes))
    for (const frame of frames)
      expect(frame.payload <= MOST_FRAME_BYTES || frame.lines.length === 1).toBe(true)
  })

  test('a frame that cannot be read costs that frame, and what follows is found again', () => {
    const { pack, units } = ENCODINGS.zstd
    const parts = ['a', 'b', 'c'].map(text => pack([text.repeat(100)]).bytes)
    const bytes = Buffer.concat(parts)
    const second = parts[0]?.length ?? 0
    for (let at = second; at < second + (parts[1]?.length ?? 0); at += 1) {
      const broken = Buffer.from(bytes)
      broken.writeUInt8(broken.readUInt8(at) ^ 0xff, at)
      const lines = [...units(broken, true)].flatMap(unit => unit.lines)
      expect(lines.at(0)).toBe('a'.repeat(100))
      expect(lines.at(-1)).toBe('c'.repeat(100))
      expect(lines).toHaveLength(3)
      expect(lines[1]).toBeInstanceOf(Uint8Array)
    }
  })
})

describe('the index', () => {
  test('reads back as it was stored, up to the first line that is broken', () => {
    const units = fc.array(
      fc.record({
        bytes: fc.integer({ min: 1, max: 100_000 }),
        types: fc.array(
          fc.constantFrom('turn/start', 'turn/end', 'subagent/descriptor', 'approval/asked', 'x'),
        ),
      }),
    )
    fc.assert(
      fc.property(units, fc.nat(), (all, cut) => {
        const index = new LogIndex()
        let seq = 0
        for (const { bytes, types } of all) {
          index.add(
            bytes,
            bytes,
            types.map((type, at) => ({ seq: seq + at, time: seq, type })),
          )
          seq += types.length
        }
        const text = index.text()
        expect(readIndex(text)).toEqual(index)
        const part = readIndex(text.slice(0, cut % (text.length + 1)))
        expect(index.groups.slice(0, part.groups.length)).toEqual(part.groups)
      }),
    )
    expect(readIndex('nonsense').groups).toEqual([])
  })
})
