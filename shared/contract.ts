import { eventIterator, oc } from '@orpc/contract'
import { z } from 'zod'
import { backupSchema, doctorReportSchema, restoredSchema, restoreSchema } from './contract/backups.ts'
import { bannerRefSchema } from './contract/banner-calls.ts'
import { exportShapes } from './contract/export-shapes.ts'
import { outputPartSchema, outputRangeSchema, textRangeSchema } from './contract/history-shapes.ts'
import { queryShapes } from './contract/query-shapes.ts'
import { searchShapes, searchStatusSchema } from './contract/search.ts'
import {
  historyPageSchema,
  recordReportSchema,
  sessionDetailSchema,
  sessionSummarySchema,
  unreadableSessionSchema,
} from './contract/session-shapes.ts'
import { storageStateSchema, trashedTreeSchema } from './contract/storage-shapes.ts'
import { type ErrorCode, SUBAGENT_ERROR_CODES, WORKBENCH_ERROR_CODES } from './errors.ts'
import { frameBatchSchema, watchSchema } from './frames.ts'
import { openApprovalSchema } from './projection/units/approvals.ts'
import { approvalModeSchema } from './session/approval-mode.ts'
import { contentSchema } from './session/content.ts'
import { approvalDecisionSchema, modelRouteSchema, storedEventSchema } from './session/events.ts'
import { localIdSchema, sessionIdSchema } from './session/ids.ts'
import { limitsSchema, providerSettingsSchema, settingsSchema } from './settings.ts'
import {
  listExtraSchema,
  subagentDescendantEntrySchema,
  subagentListEntrySchema,
} from './subagent/catalog-entry.ts'

/**
 * The one contract between the workbench and whoever looks at it: windows over a MessagePort or a WebSocket,
 * the command line over a local socket. Adding a call touches this file and `electron/rpc/`.
 */

type ErrorMap = Record<
  ErrorCode,
  { readonly data: z.ZodOptional<z.ZodObject<{ incident: z.ZodOptional<z.ZodString> }>> }
>

/** Typed errors: `code` from the closed list, `message` one sentence for people. `incident` is found in the log. */
const errors = Object.fromEntries(
  [...WORKBENCH_ERROR_CODES, ...SUBAGENT_ERROR_CODES].map(code => [
    code,
    { data: z.object({ incident: z.string().optional() }).optional() },
  ]),
) as ErrorMap

const call = oc.errors(errors)
const session = z.object({ sessionId: sessionIdSchema })
const nothing = z.object({})
const sessionCount = z.object({ sessions: z.number() })
const deliveryMode = z.enum(['queue', 'steer'])
const accepted = z.object({ messageId: localIdSchema })

export const importReportSchema = z.object({
  source: z.string(),
  sessions: z.number(),
  children: z.number(),
  /** Already there, from an earlier run. */
  unchanged: z.number(),
  skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
  /** Ids of the root sessions of this source, new or already there. */
  roots: z.array(sessionIdSchema),
})
export type ImportReport = z.infer<typeof importReportSchema>

export const providerStatusSchema = providerSettingsSchema.extend({
  /** `false`: `problem` says what is missing. */
  ready: z.boolean(),
  problem: z.string().nullable(),
  /** Where the key comes from. */
  key: z.enum(['none', 'keychain', 'environment', 'not-needed']),
})
export type ProviderStatus = z.infer<typeof providerStatusSchema>

export const hostInfoSchema = z.object({
  version: z.string(),
  shell: z.enum(['desktop', 'browser']),
  platform: z.string(),
  dataFolder: z.string(),
  homeFolder: z.string(),
  /** The folder given at the start, if any. */
  workspace: z.string().nullable(),
  /** Running children of all roots, and the limit per root. */
  running: z.number(),
  runningLimit: z.number(),
  firstRun: z.boolean(),
  sampleRootId: sessionIdSchema.nullable(),
})
export type HostInfo = z.infer<typeof hostInfoSchema>

export const pendingApprovalSchema = z.object({
  sessionId: sessionIdSchema,
  rootId: sessionIdSchema,
  /** Who asks. */
  label: z.string(),
  /** Labels from the root to the parent of the asking session; empty for a root. */
  path: z.array(z.string()),
  cwd: z.string().nullable(),
  approval: openApprovalSchema,
})
export type PendingApproval = z.infer<typeof pendingApprovalSchema>

