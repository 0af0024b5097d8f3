import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openReadySocket } from '../support/socket.ts'
import { asUser, type SocketScene, startSocketScene } from '../support/socket-scene.ts'

let scene: SocketScene

beforeAll(async () => {
  scene = await startSocketScene()
})
afterAll(() => scene.stop())

describe('a live query sends changed results', () => {
  test('a live query sends each change once, and only to subscribers who can read it', async () => {
    const [ada, bob] = [
      await openReadySocket(scene.url, asUser('ada')),
      await openReadySocket(scene.url, asUser('bob')),
    ]
    const payload = { query: 'subscription { note(order_by: {id: asc}) { id text } }' }
    for (const ws of [ada, bob]) ws.send({ type: 'subscribe', id: 'live', payload })
    const notesMessage = (note: object[]) => ({
      type: 'next',
      id: 'live',
      payload: { data: { note } },
    })
    expect(await ada.next()).toEqual(notesMessage([]))
    expect(await bob.next()).toEqual(notesMessage([]))
    await scene.db.query(`insert into note values (1, 'ada', 'a')`)
    expect(await ada.next()).toEqual(notesMessage([{ id: 1, text: 'a' }]))
    await scene.db.query(`update note set text = 'b'`)
    expect(await ada.next()).toEqual(notesMessage([{ id: 1, text: 'b' }]))
    await scene.db.query(`insert into note values (2, 'bob', 'c')`)
    expect(await bob.next()).toEqual(notesMessage([{ id: 2, text: 'c' }]))
    expect(ada.unread).toEqual([])
    ada.send({ type: 'complete', id: 'live' })
    await scene.db.query('delete from note')
    expect(await bob.next()).toEqual(notesMessage([]))
    expect(ada.unread).toEqual([])
    for (const ws of [ada, bob]) ws.ws.terminate()
  })

  test('a live query of a missing row is null until the row exists', async () => {
    const ws = await openReadySocket(scene.url)
    const query = 'subscription { note_by_pk(id: 77) { text } }'
    ws.send({ type: 'subscribe', id: 'x', payload: { query } })
    const result = (row: object | null) => ({
      type: 'next',
      id: 'x',
      payload: { data: { note_by_pk: row } },
    })
    expect(await ws.next()).toEqual(result(null))
    await scene.db.query(`insert into note values (77, 'ada', 'here')`)
    expect(await ws.next()).toEqual(result({ text: 'here' }))
    await scene.db.query('delete from note where id = 77')
    expect(await ws.next()).toEqual(result(null))
    ws.ws.terminate()
  })

  test('a live query of 30 subscribers with different variables sends each its rows', async () => {
    await scene.db.query(`insert into note select n, 'o' || n, 'x' from generate_series(1, 30) n`)
    const ws = await openReadySocket(scene.url)
    const query = 'subscription ($id: Int!) { note(where: {id: {_eq: $id}}) { id } }'
    for (let id = 1; id <= 30; id += 1)
      ws.send({ type: 'subscribe', id: String(id), payload: { query, variables: { id } } })
    for (let n = 1; n <= 30; n += 1) {
      const message = await ws.next()
      expect(message.payload).toEqual({ data: { note: [{ id: Number(message.id) }] } })
    }
    await scene.db.query(`update note set id = 100 + id where id = 7`)
    expect(await ws.next()).toEqual({ type: 'next', id: '7', payload: { data: { note: [] } } })
    await scene.db.query('delete from note')
    ws.ws.terminate()
  })

  test('a live query with a value that PostgreSQL rejects gets errors and affects no other subscriber', async () => {
    await scene.db.query(`insert into note values (8, 'x', 'b')`)
    const ws = await openReadySocket(scene.url)
    const query = 'subscription ($text: String!) { note(where: {text: {_similar: $text}}) { id } }'
    const follow = (id: string, text: string) =>
      ws.send({ type: 'subscribe', id, payload: { query, variables: { text } } })
    follow('good', 'a')
    expect(await ws.next()).toMatchObject({ type: 'next', id: 'good' })
    follow('bad', '(')
    const errorMessage = {
      type: 'next',
      id: 'bad',
      payload: {
        data: null,
        errors: [
          { message: 'database query error', extensions: { code: 'unexpected', path: '$' } },
        ],
      },
    }
    expect(await ws.next()).toMatchObject(errorMessage)
    expect(await ws.next()).toMatchObject(errorMessage)
    await scene.db.query(`insert into note values (9, 'x', 'a')`)
    const next = async (id: string) => {
      for (;;) {
        const message = await ws.next()
        if (message.id === id) return message
      }
    }
    expect(await next('good')).toMatchObject({ payload: { data: { note: [{ id: 9 }] } } })
    await scene.db.query('delete from note')
    const emptyMessage = { type: 'next', id: 'bad', payload: { data: { note: [] } } }
    await expect.poll(() => next('bad')).toEqual(emptyMessage)
    ws.ws.terminate()
  })

  test('a live query with a value that a function rejects ends', async () => {
    const ws = await openReadySocket(scene.url)
    const query = 'subscription ($n: Int!) { ratio(args: {n: $n}) { id } }'
    ws.send({ type: 'subscribe', id: 'no', payload: { query, variables: { n: 0 } } })
    expect(await ws.next()).toMatchObject({
      type: 'error',
      id: 'no',
      payload: [{ extensions: { code: 'unexpected', path: '$' } }],
    })
    ws.ws.terminate()
  })

  test('a live query with a value that PostgreSQL cannot parse ends', async () => {
    await scene.db.query(`insert into note values (1, 'x', 'a')`)
    const ws = await openReadySocket(scene.url)
    const query = 'subscription ($big: numeric!) { note(where: {big: {_eq: $big}}) { id } }'
    const variables = { big: 'x' }
    ws.send({ type: 'subscribe', id: 'unread', payload: { query, variables } })
    expect(await ws.next()).toMatchObject({
      type: 'error',
      id: 'unread',
      payload: [{ extensions: { code: 'data-exception', path: '$' } }],
    })
    await scene.db.query('delete from note')
    ws.ws.terminate()
  })
})

test('a stream sends each row once, ties included', async () => {
  const ws = await openReadySocket(scene.url)
  await scene.db.query(
    `insert into note values (1, 'a', 'x'), (2, 'a', 'x'), (3, 'b', 'x'), (4, 'c', 'x')`,
  )
  const query =
    'subscription { note_stream(batch_size: 1, cursor: {initial_value: {owner: ""}}) { id } }'
  ws.send({ type: 'subscribe', id: 's', payload: { query } })
  const batch = async () => (await ws.next()).payload
  const rows = (...ids: number[]) => ({ data: { note_stream: ids.map((id) => ({ id })) } })
  expect(await batch()).toEqual(rows(1, 2))
  expect(await batch()).toEqual(rows(3))
  expect(await batch()).toEqual(rows(4))
  await scene.db.query(`insert into note values (5, 'd', 'x')`)
  expect(await batch()).toEqual(rows(5))
  expect(ws.unread).toEqual([])
  await scene.db.query('delete from note')
  ws.ws.terminate()
})
