import { describe, expect, test } from 'vitest'
import { teamRowId } from '../../../../test/support/hasura/team-rows.ts'
import {
  APP,
  HEAD,
  importLines,
  nullifierOf,
  PEOPLE,
  project,
  setTheImportScene,
  TEAM,
  withEnd,
} from '../support/import-scene.ts'

setTheImportScene()

/** Reads the stored people of the app. */
const readPeople = () =>
  project.rows(`
    select action.action, nullifier_hash, uses, coalesce(imported, 0)
    from nullifier join action on action.id = action_id
    where app_id = '${APP}' order by 1, 2`)

describe('a file is imported', () => {
  test('the app, its actions and people are stored, and both ends are compared', async () => {
    const { code, output, error } = await importLines(withEnd(PEOPLE))
    expect(error).toBe('')
    expect(output).toBe(
      [
        'action     people: file  here  uses: file  here  people above the limit',
        'vote                  2     2           2     2                       0',
        'claim                 2     2           5     5                       0',
        'visit                 1     1          70    70                       0',
        '(sign-in)             1     1           1     1                       0',
        'Both ends are equal.',
        '',
      ].join('\n'),
    )
    expect(code).toBe(0)
    expect(await readPeople()).toEqual([
      ['', nullifierOf(5), '1', '1'],
      ['claim', nullifierOf(1), '2', '2'],
      ['claim', nullifierOf(3), '3', '3'],
      ['visit', nullifierOf(4), '70', '70'],
      ['vote', nullifierOf(1), '1', '1'],
      ['vote', nullifierOf(2), '1', '1'],
    ])
    expect(
      await project.rows(`
        select action, name, max_verifications, status, replace(description, E'\\n', '|')
        from action where app_id = '${APP}' order by 1`),
    ).toEqual([
      ['', 'Sign in', '0', 'active', ''],
      ['claim', '', '3', 'inactive', ''],
      ['visit', '', '0', 'active', ''],
      ['vote', 'Vote', '1', 'active', 'a|b'],
    ])
    expect(
      await project.rows(`select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') from nullifier
        where nullifier_hash = '${nullifierOf(1)}' and uses = 1`),
    ).toContainEqual(['2024-01-02 03:04:05'])
  })

  test('the audit trail of the team has the app, and each import with its source and totals', async () => {
    const records = await project.rows(`
      select subject, operation, changes from audit
      where team_id = '${TEAM}' and actor_role = 'reviewer' and subject in ('app', 'import') order by created_at, id`)
    expect(records.map(([subject, operation]) => [subject, operation])).toEqual([
      ['app', 'insert'],
      ...Array.from({ length: 4 }, () => ['import', 'insert']),
      ...Array.from({ length: 4 }, () => ['import', 'update']),
    ])
    const changes = records.map((record) => JSON.parse(record[2] ?? ''))
    const source = { new: expect.stringMatching(/^[0-9a-f-]{36}\.jsonl, SHA-256 [0-9a-f]{64}$/) }
    expect(changes).toContainEqual({
      action: { new: 'claim' },
      source,
      people: { new: 2 },
      uses: { new: 5 },
    })
    expect(changes).toContainEqual({
      source,
      people: { old: 0, new: 2 },
      uses: { old: 0, new: 5 },
    })
  })

  test('a second import changes nothing, not even what the team has changed since', async () => {
    await project.sql(`
      update action set status = 'inactive', name = 'Closed', max_verifications = 2
      where app_id = '${APP}' and action = 'vote'`)
    const state = () =>
      project.rows(`
        select action.*::text, nullifier.*::text from action left join nullifier on action_id = action.id
        where app_id = '${APP}' order by 1, 2`)
    const trail = () => project.rows("select id from audit where subject <> 'import'")
    const [rows, records] = [await state(), await trail()]
    const { code, output } = await importLines(withEnd(PEOPLE))
    expect([code, output]).toEqual([0, expect.stringContaining('Both ends are equal.')])
    expect(await state()).toEqual(rows)
    expect(await trail()).toEqual(records)
  })

  test('a later import adds what the source has counted since, and verifications here stay counted', async () => {
    await project.sql(`update action set status = 'active' where app_id = '${APP}'`)
    await project.sql(`
      select record_nullifier(id, '${nullifierOf(3)}', '3.0') from action where app_id = '${APP}' and action = 'claim';
      select record_nullifier(id, '${nullifierOf(1)}', '3.0') from action where app_id = '${APP}' and action = 'claim';
      select record_nullifier(id, '${nullifierOf(9)}', '3.0') from action where app_id = '${APP}' and action = 'claim'`)
    const grown = PEOPLE.with(2, { ...PEOPLE[2], uses: 3 })
    const { output } = await importLines(withEnd(grown))
    expect(output).toContain(
      'claim                 2     2           6     6                       1',
    )
    expect((await readPeople()).filter(([action]) => action === 'claim')).toEqual([
      ['claim', nullifierOf(1), '4', '3'],
      ['claim', nullifierOf(3), '3', '3'],
      ['claim', nullifierOf(9), '1', '0'],
    ])
  })

  test('an import with fewer uses lowers no count, and fails because the ends differ', async () => {
    const before = await readPeople()
    const { code, error } = await importLines(withEnd(PEOPLE))
    expect(error).toMatch(
      /the source has 2 people with 5 uses for the action action_[0-9a-f]{32}, and 2 people with 6 uses are stored/,
    )
    expect(code).toBe(1)
    expect(await readPeople()).toEqual(before)
  })

  test('an app of another team is refused', async () => {
    const { code, error } = await importLines(
      withEnd(PEOPLE),
      '--team',
      teamRowId('theirs', 'team'),
    )
    expect([code, error]).toEqual([
      1,
      `The app ${APP} belongs to the team ${TEAM} on this platform; --team says ${teamRowId('theirs', 'team')}.\n`,
    ])
  })

  test('lines of one person with different ids are added up to the limit', async () => {
    const lines = [
      { type: 'person', action: 'claim', nullifier_hash: '0x11', uses: 1, id: 'nil_1' },
      { type: 'person', action: 'claim', nullifier_hash: '0x0011', uses: 1, id: 'nil_2' },
      { type: 'person', action: 'vote', nullifier_hash: 'AB', id: 'nil_3' },
      { type: 'person', action: 'vote', nullifier_hash: '0xab', id: 'nil_4' },
      { type: 'person', action: 'vote', nullifier_hash: '0x12', uses: 0 },
    ]
    await project.sql(`delete from app where id = '${APP}'`)
    const { output, error } = await importLines(withEnd(lines))
    expect(error).toBe('')
    expect(output).toContain(
      '1 person with 0 uses left out.\n2 people with several lines; their uses were added up to the limit.',
    )
    expect(await readPeople()).toEqual([
      ['claim', nullifierOf(0x11), '2', '2'],
      ['vote', nullifierOf(0xab), '1', '1'],
    ])
  })

  test('people of protocol 4.0 are imported only into an action that accepts this protocol', async () => {
    await project.sql(`delete from app where id = '${APP}'`)
    const lines = (protocol: string) => [
      HEAD[0],
      { type: 'action', action: 'vote', name: 'On\ntwo lines', protocol },
      { type: 'person', action: 'vote', nullifier_hash: '0x31' },
      { type: 'end', people: 1 },
    ]
    expect((await importLines(lines('4.0'))).code).toBe(0)
    expect(
      await project.rows(
        `select name, protocol from action where app_id = '${APP}' and action = 'vote'`,
      ),
    ).toEqual([['On two lines', '4.0']])
    const { code, error } = await importLines(lines('3.0'))
    expect(error).toContain(
      'the action "vote" accepts protocol 4.0 here, and its people in the import are of protocol 3.0',
    )
    expect(code).toBe(1)
  })

  test('--missing-uses limit uses people up, and --missing-uses 1 leaves them the rest', async () => {
    const lines = withEnd([{ type: 'person', action: 'claim', nullifier_hash: '0x21' }])
    for (const [choice, uses] of [
      ['1', '1'],
      ['limit', '3'],
    ] as const) {
      await project.sql(`delete from app where id = '${APP}'`)
      await importLines(lines, '--missing-uses', choice)
      expect(await readPeople()).toEqual([['claim', nullifierOf(0x21), uses, uses]])
    }
  })
})
