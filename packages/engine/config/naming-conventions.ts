/** Hasura's names of the conventions by which types and fields are named. */
export const NAMING_CONVENTIONS = ['hasura-default', 'graphql-default'] as const

export type NamingConvention = (typeof NAMING_CONVENTIONS)[number]
