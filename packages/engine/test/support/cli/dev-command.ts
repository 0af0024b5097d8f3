import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, vi } from 'vitest'
import { hasEnded } from '../../../../../local/process/end-process.ts'
import { freePort } from '../../../../../local/process/free-port.ts'
import { START_CACHE } from '../../../../../test/support/start-cache.ts'
import type { ProjectFolder } from '../project-folder.ts'

const children: ChildProcess[] = []

/** Starts `dev` in a project's folder and waits until it is ready or has ended. */
export async function startDev(
  { folder }: Pick<ProjectFolder, 'folder'>,
  words: readonly string[],
  variables: Record<string, string> = {},
) {
  const program = new URL('../../../cli/command.ts', import.meta.url).pathname
  const port = String(await freePort())
  const child = spawn(
    process.execPath,
    [...START_CACHE, program, 'dev', '--port', port, ...words],
    {
      cwd: folder,
      env: { PATH: process.env.PATH, ...variables },
    },
  )
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const waitForText = (text: string) =>
    vi.waitUntil(() => output.includes(text) || hasEnded(child), { timeout: 60_000 })
  await waitForText('Ready.')
  return {
    child,
    output: () => output,
    /** Calls `act`, and waits until `dev` then prints `text`. */
    async waitForOutput(text: string, act: () => void) {
      output = ''
      act()
      await waitForText(text)
      expect(output).toContain(text)
    },
    ask,
    books: () => ask('reader', '{ book { title } }'),
  }

  async function ask(role: string, query: string) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hasura-role': role },
      body: JSON.stringify({ query }),
    })
    return response.json()
  }
}

/** Ends a dev process as Ctrl-C does, and waits for its exit. */
export async function endDev(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  child.kill('SIGINT')
  await once(child, 'exit')
}

/** Ends every dev process that the test started. */
export async function endEachDev(): Promise<void> {
  for (const child of children.splice(0)) await endDev(child)
}
