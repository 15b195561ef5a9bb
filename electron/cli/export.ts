import { type Command, Option } from 'commander'
import type { ExportFormat } from '#shared/contract/export-shapes.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { WorkbenchClient } from '../rpc/transport/local-client.ts'
import { addCommonOptions, type CommonOptions, parseId } from './command-options.ts'
import { createFile, standardOutput, type TextSink } from './export-sink.ts'
import { UsageFailure } from './failure.ts'
import { complain, printJson } from './output.ts'
import { reachSession } from './reach-session.ts'

interface ExportOptions extends CommonOptions {
  readonly tree?: true
  readonly format?: ExportFormat
  readonly out?: string
  readonly raw?: true
}

export function addExport(program: Command): void {
  const command = program
    .command('export')
    .description('write the history of a session to a file or to standard output, without its secrets')
    .argument('<id>', 'the session', parseId)
    .option('--tree', 'with all its children, at any depth')
    .addOption(new Option('--format <format>', 'md, html or jsonl').choices(['md', 'html', 'jsonl']))
    .option('--out <file>', 'a new file; without it: standard output')
    .option('--raw', 'without redaction: every secret in the log is in the file')
  addCommonOptions(command, 'with --out: say what was written as JSON; without: write jsonl').action(
    exportSession,
  )
}

async function exportSession(sessionId: SessionId, options: ExportOptions): Promise<void> {
  const { out, tree = false, raw = false, json = false } = options
  if (json && out === undefined && options.format !== undefined && options.format !== 'jsonl') {
    throw new UsageFailure(
      'With --json, standard output is jsonl: leave --format out, or name a file with --out.',
    )
  }
  const format = options.format ?? (json && out === undefined ? 'jsonl' : 'md')
  if (raw) complain('This export is NOT redacted: every secret in the log is in it.')
  const written = await reachSession(options, sessionId, async client => {
    const sink = out === undefined ? standardOutput() : await createFile(out)
    try {
      const written = await write(client, { sessionId, tree, format, raw }, sink)
      await sink.close()
      return written
    } catch (error) {
      await sink.abandon()
      throw error
    }
  })
  if (json && out !== undefined) printJson([{ file: out, format, redacted: !raw, ...written }])
}

async function write(
  client: WorkbenchClient,
  request: Parameters<WorkbenchClient['exports']['session']>[0],
  sink: TextSink,
): Promise<{ readonly sessions: number; readonly events: number }> {
  const { exportId } = await client.exports.session(request)
  for (;;) {
    const { text, done, sessions, events } = await client.exports.read({ exportId })
    await sink.write(text)
    if (done) return { sessions, events }
  }
}