export const contract = {
  sessions: {
    /** Roots, newest first by last activity: those that are not archived, those that are, or, with `too`, both. */
    list: call
      .input(z.object({ archived: z.union([z.boolean(), z.literal('too')]).optional() }))
      .output(
        z.object({ sessions: z.array(sessionSummarySchema), unreadable: z.array(unreadableSessionSchema) }),
      ),
    get: call.input(session).output(sessionDetailSchema),
    /** From the top of its tree down to it, and where each of its events was first written. */
    trace: call.input(session).output(queryShapes.trace),
    create: call
      .input(
        z.object({
          cwd: z.string(),
          route: modelRouteSchema.optional(),
          approvalMode: approvalModeSchema.optional(),
        }),
      )
      .output(session),
    /** A new root with this history. Also what "Continue in a new session" does. */
    fork: call.input(session.extend({ atSeq: z.number().int().optional() })).output(session),
    rename: call.input(session.extend({ title: z.string().trim().min(1).max(200) })).output(nothing),
    /** With everything delegated below it; taken back, exactly what was archived together. */
    archive: call.input(session.extend({ archived: z.boolean() })).output(sessionCount),
    /**
     * The whole tree, undoable. While work runs in it, `WORK_RUNNING` unless it is to be stopped: then nothing was
     * changed. Questions that wait for a person stay open in it.
     */
    trash: call.input(session.extend({ stopRunning: z.boolean().default(false) })).output(sessionCount),
    /** Everything that went into the trash together. */
    restore: call.input(session).output(sessionCount),
    /** What is in the trash, the latest first. */
    trashed: call.output(z.object({ trees: z.array(trashedTreeSchema) })),
    /** Deletes for good what is in the trash with it. Backups still hold it. */
    purge: call.input(session).output(sessionCount),
    setModel: call.input(session.extend({ route: modelRouteSchema })).output(nothing),
    /** Of a root: what it, and what it delegates from now on, does unasked. */
    setApprovalMode: call.input(session.extend({ mode: approvalModeSchema })).output(nothing),
  },
  history: {
    page: call
      .input(
        session.extend({
          before: z.number().int().nonnegative().optional(),
          limit: z.number().int().min(1).max(1000).default(200),
        }),
      )
      .output(historyPageSchema),
    /** Events from `from` on, in order, shortened as in a page. */
    events: call.input(queryShapes.range).output(queryShapes.events),
    /** One event, shortened as in a page where it is too long. */
    event: call.input(session.extend({ seq: z.number().int().nonnegative() })).output(storedEventSchema),
    /** A part of a text that a page or a frame shortened. `BAD_REQUEST`: there is no such text. */
    text: call.input(textRangeSchema).output(outputPartSchema),
    /** A part of what a call put out. `BAD_REQUEST`: this session has no such output. */
    output: call.input(outputRangeSchema).output(outputPartSchema),
  },
  subagents: {
    children: call
      .input(z.object({ parentId: sessionIdSchema, with: z.array(listExtraSchema).default([]) }))
      .output(z.object({ entries: z.array(subagentListEntrySchema) })),
    descendants: call
      .input(z.object({ rootId: sessionIdSchema, with: z.array(listExtraSchema).default([]) }))
      .output(z.object({ entries: z.array(subagentDescendantEntrySchema) })),
    /** Queued as that child's next turn; a cold continuable child is resumed for it. */
    send: call
      .input(
        z.object({ childId: sessionIdSchema, content: contentSchema, mode: deliveryMode.default('queue') }),
      )
      .output(accepted),
    /** Takes up a turn that failed, met a limit or was interrupted, with nothing new said. */
    retry: call.input(z.object({ childId: sessionIdSchema })).output(nothing),
    /** Stops the current turn and keeps the inbox. */
    interrupt: call.input(z.object({ childId: sessionIdSchema })).output(nothing),
    /** Stops a session and everything under it. */
    stopTree: call.input(session).output(z.object({ stopped: z.number() })),
    unqueue: call.input(z.object({ childId: sessionIdSchema, messageId: localIdSchema })).output(nothing),
  },
  agents: {
    /** Roots only: a session with `origin: 'subagent'` is refused from its header alone. */
    prompt: call
      .input(session.extend({ content: contentSchema, mode: deliveryMode.default('queue') }))
      .output(accepted),
    /** As `subagents.retry`. */
    retry: call.input(session).output(nothing),
    cancel: call.input(session).output(nothing),
    unqueue: call.input(session.extend({ messageId: localIdSchema })).output(nothing),
  },
  stream: {
    /** One per window. Ends with the connection; the window's id for it is used by the other two calls. */
    subscribe: call
      .input(z.object({ subscription: localIdSchema, watch: watchSchema }))
      .output(eventIterator(frameBatchSchema)),
    watch: call.input(z.object({ subscription: localIdSchema, watch: watchSchema })).output(nothing),
    acknowledge: call
      .input(z.object({ subscription: localIdSchema, batch: z.number().int() }))
      .output(nothing),
  },
  banners: {
    /** Tries again what a banner is about; fails as that fails. */
    retry: call.input(bannerRefSchema).output(nothing),
    /** Puts a dismissible banner away, in all windows. */
    dismiss: call.input(bannerRefSchema).output(nothing),
  },
  approvals: {
    open: call.output(z.object({ approvals: z.array(pendingApprovalSchema) })),
    /** Deciding a question of a session that is not running resumes it at that call. */
    decide: call
      .input(session.extend({ approvalId: localIdSchema, decision: approvalDecisionSchema }))
      .output(nothing),
  },
  search: {
    /** In all sessions, children included; in those of the trash nothing is found. */
    query: call.input(searchShapes.request).output(searchShapes.answer),
    status: call.output(searchStatusSchema),
  },
  models: {
    list: call.output(z.object({ providers: z.array(providerStatusSchema), defaultRoute: modelRouteSchema })),
    /** One tiny request. Resolves with `ok` or the sentence that says why not. */
    test: call
      .input(z.object({ providerId: z.string() }))
      .output(z.object({ ok: z.boolean(), message: z.string(), models: z.array(z.string()) })),
  },
  settings: {
    get: call.output(settingsSchema),
    update: call
      .input(
        settingsSchema
          .omit({ providers: true, limits: true })
          .partial()
          .extend({ limits: limitsSchema.partial().optional() }),
      )
      .output(settingsSchema),
    /** `key`: kept in the keychain, never in the settings; `null` forgets it, absent leaves it. */
    saveProvider: call
      .input(z.object({ provider: providerSettingsSchema, key: z.string().nullable().optional() }))
      .output(settingsSchema),
    removeProvider: call.input(z.object({ providerId: z.string() })).output(settingsSchema),
  },
  workspaces: {
    /** Folders inside `path` (the home folder when absent), for a picker where there is no system dialog. */
    browse: call
      .input(z.object({ path: z.string().optional() }))
      .output(z.object({ path: z.string(), parent: z.string().nullable(), folders: z.array(z.string()) })),
    open: call.input(z.object({ path: z.string() })).output(z.object({ path: z.string() })),
  },
  imports: {
    /** What other tools left on this machine. Reads only names and sizes. */
    find: call.output(
      z.object({ sources: z.array(z.object({ tool: z.string(), path: z.string(), sessions: z.number() })) }),
    ),
    run: call
      .input(z.object({ paths: z.array(z.string()).min(1) }))
      .output(z.object({ reports: z.array(importReportSchema) })),
  },
  storage: {
    /** What uses space. Measuring goes on in the background: ask again while `measuring` is not `null`. */
    usage: call.input(z.object({ again: z.boolean().default(false) })).output(storageStateSchema),
    /** Gives unused space back; everything waits for it. `WORK_RUNNING` while agents are at work. */
    compact: call.output(z.object({ before: z.number(), after: z.number() })),
  },
  backups: {
    /** Newest first. */
    list: call.output(z.object({ backups: z.array(backupSchema) })),
    create: call.output(backupSchema),
    /**
     * What is there now is kept. Every connection ends when it is done, this one after the answer: what is read after
     * that is what was restored. `SESSION_BUSY` while agents work and `stopWork` is not set.
     */
    restore: call.input(restoreSchema).output(restoredSchema),
  },
  exports: {
    /** Begins one. It is read part by part, as fast as the reader takes them; nothing is kept of it when it is over. */
    session: call.input(exportShapes.request).output(exportShapes.started),
    /** `BAD_REQUEST`: it is over, was cancelled, or was left alone for too long. */
    read: call.input(exportShapes.ref).output(exportShapes.part),
    cancel: call.input(exportShapes.ref).output(nothing),
  },
  diagnostics: {
    /** Reads everything in the data folder. Changes nothing. */
    doctor: call.output(doctorReportSchema),
    host: call.output(hostInfoSchema),
    /** What is wrong with one record, as of this look. Never writes. */
    record: call.input(session).output(recordReportSchema),
  },
}

export type Contract = typeof contract
