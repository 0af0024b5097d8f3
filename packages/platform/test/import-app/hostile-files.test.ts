import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { externalNullifier, formatField } from '../../../../lib/proof/encoding.ts'
import { temporaryFolder } from '../../../../local/process/temporary-folder.ts'
import {
  APP,
  HEAD,
  importLines,
  nullifierOf,
  PEOPLE,
  project,
  setTheImportScene,
  withEnd,
} from '../support/import-scene.ts'
import { runImport } from '../support/run-import.ts'

const folder = temporaryFolder('import-')

setTheImportScene()

describe('hostile files are refused with the line, and nothing is imported', () => {
  test.each<[string, (object | string)[], string]>([
    ['text that is not JSON', [...HEAD, '{"type":'], 'line 6: is not JSON; got {"type":'],
    ['an unknown type', [...HEAD, { type: 'team' }], 'line 6: type: Invalid'],
    [
      'an unknown field',
      withEnd([{ ...PEOPLE[0], use: 1 }]),
      'line 6: the line: Unrecognized key: "use"',
    ],
    [
      'a nullifier that is not hex',
      withEnd([{ ...PEOPLE[0], nullifier_hash: '0xg' }]),
      'line 6: nullifier_hash: must be 1 to 64 hex digits, with or without 0x, below the modulus',
    ],
    [
      'a nullifier above the modulus',
      withEnd([{ ...PEOPLE[0], nullifier_hash: `0x${'f'.repeat(64)}` }]),
      'line 6: nullifier_hash: must be 1 to 64 hex digits, with or without 0x, below the modulus',
    ],
    [
      'uses above the limit',
      withEnd([{ ...PEOPLE[2], uses: 4 }]),
      'line 6: uses is 4, above max_verifications 3 of the action "claim"',
    ],
    ['negative uses', withEnd([{ ...PEOPLE[2], uses: -1 }]), 'line 6: uses: Too small'],
    [
      'an unknown action',
      withEnd([{ ...PEOPLE[0], action: 'votes' }]),
      'line 6: the action "votes" has no line of the type action before this line',
    ],
    [
      'a person twice',
      withEnd([...PEOPLE, { ...PEOPLE[1], nullifier_hash: nullifierOf(2) }]),
      `line 12: the person ${nullifierOf(2)} has line 7 already, for the same action`,
    ],
    [
      'a row with one id twice',
      withEnd([
        { ...PEOPLE[0], id: 'nil_1' },
        { ...PEOPLE[0], id: 'nil_1' },
      ]),
      `line 7: the person ${nullifierOf(1)} has line 6 already, for the same action`,
    ],
    [
      'an action twice',
      [...HEAD, { type: 'action', action: 'vote' }],
      'line 6: the action "vote" has a line already',
    ],
    [
      'another app',
      [
        { ...HEAD[0], id: `app_${'0'.repeat(32)}` },
        { type: 'end', people: 0 },
      ],
      `line 1: the file is of the app app_${'0'.repeat(32)}; --app says ${APP}`,
    ],
    [
      'is_staging of another environment',
      [
        { ...HEAD[0], is_staging: true },
        { type: 'end', people: 0 },
      ],
      `line 1: is_staging must be false for the id ${APP}`,
    ],
    [
      'a person before the app',
      [PEOPLE[0] ?? {}, ...HEAD],
      'line 1: the first line must have the type app',
    ],
    ['a missing end', [...HEAD, ...PEOPLE], 'line 12: the file has no line of the type end'],
    [
      'fewer people than the end says',
      [...HEAD, ...PEOPLE.slice(1), { type: 'end', people: 6 }],
      'line 11: the file has 5 people before this line, which says 6',
    ],
    [
      'another external nullifier',
      [HEAD[0], { ...HEAD[1], external_nullifier: nullifierOf(7) }],
      `line 2: the external_nullifier of the action "vote" is ${nullifierOf(7)}, and this platform computes ${formatField(externalNullifier(APP, 'vote'))}`,
    ],
    [
      'sign-in of protocol 4.0',
      [HEAD[0], { ...HEAD[4], protocol: '4.0' }],
      'line 2: sign-in has protocol 3.0',
    ],
    [
      'a text that PostgreSQL cannot store',
      [HEAD[0], { ...HEAD[1], action: 'a\0' }],
      'line 2: action: PostgreSQL cannot store the text',
    ],
    [
      'a line of 70,000 bytes',
      [...HEAD, 'x'.repeat(70_000)],
      'line 6: a line has at most 65536 bytes',
    ],
    [
      'people without uses for a limit of 3',
      withEnd([{ type: 'person', action: 'claim', nullifier_hash: '0x1' }]),
      'line 6: the line has no uses, and the action "claim" allows 3: pass --missing-uses 1 or --missing-uses limit',
    ],
  ])('a file with %s is refused', async (_, lines, message) => {
    const { code, output, error } = await importLines(lines)
    expect(error).toContain(`FILE, ${message}`)
    expect([code, output]).toEqual([1, ''])
    expect(await project.rows(`select id from app where id = '${APP}'`)).toEqual([])
  })

  test('a file that is not UTF-8 is refused with the line', async () => {
    const path = join(folder, 'latin.jsonl')
    writeFileSync(path, Buffer.from('{"type":"app"}\n{"\xe9"}\n', 'latin1'))
    const { code, error } = await runImport(['--app', APP, '--file', path, '--check'], {})
    expect([code, error]).toEqual([1, `${path}, line 2: the line is not UTF-8.\n`])
  })

  test('the first twenty faults are printed, and the others are counted', async () => {
    const { error } = await importLines([...HEAD, ...Array.from({ length: 30 }, () => 'x')])
    expect(error.trim().split('\n')).toEqual([
      ...Array.from({ length: 20 }, (_, n) => `FILE, line ${n + 6}: is not JSON; got x`),
      '… and 11 more.',
      'Nothing was imported. Correct the file, and run again.',
    ])
  })
})
