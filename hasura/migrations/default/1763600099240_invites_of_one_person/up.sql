-- What a person invited within a day is counted over all of their teams: anybody can make as many as
-- they like, and would send as many messages to one mailbox.

create index audit_invites_idx on audit (actor_id, created_at) where subject = 'invite' and operation = 'insert';

-- Invites those of the addresses [text] that are not members; who is invited already gets more time,
-- and another message unless they had one within the hour from a team of the caller's. A team invites
-- a hundred a day, and so does a person: addresses beyond that are left out.
create or replace function invite_team_members(user_id text, team_id text, emails jsonb) returns setof invite
language plpgsql volatile
as $$
begin
  -- One call at a time of a person, and to a team, so that the day's invites are counted right. In the
  -- order in which delete_account takes them.
  perform from "user" where "user".id = invite_team_members.user_id for no key update;
  perform from team where team.id = invite_team_members.team_id for update;
  return query
  with today as (
    select audit.subject_id, audit.changes #>> '{email,new}' as email, audit.created_at
    from audit
    where (audit.team_id = invite_team_members.team_id or audit.actor_id = invite_team_members.user_id)
      and audit.created_at > now() - interval '1 day'
      and audit.subject = 'invite'
      and audit.operation = 'insert'
  ),
  invited as (
    insert into invite as known (team_id, email)
    select invite_team_members.team_id, address
    from jsonb_array_elements_text(emails) with ordinality as given (address, place)
    where is_owner(invite_team_members.user_id, invite_team_members.team_id)
      and not exists (
        select
        from membership
        join "user" on "user".id = membership.user_id
        where membership.team_id = invite_team_members.team_id
          and "user".email = address
      )
    group by address
    order by min(place)
    limit (select greatest(0, 100 - count(*)) from today)
    on conflict on constraint invite_team_id_email_key do update
    set expires_at = excluded.expires_at
    returning known.*
  ),
  queued as (
    insert into mail (kind, invite_id)
    select 'invite', invited.id
    from invited
    where not exists (
        select
        from membership as mine
        join invite as other on other.team_id = mine.team_id
        join mail on mail.invite_id = other.id
        where mine.user_id = invite_team_members.user_id
          and mine.role = 'OWNER'
          and other.email = invited.email
          and mail.created_at > now() - interval '1 hour'
      )
      -- An invite that was taken back took its messages along.
      and not exists (
        select
        from today
        where today.email = invited.email
          and today.created_at > now() - interval '1 hour'
          and today.subject_id <> invited.id
      )
  )
  select * from invited;
end
$$;
