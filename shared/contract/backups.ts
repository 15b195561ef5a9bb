import { z } from 'zod'

/** Why a backup was made: by itself, because a person asked, or to keep what was about to be replaced. */
export const backupReasonSchema = z.enum(['daily', 'manual', 'migration', 'before-restore', 'before-repair'])

export const backupSchema = z.object({
  /** What it is called in `restore`, and in the folder `backups`. */
  name: z.string(),
  /** Epoch ms. */
  at: z.number(),
  reason: backupReasonSchema,
  bytes: z.number(),
  /** `null` when it cannot be read. */
  sessions: z.number().nullable(),
})
export type BackupInfo = z.infer<typeof backupSchema>

export const restoreSchema = z.object({
  name: z.string().min(1),
  /** Stop what works now. Absent: then nothing is restored while something works (`SESSION_BUSY`). */
  stopWork: z.boolean().optional(),
})

/** `kept`: where what was there before is now, below the data folder; `null` when nothing was. */
export const restoredSchema = z.object({ sessions: z.number(), kept: z.string().nullable() })
export type Restored = z.infer<typeof restoredSchema>

export const doctorReportSchema = z.object({
  /** Faults, a sentence each; none: all is well. */
  findings: z.array(z.string()),
  /** What is worth knowing and no fault. */
  notes: z.array(z.string()),
})
