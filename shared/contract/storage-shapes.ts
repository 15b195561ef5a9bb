import { z } from 'zod'
import { sessionIdSchema } from '../session/ids.ts'

/** What is in the trash stays there at least this long, and after that until a person deletes it for good. */
export const TRASH_KEPT_DAYS = 30

/** One act of throwing away, named by the session it began with. */
export const trashedTreeSchema = z.object({
  id: sessionIdSchema,
  /** Its title or label where it is known. */
  label: z.string().nullable(),
  cwd: z.string().nullable(),
  /** Epoch ms. */
  trashedAt: z.number(),
  /** Sessions that deleting it for good would delete. */
  sessions: z.number(),
})
export type TrashedTree = z.infer<typeof trashedTreeSchema>

const bytes = z.number().nonnegative()

export const storageUsageSchema = z.object({
  /** Epoch ms of the measuring. */
  measuredAt: z.number(),
  /** Everything in the data folder. */
  total: bytes,
  /** Parts of `total`, each once; what is not named is in `other`. */
  parts: z.object({
    /** Sessions that are not in the trash, with their children. */
    sessions: bytes,
    trash: bytes,
    /** Of the database's files, what is none of the sessions': indexes, page ends, its log. */
    index: bytes,
    /** Of the database's files, what holds nothing. Compacting gives it back. */
    free: bytes,
    search: bytes,
    backups: bytes,
    /** Databases that were set aside because they were damaged. */
    damaged: bytes,
    logs: bytes,
    other: bytes,
  }),
  sessions: z.number(),
  /** The biggest first, at most 50. */
  trees: z.array(
    z.object({
      id: sessionIdSchema,
      label: z.string().nullable(),
      archived: z.boolean(),
      sessions: z.number(),
      bytes,
    }),
  ),
  /** All trees there are. */
  treeCount: z.number(),
  /** Bytes by the id of the act. */
  trash: z.array(z.object({ id: z.string(), bytes })),
  /** Free space of the disk that the data folder is on. */
  diskFree: bytes,
})
export type StorageUsage = z.infer<typeof storageUsageSchema>

/** Measuring goes on in the background: whoever waits for it asks again. */
export const storageStateSchema = z.object({
  /** What the last measuring found, `null` before the first. */
  usage: storageUsageSchema.nullable(),
  measuring: z.object({ measured: z.number(), sessions: z.number() }).nullable(),
  /** Why the last measuring did not work. */
  problem: z.string().nullable(),
})
export type StorageState = z.infer<typeof storageStateSchema>
