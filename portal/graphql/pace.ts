/**
 * Returns a function that runs `task`, but never twice at a time, and at most once per `restMs`. If it is called while the task
 * runs or rests, the task runs once more afterwards. Ignores failures of the task.
 */
export function pace(task: () => Promise<unknown>, restMs: number): () => void {
  let state: 'idle' | 'busy' | 'called again' = 'idle'
  const run = async () => {
    state = 'busy'
    await task().catch(() => {})
    setTimeout(() => {
      if (state === 'called again') void run()
      else state = 'idle'
    }, restMs)
  }
  return () => {
    if (state === 'idle') void run()
    else state = 'called again'
  }
}
