import type { VerificationTask } from '../../../lib/verification/threads/checked-verifier.ts'
import { verify as verifyReally } from '../../../lib/verification/threads/groth16-thread.ts'

/** Verifies like the real thread, but exits when the root is 666. */
export async function verify(task: VerificationTask): Promise<boolean> {
  if (task.signals[0] === 666n) process.exit(1)
  return (await verifyReally)(task)
}
