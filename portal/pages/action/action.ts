import type { ActionQuery } from '../../graphql/generated/graphql.ts'

/** An action with the fields that its page reads. */
export type Action = NonNullable<ActionQuery['action_by_pk']>
