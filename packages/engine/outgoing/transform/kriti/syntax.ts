import type { Span } from './template-error.ts'

/** A parsed template, or a part of it. */
export type Expression = Span &
  (
    | { kind: 'constant'; value: unknown }
    /** A text in double quotes, as a list of its texts and values. */
    | { kind: 'text'; pieces: readonly Expression[] }
    | { kind: 'list'; items: readonly Expression[] }
    | { kind: 'object'; fields: ReadonlyMap<string, Expression> }
    | { kind: 'name'; name: string }
    /** `a.b`, `a['b']`, `a[b]`: fails if the member is missing. */
    | { kind: 'member'; target: Expression; key: Expression }
    /** `a?.b.c[d]`, `a?`: null if the target or one of the members is missing. */
    | { kind: 'optional'; target: Expression; keys: readonly Expression[] }
    | { kind: 'operation'; operator: Operator; left: Expression; right: Expression }
    | { kind: 'call'; name: string; argument: Expression }
    | { kind: 'if'; branches: readonly Branch[]; otherwise: Expression }
    /** `index` is null if it is written as `_`. */
    | { kind: 'range'; index: string | null; item: string; list: Expression; body: Expression }
  )

/** A condition of `if` or `elif`, and its value. */
export type Branch = { condition: Expression; body: Expression }

export const OPERATORS = ['==', '!=', '>', '<', '>=', '<=', '&&', '||', 'in', '??'] as const

export type Operator = (typeof OPERATORS)[number]
