/** The answers to a subscription, over a WebSocket of its own that ends when nobody reads on. */
export async function* subscribe(endpoint, request, headers) {
  const url = Object.assign(new URL(endpoint), {
    protocol: endpoint.protocol.replace('http', 'ws'),
  })
  const socket = new WebSocket(url, 'graphql-transport-ws')
  const send = (message) => socket.send(JSON.stringify(message))
  socket.onopen = () => send({ type: 'connection_init', payload: { headers } })
  try {
    for await (const message of messagesOf(socket)) {
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

async function* messagesOf(socket) {
  const waiting = []
  let wake = () => {}
  const arrived = (message) => {
    waiting.push(message)
    wake()
  }
  socket.onmessage = ({ data }) => arrived(JSON.parse(data))
  socket.onclose = ({ reason }) => arrived({ type: 'error', payload: [{ message: reason }] })
  for (;;) {
    if (waiting.length === 0)
      await new Promise((resolve) => {
        wake = resolve
      })
    yield* waiting.splice(0)
  }
}
