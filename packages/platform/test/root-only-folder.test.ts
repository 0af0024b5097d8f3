import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeCluster } from '../../../local/postgres/cluster-place.ts'
import { hasEnded } from '../../../local/process/end-process.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { endDev, startDev } from '../../engine/test/support/cli/dev-command.ts'
import { createProjectFolder } from '../../engine/test/support/project-folder.ts'
import { startPlatform } from '../testing/test-platform.ts'
import { freePorts, type StartCommand, startCommand } from './support/start-command.ts'

describe.runIf(process.getuid?.() === 0)('root, in a folder with mode 0700', () => {
  let privateFolder: string
  let data: string
  const commands: StartCommand[] = []
  const start = async (...words: string[]) => {
    const command = startCommand({ DATA_FOLDER: data, ...(await freePorts()) }, ...words)
    commands.push(command)
    return command
  }

  beforeAll(() => {
    privateFolder = temporaryFolder('test-closed-')
    chmodSync(privateFolder, 0o700)
    data = join(privateFolder, 'data')
  })
  afterAll(async () => {
    for (const { child } of commands.filter((command) => !hasEnded(command.child))) {
      child.kill('SIGINT')
      await once(child, 'exit')
    }
    removeCluster(join(data, 'postgres'))
    rmSync(privateFolder, { recursive: true })
  })

  test('npm start prints the folder of its database, and --fresh empties that folder', async () => {
    const first = await start()
    await first.waitForOutput('Ready.')
    const cluster = readlinkSync(join(data, 'postgres'))
    expect(first.output()).toContain(`  data            ${cluster}\n`)
    expect(readFileSync(join(data, 'start-page.html'), 'utf8')).toContain(cluster)
    const second = await start('--fresh')
    expect(await once(second.child, 'close')).toEqual([1, null])
    expect(second.output()).toContain(`Another platform (process ${first.pid}) runs in`)
    first.child.kill('SIGINT')
    expect(await once(first.child, 'close')).toEqual([0, null])

    const mark = join(dirname(cluster), 'of the first start')
    mkdirSync(mark)
    const again = await start('--fresh')
    await again.waitForOutput('✓ PostgreSQL')
    expect(existsSync(mark)).toBe(false)
    again.child.kill('SIGINT')
    await once(again.child, 'close')
  })

  test('startPlatform reports the folder of its database', async () => {
    const platform = await startPlatform({ data })
    expect(platform.databaseFolder).toBe(readlinkSync(join(data, 'postgres')))
    await platform.close()
  })

  test('dev of the engine serves the project, and seeds the database again after its data was lost', async () => {
    createProjectFolder().moveTo(join(privateFolder, 'shop'))
    const project = { folder: join(privateFolder, 'shop') }
    const first = await startDev(project, [])
    const cluster = readlinkSync(join(project.folder, '.postgres-graphql-engine/postgres'))
    expect(first.output()).toContain(`Data folder   ${cluster}\n`)
    expect(await first.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
    await endDev(first.child)
    rmSync(dirname(cluster), { recursive: true })
    const second = await startDev(project, [])
    expect(await second.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
    await endDev(second.child)
    removeCluster(join(project.folder, '.postgres-graphql-engine/postgres'))
  })
})

test('a start that fails leaves no data folder', async () => {
  const folder = temporaryFolder('test-refused-')
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = JSON.parse(JSON.stringify(server.address())).port
  const data = { DATA_FOLDER: join(folder, 'new/data') }
  const start = startCommand({ ...(await freePorts()), POSTGRES_PORT: `${port}`, ...data })
  expect(await once(start.child, 'close')).toEqual([1, null])
  expect(start.output()).toContain(`In use: port ${port} (POSTGRES_PORT)`)
  expect(readdirSync(folder)).toEqual([])
  server.close()
  rmSync(folder, { recursive: true })
})
