import { deliberateReason } from './compare/deliberate-differences.ts'
import { answerDifference, type Difference, rowsDifference } from './compare/difference.ts'
import { withSchemaTypesOnly } from './compare/schema-types.ts'
import { type RecordedOperation, type Recording, readRecordings } from './recordings/recording.ts'
import type { EngineHost } from './servers/embedded-engine.ts'
import type { ServerResponse } from './servers/graphql-server.ts'
import { restoreRows, rowsText } from './servers/saved-rows.ts'
import { openStage, type Stage } from './servers/stage.ts'
import type { Summary } from './summary.ts'

/** Sends the recorded requests to the embedded engine, and compares its responses with the recorded responses of Hasura. */
export async function replayRecordings(
  host: EngineHost,
  files: readonly string[],
  summary: Summary,
): Promise<void> {
  for (const file of files)
    for (const recording of readRecordings(file)) {
      const { world } = recording
      if (world.remote !== undefined) {
        console.info(`${file}: skipped, because it needs a remote schema`)
        continue
      }
      const engine = await host.start(world.env)
      try {
        const equalCount = await replayWorld(await openStage(engine.server), recording, summary)
        console.info(`${file}: ${equalCount} of ${recording.rows.length} alike`)
      } finally {
        await engine.stop()
      }
    }
}

async function replayWorld(stage: Stage, recording: Recording, summary: Summary): Promise<number> {
  await stage.show(recording.world)
  let equalCount = 0
  for (const operation of recording.rows) {
    const request = { headers: operation.headers, body: operation.body }
    const { engine, difference } = await replayOperation(stage, recording, operation)
    const expected = responseOf(operation)
    if (!difference) {
      equalCount += 1
      summary.agree()
      continue
    }
    const reason = deliberateReason({ request, expected, engine, difference })
    if (reason !== null) summary.excuse(reason)
    else if (summary.differ(difference))
      summary.show({
        difference: `${difference.kind}: ${difference.summary}`,
        sql: recording.world.sql,
        metadata: recording.world.metadata,
        request,
        engine: `${engine.status} ${engine.text}`,
        expected: `${operation.status} ${operation.text}`,
        source: `the recording ${recording.world.name}`,
      })
  }
  return equalCount
}

async function replayOperation(
  { server }: Stage,
  { world }: Recording,
  operation: RecordedOperation,
): Promise<{ engine: ServerResponse; difference: Difference | null }> {
  if (operation.tables !== undefined) await restoreRows(server)
  const engine = await server.post(world.path, operation.body, operation.headers)
  const expected = responseOf(operation)
  const [a, b] =
    operation.kind === 'introspection'
      ? [withSchemaTypesOnly(expected), withSchemaTypesOnly(engine)]
      : [expected, engine]
  const difference = answerDifference(a, b, operation)
  if (difference || operation.tables === undefined) return { engine, difference }
  return { engine, difference: rowsDifference(operation.tables, await rowsText(server)) }
}

function responseOf({ status, text }: RecordedOperation): ServerResponse {
  return { status, text, body: parseRecordedText(text) }
}

function parseRecordedText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
