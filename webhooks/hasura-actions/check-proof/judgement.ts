/** The result of a check, with the reason as text for developers. `passed` is null if the check cannot be made. */
export type Judgement = { passed: boolean | null; detail: string }

export function createPass(detail: string): Judgement {
  return { passed: true, detail }
}

export function createFailure(detail: string): Judgement {
  return { passed: false, detail }
}

/** Returns a check that cannot be made, because a value is missing or cannot be read. */
export function createUnknown(detail: string): Judgement {
  return { passed: null, detail }
}

/** The text for a check whose fields are missing or malformed. */
export const UNREADABLE = 'Not checked: a required field cannot be read.'
