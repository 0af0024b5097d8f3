import { buffer } from 'node:stream/consumers'
import { keccak_256 } from '@noble/hashes/sha3.js'

// Prints what `openssl dgst -keccak-256 -r` of OpenSSL 3.2 prints. `findOpenssl` runs this file.
const hash = Buffer.from(keccak_256(await buffer(process.stdin)))
process.stdout.write(`${hash.toString('hex')} *stdin\n`)
