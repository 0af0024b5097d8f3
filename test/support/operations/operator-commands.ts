import { expect } from 'vitest'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { documentedCommands } from '../../../trials/containers/documented-commands.ts'
import { runToEnd } from '../docs/programs.ts'

const PAGE = 'docs/operations/tasks.md'

/** Where the page's commands find Hasura. */
const DOCUMENTED_URL = 'http://127.0.0.1:8080/v1/graphql'

type Hasura = { url: string; adminSecret: string }

/** Runs the commands of docs/operations/tasks.md with bash, in a new home folder with the page's configuration of curl. */
export async function createOperator({ url, adminSecret }: Hasura) {
  const home = temporaryFolder('operator-')
  const runCommands = async (commands: string, variables: Record<string, string>) => {
    const env = { HOME: home, ...variables }
    const { code, output } = await runToEnd(['bash', '--norc', '-c', commands], { env })
    expect(code, output).toBe(0)
    return output
  }
  const configuration = documentedCommands(PAGE, 'configuration')
  expect(configuration).toContain(DOCUMENTED_URL)
  await runCommands(configuration.replace(DOCUMENTED_URL, `${url}/v1/graphql`), {
    HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
  })
  return {
    home,
    /** Runs the block ```` ```sh name ````, and returns the parsed response. */
    async run(name: string, variables: Record<string, string> = {}) {
      return JSON.parse(await runCommands(documentedCommands(PAGE, name), variables))
    },
  }
}

export type Operator = Awaited<ReturnType<typeof createOperator>>
