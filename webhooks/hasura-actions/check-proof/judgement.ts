/** Whether a check is passed, null when that cannot be judged, and why, for people. */
export type Judgement = { passed: boolean | null; detail: string }

/** It is as it has to be. */
export function passed(detail: string): Judgement {
  return { passed: true, detail }
}

/** With this, a verification is refused. */
export function failed(detail: string): Judgement {
  return { passed: false, detail }
}

/** Something is missing that would be needed to judge it. */
export function unjudged(detail: string): Judgement {
  return { passed: null, detail }
}

/** Why something is not judged whose fields are malformed. */
export const UNREADABLE = 'Not judged: a field that it needs cannot be read.'
