#!/usr/bin/env node
// The program of the package. Checks the version of Node before it imports code that an old Node cannot parse.
import process from 'node:process'
import { oldNode } from '../../local/process/old-node.mjs'

if (oldNode === null) void import(new URL('command.js', import.meta.url).href)
else {
  process.stderr.write(`${oldNode}\n`)
  process.exitCode = 1
}
