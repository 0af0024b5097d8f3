import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../platform/free-ports.ts'

/** Answers after 300 ms, so that a request can be under way when the server is told to end. */
const SERVER = `
  import express from 'express'
  import { serve } from './lib/serve.ts'
  import { logger } from './lib/log.ts'
  const web = express().use((_request, response) => setTimeout(() => response.end('done'), 300))
  const close = async () => console.log('closed')
  await serve(web, { host: '127.0.0.1', port: Number(process.argv[1]), log: logger('test', 'silent'), close })
  console.log('listening')
`

test.each(['SIGTERM', 'SIGINT', 'disconnect'] as const)(
  'on %s what is under way is finished, then everything is closed, once',
  async (ending) => {
    const port = await freePort()
    const child = spawn(
      process.execPath,
      ['--input-type=module-typescript', '-e', SERVER, String(port)],
      {
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      },
    )
    let output = ''
    child.stdout?.on('data', (text) => {
      output += text
    })
    if (child.stdout) await once(child.stdout, 'data')
    const answer = fetch(`http://127.0.0.1:${port}`).then((response) => response.text())
    await new Promise((resolve) => setTimeout(resolve, 100))
    const exit = once(child, 'exit')
    if (ending === 'disconnect') child.disconnect()
    else child.kill(ending)
    expect(await answer).toBe('done')
    await exit
    expect(output).toBe('listening\nclosed\n')
    expect(child.exitCode).toBe(0)
  },
)

test('an address in use ends the start', async () => {
  const port = await freePort()
  const start = () =>
    spawn(process.execPath, ['--input-type=module-typescript', '-e', SERVER, String(port)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const first = start()
  await once(first.stdout, 'data')
  const second = start()
  let error = ''
  second.stderr.on('data', (text) => {
    error += text
  })
  await once(second, 'exit')
  first.kill()
  expect(second.exitCode).toBe(1)
  expect(error).toContain('EADDRINUSE')
})

test.each([
  [32, 32],
  [33, 0],
])('of %i requests that come at once on one connection %i are answered', async (sent, answered) => {
  const port = await freePort()
  const child = spawn(
    process.execPath,
    ['--input-type=module-typescript', '-e', SERVER, String(port)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void child.kill())
  await once(child.stdout, 'data')
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(sent))
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  await Promise.race([
    once(socket, 'close'),
    vi.waitFor(() => expect(text.match(/\ndone/g)).toHaveLength(sent), 5_000),
  ])
  expect(text.match(/\ndone/g) ?? []).toHaveLength(answered)
})
