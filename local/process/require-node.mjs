// Throws on an old Node, so that a program or a test runner that imports the package reports the reason.
import { oldNode } from './old-node.mjs'

if (oldNode !== null) throw new Error(oldNode)
