/** Yields the results of a subscription. Closes its WebSocket when the caller stops reading. */
export async function* subscribe(endpoint, request, headers) {
  const url = Object.assign(new URL(endpoint), {
    protocol: endpoint.protocol.replace('http', 'ws'),
  })
  const socket = new WebSocket(url, 'graphql-transport-ws')
  const send = (message) => socket.send(JSON.stringify(message))
  socket.onopen = () => send({ type: 'connection_init', payload: { headers } })
  try {
    for await (const message of receivedMessages(socket)) {
      if (message.type === 'connection_ack') send({ type: 'subscribe', id: '1', payload: request })
      if (message.type === 'ping') send({ type: 'pong' })
      if (message.type === 'next') yield message.payload
      if (message.type === 'error') yield { errors: message.payload }
      if (message.type === 'error' || message.type === 'complete') return
    }
  } finally {
    socket.close()
  }
}

async function* receivedMessages(socket) {
  const queue = []
  let wake = () => {}
  const receive = (message) => {
    queue.push(message)
    wake()
  }
  socket.onmessage = ({ data }) => receive(JSON.parse(data))
  socket.onclose = ({ reason }) => receive({ type: 'error', payload: [{ message: reason }] })
  for (;;) {
    if (queue.length === 0)
      await new Promise((resolve) => {
        wake = resolve
      })
    yield* queue.splice(0)
  }
}
