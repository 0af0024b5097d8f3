/**
 * True if the command `simulate` works for an app. The simulator publishes its group on the platform's local chain, so the
 * command works on the platform's machine only.
 */
export function hasSimulator(isStaging: boolean): boolean {
  return isStaging && ['localhost', '127.0.0.1'].includes(location.hostname)
}
