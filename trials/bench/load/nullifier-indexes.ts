/** Drops the indexes before a large load. `MAKE_KEYS` and `MAKE_INDEX` create them again. */
export const DROP_INDEXES = `
  alter table counted_request drop constraint counted_request_nullifier_fkey;
  alter table nullifier drop constraint nullifier_pkey;
  drop index nullifier_action_id_created_at_idx;
`

export const MAKE_KEYS = `
  alter table nullifier add primary key (action_id, nullifier_hash);
  alter table counted_request
    add constraint counted_request_nullifier_fkey
    foreign key (action_id, nullifier_hash) references nullifier on delete cascade;
`

export const MAKE_INDEX =
  'create index nullifier_action_id_created_at_idx on nullifier (action_id, created_at)'
