import { deliberateReason } from './compare/deliberate.ts'
import { answerDifference, type Difference, rowsDifference } from './compare/difference.ts'
import { ownTypesOf } from './compare/own-types.ts'
import { type Recorded, type Recording, readRecordings } from './recordings/recording.ts'
import type { EngineHost } from './servers/embedded-engine.ts'
import type { Answered } from './servers/graphql-server.ts'
import { restoreRows, rowsText } from './servers/kept-rows.ts'
import { openStage, type Stage } from './servers/stage.ts'
import type { Summary } from './summary.ts'

/** Asks the embedded engine what a Hasura was asked once, and compares the answers. */
export async function replayRecordings(
  host: EngineHost,
  files: readonly string[],
  summary: Summary,
): Promise<void> {
  for (const file of files)
    for (const recording of readRecordings(file)) {
      const { world } = recording
      if (world.remote !== undefined) {
        console.info(`${file}: left out, since it needs a remote schema`)
        continue
      }
      const engine = await host.start(world.env)
      try {
        const alike = await replayWorld(await openStage(engine.server), recording, summary)
        console.info(`${file}: ${alike} of ${recording.rows.length}`)
      } finally {
        await engine.stop()
      }
    }
}

async function replayWorld(stage: Stage, recording: Recording, summary: Summary): Promise<number> {
  await stage.show(recording.world)
  let alike = 0
  for (const recorded of recording.rows) {
    const asked = { headers: recorded.headers, body: recorded.body }
    const { engine, found } = await replayOperation(stage, recording, recorded)
    const expected = answeredOf(recorded)
    if (!found) {
      alike += 1
      summary.agree()
      continue
    }
    const reason = deliberateReason({ asked, expected, engine, found })
    if (reason !== null) summary.excuse(reason)
    else if (summary.differ(found))
      summary.show({
        difference: `${found.kind}: ${found.summary}`,
        sql: recording.world.sql,
        metadata: recording.world.metadata,
        asked,
        engine: `${engine.status} ${engine.text}`,
        expected: `${recorded.status} ${recorded.text}`,
        by: `the recording ${recording.world.name}`,
      })
  }
  return alike
}

async function replayOperation(
  { server }: Stage,
  { world }: Recording,
  recorded: Recorded,
): Promise<{ engine: Answered; found: Difference | null }> {
  if (recorded.tables !== undefined) await restoreRows(server)
  const engine = await server.post(world.path, recorded.body, recorded.headers)
  const expected = answeredOf(recorded)
  const [a, b] =
    recorded.kind === 'introspection'
      ? [ownTypesOf(expected), ownTypesOf(engine)]
      : [expected, engine]
  const found = answerDifference(a, b, recorded)
  if (found || recorded.tables === undefined) return { engine, found }
  return { engine, found: rowsDifference(recorded.tables, await rowsText(server)) }
}

function answeredOf({ status, text }: Recorded): Answered {
  return { status, text, body: parsedText(text) }
}

function parsedText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
