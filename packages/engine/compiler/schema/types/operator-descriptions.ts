import { ownValue } from '../../../json/own-value.ts'
import type { OperatorName } from '../../operators.ts'

/** Returns the description of an operator. Two operators have other descriptions for arrays. */
export function operatorDescription(name: OperatorName, isArray: boolean): string | null {
  return (
    (isArray ? ownValue(ARRAY_DESCRIPTIONS, name) : null) ?? ownValue(DESCRIPTIONS, name) ?? null
  )
}

const ARRAY_DESCRIPTIONS: Readonly<Record<string, string>> = {
  _contains: 'does the array contain the given value',
  _contained_in: 'is the array contained in the given array value',
}

/** The descriptions of operators. Other operators have none. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  _contains: 'does the column contain the given json value at the top level',
  _contained_in: 'is the column contained in the given json value',
  _like: 'does the column match the given pattern',
  _nlike: 'does the column NOT match the given pattern',
  _ilike: 'does the column match the given case-insensitive pattern',
  _nilike: 'does the column NOT match the given case-insensitive pattern',
  _similar: 'does the column match the given SQL regular expression',
  _nsimilar: 'does the column NOT match the given SQL regular expression',
  _regex: 'does the column match the given POSIX regular expression, case sensitive',
  _iregex: 'does the column match the given POSIX regular expression, case insensitive',
  _nregex: 'does the column NOT match the given POSIX regular expression, case sensitive',
  _niregex: 'does the column NOT match the given POSIX regular expression, case insensitive',
  _has_key: 'does the string exist as a top-level key in the column',
  _has_keys_any: 'do any of these strings exist as top-level keys in the column',
  _has_keys_all: 'do all of these strings exist as top-level keys in the column',
  _jsonb_path_exists: 'does the JSON path find anything in the column',
  _jsonb_path_match: 'is the JSON path predicate true of the column',
  _ancestor: 'is the left argument an ancestor of right (or equal)?',
  _ancestor_any: 'does array contain an ancestor of `ltree`?',
  _descendant: 'is the left argument a descendant of right (or equal)?',
  _descendant_any: 'does array contain a descendant of `ltree`?',
  _matches: 'does `ltree` match `lquery`?',
  _matches_any: 'does `ltree` match any `lquery` in array?',
  _matches_fulltext: 'does `ltree` match `ltxtquery`?',
}
