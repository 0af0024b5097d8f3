-- Deletes an action that has too many people to be deleted through GraphQL. First deletes the people in portions, each in
-- its own transaction, then the action. The script may be interrupted and run again.
--
--   psql "$SUPERUSER_URL" --set ON_ERROR_STOP=1 --set action=action_… --file ops/delete-action.sql

-- psql leaves an unset variable in the statement, and the error would then be about syntax.
\if :{?action}
\else
\set ON_ERROR_STOP on
do $$ begin raise exception 'the variable action is missing: pass --set action=action_… to psql'; end $$;
\endif

select set_config('delete_action.id', :'action', false);

do $$
begin
  perform from action where id = current_setting('delete_action.id') and action <> '';
  if not found then
    raise exception 'there is no action %, or it is the sign-in action', current_setting('delete_action.id');
  end if;
end
$$;

-- From here on no verification of this action is counted. Statements that began earlier end within ten seconds, because
-- ops/roles.sql limits them to five.
update action set status = 'inactive' where id = :'action';
select pg_sleep(10);

do $$
declare
  id text := current_setting('delete_action.id');
  deleted_up_to text := '';
  portion_ends_at text;
begin
  loop
    select max(nullifier_hash) into portion_ends_at
    from (
      select nullifier_hash
      from nullifier
      where action_id = id and nullifier_hash > deleted_up_to
      order by nullifier_hash
      limit 10000
    ) as portion;
    exit when portion_ends_at is null;
    delete from nullifier
    where action_id = id and nullifier_hash > deleted_up_to and nullifier_hash <= portion_ends_at;
    deleted_up_to := portion_ends_at;
    commit;
  end loop;
end
$$;

delete from action where id = :'action';
