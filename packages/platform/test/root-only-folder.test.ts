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
import { projectFolder } from '../../engine/test/support/project-folder.ts'
import { startPlatform } from '../testing/test-platform.ts'
import { ownPorts, type StartCommand, startCommand } from './support/start-command.ts'

describe.runIf(process.getuid?.() === 0)('started by root in a folder with mode 0700', () => {
  let closed: string
  let data: string
  const started: StartCommand[] = []
  const start = async (...words: string[]) => {
    const command = startCommand({ DATA_FOLDER: data, ...(await ownPorts()) }, ...words)
    started.push(command)
    return command
  }

  beforeAll(() => {
    closed = temporaryFolder('test-closed-')
    chmodSync(closed, 0o700)
    data = join(closed, 'data')
  })
  afterAll(async () => {
    for (const { child } of started.filter((each) => !hasEnded(each.child))) {
      child.kill('SIGINT')
      await once(child, 'exit')
    }
    removeCluster(join(data, 'postgres'))
    rmSync(closed, { recursive: true })
  })

  test('the platform starts, says where its data is, and --fresh removes the data there', async () => {
    const first = await start()
    await first.says('Ready.')
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
    await again.says('✓ PostgreSQL')
    expect(existsSync(mark)).toBe(false)
    again.child.kill('SIGINT')
    await once(again.child, 'close')
  })

  test('startPlatform keeps its data there, too', async () => {
    const platform = await startPlatform({ data })
    expect(platform.databaseFolder).toBe(readlinkSync(join(data, 'postgres')))
    await platform.close()
  })

  test('dev of the engine serves the project, and seeds a database whose data was lost', async () => {
    projectFolder().moveTo(join(closed, 'shop'))
    const project = { folder: join(closed, 'shop') }
    const first = await startDev(project, [])
    const cluster = readlinkSync(join(project.folder, '.postgres-graphql-engine/postgres'))
    expect(first.told()).toContain(`Data folder   ${cluster}\n`)
    expect(await first.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
    await endDev(first.child)
    rmSync(dirname(cluster), { recursive: true })
    const second = await startDev(project, [])
    expect(await second.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
    await endDev(second.child)
    removeCluster(join(project.folder, '.postgres-graphql-engine/postgres'))
  })
})

test('a start that is refused leaves no data folder', async () => {
  const folder = temporaryFolder('test-refused-')
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const port = JSON.parse(JSON.stringify(other.address())).port
  const data = { DATA_FOLDER: join(folder, 'new/data') }
  const start = startCommand({ ...(await ownPorts()), POSTGRES_PORT: `${port}`, ...data })
  expect(await once(start.child, 'close')).toEqual([1, null])
  expect(start.output()).toContain(`In use: port ${port} (POSTGRES_PORT)`)
  expect(readdirSync(folder)).toEqual([])
  other.close()
  rmSync(folder, { recursive: true })
})
