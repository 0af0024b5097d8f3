import { extname } from 'node:path'
import express from 'express'
import { bundlePages } from './bundle-pages.mjs'
import { signedRequest, verify } from './verify.mjs'
import { verify2 } from './verify-2.mjs'

// A website with both widgets. It uses the platform that `npm start` runs.

const { PORT = '3005' } = process.env
const pages = await bundlePages()

const web = express()
web.get('/{*path}', (request, response, next) => {
  const path = request.path === '/' ? '/index.html' : request.path
  const file = pages.get(path)
  if (!file) return next()
  response.type(extname(path)).send(file)
})
web.use(express.json())
web.post('/verify', async (request, response) => {
  sendAnswer(response, await verify(request.body))
})
web.post('/signed-request', (_request, response) => void response.json(signedRequest()))
web.post('/verify-2', async (request, response) => {
  sendAnswer(response, await verify2(request.body))
})
web.use((error, _request, response, _next) => {
  console.error(error)
  response.status(500).json({ detail: 'The website failed. See its terminal.' })
})
web.listen(Number(PORT), '127.0.0.1', (error) => {
  if (error) throw error
  console.info(`IDKit 4: http://localhost:${PORT}
IDKit 2: http://localhost:${PORT}/idkit-2.html`)
})

function sendAnswer(response, answer) {
  response.status(answer.success ? 200 : 400).json(answer)
}
