/** Hasura's names of the conventions for the names of types and fields. */
export const NAMING_CONVENTIONS = ['hasura-default', 'graphql-default'] as const

export type NamingConvention = (typeof NAMING_CONVENTIONS)[number]
