/** Yields the answers to a subscription; its WebSocket is closed when the caller stops reading them. */
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
  const waiting = []
  let wake = () => {}
  const receive = (message) => {
    waiting.push(message)
    wake()
  }
  socket.onmessage = ({ data }) => receive(JSON.parse(data))
  socket.onclose = ({ reason }) => receive({ type: 'error', payload: [{ message: reason }] })
  for (;;) {
    if (waiting.length === 0)
      await new Promise((resolve) => {
        wake = resolve
      })
    yield* waiting.splice(0)
  }
}
