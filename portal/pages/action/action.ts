import type { ActionQuery } from '../../graphql/generated/graphql.ts'

/** An action as its page knows it. */
export type Action = NonNullable<ActionQuery['action_by_pk']>
