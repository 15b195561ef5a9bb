import type { Banner } from '#shared/banner.ts'
import type { Frame } from '#shared/frames.ts'
import type { SessionId } from '#shared/session/ids.ts'

const alert = (text: string, action?: Banner['action']): Banner => ({
  level: 'alert',
  text,
  ...(action && { action }),
})

/** What a host says when something is wrong with its data folder: as long as the real sentences are. */
const BANNERS: Readonly<Record<string, Banner>> = {
  full: alert(
    'The disk is full: what happens now cannot be saved. Nothing is lost while Espalier stays open; agents wait. Free some space where the data folder is; saving then goes on by itself.',
    { call: 'open-storage', label: 'What uses space' },
  ),
  readonly: alert(
    'The data folder cannot be written to: what happens now cannot be saved. Nothing is lost while Espalier stays open; agents wait. Make it writable again; saving then goes on by itself.',
    { call: 'retry', label: 'Try now' },
  ),
  locked: alert(
    'Another program has locked the session database: what happens now cannot be saved yet. Nothing is lost while Espalier stays open; agents wait. Saving goes on by itself when that program lets go of it or is closed.',
    { call: 'retry', label: 'Try now' },
  ),
  failing: alert(
    'The disk refuses to be written to: what happens now cannot be saved. Nothing is lost while Espalier stays open; agents wait. Check the disk, its quota and its connection; saving goes on by itself when it answers again.',
    { call: 'retry', label: 'Try now' },
  ),
  slow: alert(
    'Saving takes unusually long: the disk has not answered for a while. Nothing is lost while Espalier stays open; agents wait. If this does not pass, see whether the disk of the data folder is busy or disconnected.',
  ),
  damaged: {
    ...alert(
      'The session database was damaged; what can be read was saved into a new one. 5199 of 5204 sessions are whole. “Refactor the parser” lost 9 of 40 events. “Audit the parser” lost 7 of 60 events. Session c41d70e2 lost all 12 events. 2 more are incomplete. The damaged file is kept (damaged/espalier-20261130T160025135Z.db). The newest backup is from 29 Nov 2026, 09:12.',
      { call: 'restore-backup', label: 'Restore backup…', name: 'espalier-20261129T091200000Z-daily.db' },
    ),
    dismissible: true,
  },
  newer: alert(
    'These sessions were written by a newer Espalier: they can be looked at, and nothing can be changed. Update Espalier to go on with them.',
  ),
  record: alert('The record of “Record damaged” has a gap; what can be read of it is shown.', {
    call: 'open-diagnostics',
    label: 'Show what is wrong',
    sessionId: '0199aa00-dead-7000-8000-00000badc0de' as SessionId,
  }),
  migrated: {
    level: 'status',
    text: 'The session database was brought up to date; a backup was made before.',
    dismissible: true,
  },
}

/** By the names in the address: `banners=full,damaged`. Unknown ones are passed over. */
export function bannerFrames(names: readonly string[]): Frame[] {
  return names.flatMap(id => {
    const banner = BANNERS[id]
    return banner === undefined ? [] : [{ kind: 'banner' as const, id, banner }]
  })
}
