import type { Facts } from '../../packages/platform/facts.ts'
import type { Outcome } from './crowd.ts'

/** The platform that is broken, and the root of the people who verify there. */
export type Scene = { facts: Facts; folder: string; root: bigint }

/** Causes a fault. @returns the outcome */
export type Scenario = (scene: Scene) => Promise<Outcome>
