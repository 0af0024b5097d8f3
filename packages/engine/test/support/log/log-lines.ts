import { expect, vi } from 'vitest'
import { z } from 'zod'
import type { RunningEngine } from '../start-engine.ts'

/** A line of the engine's log, in the form of Hasura. */
const Line = z.strictObject({
  level: z.enum(['debug', 'info', 'warn', 'error']),
  timestamp: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/),
  type: z.string(),
  detail: z.looseObject({}),
})

export type LogLine = z.infer<typeof Line>

type Source = Pick<RunningEngine, 'output'>

/** Returns the lines of a type, or all lines. Fails if a line does not have the form of Hasura. */
export function logLines({ output }: Source, type?: string): LogLine[] {
  const complete = output().split('\n').slice(0, -1)
  const lines = complete.map((line) => Line.parse(JSON.parse(line)))
  return type === undefined ? lines : lines.filter((line) => line.type === type)
}

/** Waits for the only line of a type that contains a text, such as a request's id. */
export async function waitForLine(engine: Source, type: string, text: string): Promise<LogLine> {
  return vi.waitFor(() => {
    const [line, ...others] = logLines(engine, type).filter((each) =>
      JSON.stringify(each).includes(text),
    )
    expect(others).toEqual([])
    return Line.parse(line)
  })
}
