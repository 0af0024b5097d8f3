import type {
  DocumentNode,
  FragmentDefinitionNode,
  SelectionSetNode,
} from 'graphql/language/index.js'
import {
  type DocumentBounds,
  findFieldsFault,
  findLengthFault,
  findLiteralsFault,
  findUsesFault,
  findValuesFault,
} from '../../../../../lib/runtime/graphql/document-size.ts'
import { EngineError } from '../../../errors.ts'
import type { Variables } from '../decision.ts'

type MeasuredOperation = {
  selectionSet: SelectionSetNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/** Rejects an operation that is too deep or has too many fields. */
export function checkFields(
  measured: MeasuredOperation,
  bounds: Pick<DocumentBounds, 'maxDepth' | 'maxFields'>,
): void {
  refuse(findFieldsFault(measured, bounds))
}

/** Rejects a document that is too long, before it is parsed. */
export function checkLength(text: string, bounds: DocumentBounds): void {
  refuse(findLengthFault(text, bounds))
}

/** Rejects variables with too many values, or with values that are nested too deeply. */
export function checkValues(variables: object, bounds: DocumentBounds): void {
  refuse(findValuesFault(variables, bounds))
}

/** Rejects a document with literals that have too many values, or are nested too deeply. */
export function checkLiterals(document: DocumentNode, bounds: DocumentBounds): void {
  refuse(findLiteralsFault(document, bounds))
}

/** Rejects variables that cost too much because they are used too often, although each is small enough. */
export function checkUses(
  uses: ReadonlyMap<string, number>,
  variables: Variables,
  bounds: DocumentBounds,
): void {
  if (Number.isFinite(Math.min(bounds.maxValues, bounds.maxVariableBytes)))
    refuse(findUsesFault(uses, variables, bounds))
}

function refuse(fault: string | null): void {
  if (fault !== null) throw new EngineError('validation-failed', fault)
}
